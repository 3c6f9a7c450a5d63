"""Reasons: why something holds by the rules, and why something else does not."""
