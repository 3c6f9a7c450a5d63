"""Lights: a press switches a cell and its four neighbours; the game is over when all are off."""
