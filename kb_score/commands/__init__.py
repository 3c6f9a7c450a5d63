"""The verbs that are not of one game."""
