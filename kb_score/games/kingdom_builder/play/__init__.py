"""The published game, played: its records, their check, and the moves that are legal."""
