"""Programs for who develops kb-score; CONTRIBUTING.md says when to run which."""
