"""Questions that a search answers: where to build, which board was it, how few turns it takes."""
