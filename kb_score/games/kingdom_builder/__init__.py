"""Kingdom Builder: boards scored and explained, claimed scores checked."""

VERBS = {
    "score": "commands",
    "explain": "commands",
    "board": "commands",
    "report": "page_commands",
    "check": "check_command",
    "draw": "page_commands",
    "playground": "page_commands",
    "advise": "advise",
    "restore": "restore",
    "tabletop": "tabletop",
    "sheet": "sheet",
}
