"""Kingdom Builder: boards scored and explained, claimed scores checked."""

VERBS = {
    "score": "commands",
    "explain": "commands",
    "report": "pages",
    "check": "game_commands",
    "draw": "game_commands",
    "playground": "pages",
    "board": "game_commands",
    "advise": "advise",
    "restore": "restore",
}
