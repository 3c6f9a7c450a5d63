"""A page for each game: a picture, where to read on, its rulings, its predicates and its rules."""

from __future__ import annotations

from pathlib import Path

from kb_score.engine.docs import read_rule_files
from kb_score.resources import COMMON, find_folder, list_rule_folders
from kb_score_site.cards import CARDS
from kb_score_site.command import ROOT, draw, run_command
from kb_score_site.links import REFERENCE
from kb_score_site.markdown import escape, fence, write_contents

GAMES = f"{REFERENCE}/games"
# The rules of each game, and what they share.
FOLDERS = (*list_rule_folders().values(), find_folder("asp") / COMMON)
# What a picture of a game shows; a game without one has none.
_PICTURES = {
    "kingdom_builder": ("boards/kingdom_builder/example.txt",),
    "rabbits": ("boards/rabbits/small.map", "boards/rabbits/small.session"),
    "search_party": ("boards/search_party/maps/maze.txt",),
    "slime": ("boards/slime/session.txt", "--turn", "30"),
}


def write_games() -> dict[str, str | bytes]:
    """Write the pages of all games, and their pictures."""
    pages: dict[str, str | bytes] = {}
    for folder in FOLDERS:
        name = name_game(folder.name)
        pages[f"{GAMES}/{name}.md"] = _write_game(folder)
        if folder.name in _PICTURES:
            pages[f"{GAMES}/{name}.svg"] = draw(name, *_PICTURES[folder.name])
    return pages


def name_game(folder: str) -> str:
    """Name a game as the command does."""
    return folder.replace("_", "-")


def title_game(folder: str) -> str:
    """Find the title of a game: that of its document, if there is one."""
    path = ROOT / "docs" / f"{folder}.md"
    if folder == COMMON:
        return "What games share"
    if not path.exists():
        return folder.replace("_", " ").title()
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _write_game(folder: Path) -> str:
    name, documents = name_game(folder.name), _list_documents(folder.name)
    links = "".join(f"- [{label}](../../{page}.md): {says}\n" for page, label, says in documents)
    if folder.name == "kingdom_builder":
        links += f"- [The cards](../../{CARDS}/index.md): each with its rules and a playground\n"
    picture = f"![A position of the game]({name}.svg)\n\n" if folder.name in _PICTURES else ""
    return f"""# {title_game(folder.name)}

{picture}{links}{write_contents(f"{label} </{page}>" for page, label, _ in documents)}
## Rulings

A ruling decides what can be read in several ways; `--const NAME=VALUE` sets it.

{_list("rulings", name)}
## Predicates

{_list("predicates", name)}
## Rules

{_write_files(folder)}"""


def _list_documents(game: str) -> list[tuple[str, str, str]]:
    """List the documents of a game that there are, each with a label and what it says."""
    rulings = "rulings" if game == "kingdom_builder" else f"rulings-{game}"
    documents = [
        (game, "Rules, records and commands", "how to play, and what kb-score checks"),
        (f"{game}_bots", "Bots", "what the referee tells them, and what they answer"),
        (rulings, "Disputed readings", "our decisions and their reasons"),
    ]
    return [line for line in documents if (ROOT / "docs" / f"{line[0]}.md").exists()]


def _list(section: str, game: str) -> str:
    """List a section of a game's rules; its title is that of the page's section."""
    text = run_command("rules", "list", section, "--game", game, "--format", "markdown")
    return text.removeprefix(f"**{section}**\n\n")


def _write_files(folder: Path) -> str:
    # A card's file stands on its own page.
    files = read_rule_files(p for p in sorted(folder.rglob("*.lp")) if p.parent.name != "cards")
    return "\n".join(
        f"### {escape(file.path.relative_to(folder).as_posix())}\n\n{escape(file.header)}\n\n"
        f"{fence(file.path.read_text(encoding='utf-8'), 'prolog')}"
        for file in files
    )
