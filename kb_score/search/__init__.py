"""Searches: where to build, which board explains scores, and how few turns a search takes."""
