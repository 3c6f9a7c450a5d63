"""Measurements of kb-score against yardsticks."""
