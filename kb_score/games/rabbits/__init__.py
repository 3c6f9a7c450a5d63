"""Rabbits and crusher-bots: sessions, run logs and score tables checked, bots refereed live."""
