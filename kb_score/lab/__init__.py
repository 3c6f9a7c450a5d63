"""The laboratory: rules are tested by their examples, compared, covered and mutated."""
