"""The verbs that every game has: each written once, over its `kb_score.games.game.Game`."""
