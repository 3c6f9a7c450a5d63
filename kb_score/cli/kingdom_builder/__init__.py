"""The verbs of Kingdom Builder, which score, explain, assemble, check and draw boards."""
