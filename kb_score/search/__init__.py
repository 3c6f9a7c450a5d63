"""Questions about games that a search answers: the fewest turns of a search party."""
