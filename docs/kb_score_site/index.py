"""What the site adds to single documents, and ``llms.txt``."""

from __future__ import annotations

import re

from kb_score_site.api import API
from kb_score_site.cards import CARDS, list_cards
from kb_score_site.command import ROOT
from kb_score_site.commands import COMMANDS, list_verbs
from kb_score_site.front import write_front
from kb_score_site.games import FOLDERS, GAMES, name_game, title_game
from kb_score_site.links import REFERENCE, lead_links
from kb_score_site.markdown import write_contents

_FIRST, *_OTHERS = (f"{GAMES}/{name_game(folder.name)}" for folder in FOLDERS)
_PARTS = {
    "Learn it": ("tour", "write-a-card", "write-a-game"),
    "Play and settle": ("sheet", "tabletop", "why", "advise", "restore"),
    "Change the rules": ("change-a-rule", "test-your-rules", "compare", "playground"),
    "Let bots play": (
        "bots_compliance",
        "contests",
        "cluster",
        "kingdom_builder_bots",
        "bots",
        "library",
        "solve",
        f"{REFERENCE}/party",
        f"{REFERENCE}/shepherd",
        f"{REFERENCE}/foresight",
    ),
    "Look it up": (
        f"{COMMANDS}/index",
        f"The Python interface <{API}>",
        f"{CARDS}/index",
        f"Rules of Kingdom Builder <{_FIRST}>",
        *_OTHERS,
        f"{REFERENCE}/rules",
        "file-formats",
        "pictures",
        "why_trees",
    ),
    "Understand it": (
        "design",
        "reliability",
        "ratings",
        "discoveries",
        "gdl",
        f"{REFERENCE}/golf",
    ),
}
_INDEX = f"""
On this site you also find every [card of Kingdom Builder]({CARDS}/index.md) with its rules, its
picture and a playground, the [commands]({COMMANDS}/index.md) with all their options, [all
predicates and rulings]({REFERENCE}/rules.md), and the [Python interface]({API}.md). Language models
begin with <a href="llms.txt">llms.txt</a>.

## The games

"""
# The front page begins in its own way, instead of with the title and the picture.
_TITLE = re.compile(r"\A# kb-score\n")
_PICTURE = re.compile(r"!\[.*\]\(game\.svg\)\n\n")
_PLAYGROUND = f"""
## Try it here

This site has <a href="{REFERENCE}/playground.html">a playground with the example board</a>.
"""
_TABLE = f"""
## Play here

This site has <a href="{REFERENCE}/tabletop.html">a table for you and a bot</a>.
"""
_SHEET = f"""
## Score here

This site has <a href="{REFERENCE}/sheet.html">the sheet</a>.
"""


def finish_page(page: str, text: str) -> str:
    """Give a document of docs/ what only the site has, and lead its links; others stay."""
    if page.startswith(f"{REFERENCE}/"):
        return text
    more = {"playground": _PLAYGROUND, "tabletop": _TABLE, "sheet": _SHEET}
    if page == "index":
        parts = (write_contents(pages, name) for name, pages in _PARTS.items())
        more["index"] = "".join([_INDEX, _list_games(), *parts])
        text = _TITLE.sub(lambda _: write_front(ROOT), _PICTURE.sub("", text))
    return lead_links(text, f"{page}.md", f"docs/{page}.md") + more.get(page, "")


def _list_games() -> str:
    return "".join(
        f"- [{title_game(folder.name)}]({GAMES}/{name_game(folder.name)}.md)\n"
        for folder in FOLDERS
    )


def write_llms() -> str:
    """Write ``llms.txt``, as llmstxt.org describes: what a language model reads to write a card."""
    verbs = list_verbs()
    cards = "".join(f"- [{n}]({CARDS}/{n}.md): {pays}\n" for n, pays in list_cards().items())
    commands = "".join(
        f"- [kb-score {verb}]({COMMANDS}/{verb}.md): {text}\n" for verb, text in verbs.items()
    )
    games = _list_games()
    return f"""# kb-score

> The rules of grid games as answer set programs (clingo). kb-score scores Kingdom Builder boards
> with the evidence for every point, checks claims and game records, and referees live bots. A
> scoring card is one `.lp` file, which says only what the card pays.

To write a card, put a file with `card(Name,Number,Text)` and rules for
`gold(Name,Player,Why,Points)` into a folder, and run `kb-score score BOARD --rules FOLDER`.

## Write a card

- [Write a card](write-a-card.md): from nothing to a card that works, and what messages mean
- [Kingdom Builder]({GAMES}/kingdom-builder.md): every predicate and ruling, and the rule files
- [Why is this so?](why.md): a score or a violation followed down to the board, rule by rule
- [Change a rule](change-a-rule.md): set a ruling, add a rule, edit a copy of ours
- [Disputed readings](rulings.md): what cards mean where their texts do not say

## Cards to learn from

{cards}
## Commands

{commands}
## Optional

{games}- [Whole games of Kingdom Builder](kingdom_builder.md): the notation, and a tile of your own
- [Bots for Kingdom Builder](kingdom_builder_bots.md): the protocol of live games
- [Where to build](advise.md): the placements that gain a player most, with a proof
- [Restore a board](restore.md): the boards that explain claimed scores, hidden or mistyped hexes
- [kb-score in Python](library.md): scores, verdicts and matches in a program of yours
- [Try a bot before a contest](bots_compliance.md): the edge cases of every protocol
- [Bots that win](bots.md): what bots for the rabbits and for Slime do that search
- [Write a game](write-a-game.md): a game of your own, from rules and a grammar
- [If you know GDL](gdl.md): its words beside ours, and games in plain clingo
- [Ratings](ratings.md): how strong bots are, and how sure that is
- [File formats](file-formats.md): boards, claims, maps and records
- [Pictures](pictures.md): what is drawn, and how looks are changed
- [The playground](playground.md): the rules in a page of the browser
- [Score a game](sheet.md): a page for a phone that tells who has won
- [A table to play at](tabletop.md): the published game in a page of the browser
- [A tour](tour.md): all of kb-score by examples
- [How it is built](design.md): the parts, and why they are so
- [What you can rely on](reliability.md): how it is tested
"""
