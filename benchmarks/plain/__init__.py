"""The rules once more in plain Python: yardstick of the benchmarks, oracle of the tests."""
