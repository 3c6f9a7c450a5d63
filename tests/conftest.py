"""What pytest shall leave alone here."""

# Its tests belong to a game that is not there: tests/test_fifth_game.py puts it there.
collect_ignore = ["fifth_game"]
