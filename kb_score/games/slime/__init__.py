"""Slime, the territory war: records checked, bots refereed."""
