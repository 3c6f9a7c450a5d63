"""The verbs of Kingdom Builder: boards are scored, explained, checked and drawn."""
