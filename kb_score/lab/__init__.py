"""The laboratory: tests, comparisons, coverage and mutation of rules."""
