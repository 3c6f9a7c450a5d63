"""The version of kb-score."""

__version__ = "0.1.0"
