"""Boards with hexes that could not be read, or were misread, and the claims that they explain."""
