"""Advice: the placements of a few settlements that gain a player most."""
