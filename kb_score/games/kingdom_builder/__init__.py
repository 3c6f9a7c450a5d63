"""Kingdom Builder: boards scored and explained, claimed scores checked."""

VERBS = {
    "score": "commands",
    "explain": "commands",
    "board": "commands",
    "report": "game_commands",
    "check": "game_commands",
    "draw": "game_commands",
    "playground": "game_commands",
    "advise": "advise",
    "restore": "restore",
    "tabletop": "tabletop",
    "sheet": "sheet",
}
