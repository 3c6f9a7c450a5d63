"""The version of kb-score."""

__version__ = "1.0.0"
