"""What an author of rules tests them with: examples that stand in the rule files."""
