"""A page for each card of Kingdom Builder, with the playground in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_score.engine.docs import read_rule_files
from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.lab.examples import find_examples
from kb_score.resources import list_rule_folders
from kb_score.shell.svg import draw_svg
from kb_score_site.command import ask_command, draw
from kb_score_site.links import REFERENCE
from kb_score_site.markdown import escape, fence, write_contents

if TYPE_CHECKING:
    from kb_score.engine.docs import RuleFile
    from kb_score.lab.examples import Example

CARDS = f"{REFERENCE}/cards"


def write_cards(board: str) -> dict[str, str | bytes]:
    """Write the pages of all cards, and one that lists them; `board` is the example."""
    home = list_rule_folders()["kingdom_builder"]
    files = {f.path.stem: f for f in read_rule_files(sorted((home / "cards").glob("*.lp")))}
    (scores,) = ask_command("score", board)
    cards = list_cards()
    pages: dict[str, str | bytes] = {f"{CARDS}/index.md": _write_list(cards)}
    for name, pays in cards.items():
        gold = dict(zip(scores["players"], scores["gold"][name], strict=True))
        best = max(gold, key=lambda player: gold[player])
        examples = list(find_examples("kingdom_builder", [files[name].path]))
        shown = "".join(_write_example(name, *one) for one in enumerate(examples, 1))
        pages[f"{CARDS}/{name}.md"] = _write_card(files[name], pays, gold, board, shown)
        pages |= {f"{CARDS}/{name}-{n}.svg": _draw(one) for n, one in enumerate(examples, 1)}
        pages[f"{CARDS}/{name}.svg"] = draw(board, "--card", name, "--player", best)
    return pages


def list_cards() -> dict[str, str]:
    """List the names of the cards, by number, and what they pay."""
    return {line["card"]: line["pays"] for line in ask_command("rules", "list", "cards")}


def _write_list(cards: dict[str, str]) -> str:
    lines = (f"- [{name.capitalize()}]({name}.md): {escape(cards[name])}\n" for name in cards)
    return f"""# The cards

Each card is a file of rules. Its page has the file, and a playground in which you can change it.

These cards pay for the finished board. Those that pay during the game, and the tiles, are in the
[table of the rules](../../kingdom_builder.md#the-rules-file-by-file).

{"".join(lines)}{write_contents(cards)}"""


def _write_example(name: str, number: int, example: Example) -> str:
    lines, settings = [], None
    for one in example.assertions:
        if one.settings and one.settings != settings:
            rulings = " and ".join(f"`{ruling} = {value}`" for ruling, value in one.settings)
            lines.append(f"- with {rulings}:\n")
        settings = one.settings
        lines.append(f"{'  ' * bool(settings)}- {one.label}: {one.wanted}\n")
    title = escape(example.title[:1].upper() + example.title[1:])
    return (
        f"**{title}.**\n\n![The board of this example]({name}-{number}.svg)\n\n{''.join(lines)}\n"
    )


def _draw(example: Example) -> bytes:
    """Draw the board of an example; what pays player 1 is marked."""
    ((name, text),) = example.files
    board, rules = parse_board(text, name=name, allows="odd"), load_rules(GameRules(example.game))
    drawing = draw_board(board, rules, (example.own[0], 1))
    return draw_svg(drawing, title=example.title, hexes=True).encode()


def _write_card(file: RuleFile, pays: str, gold: dict[int, int], board: str, examples: str) -> str:
    name = file.path.stem
    best = max(gold, key=lambda player: gold[player])
    title = name.capitalize()
    figures = "".join(f"| player {player} | {paid} |\n" for player, paid in gold.items())
    opened = f"../playground.html#open={name}.lp"
    return f"""# {title}

**{escape(pays[:1].upper() + pays[1:])}.**

## Its examples

The marked hexes pay player 1. `kb-score rules test {name}` runs these examples;
[test your rules](../../test-your-rules.md) tells how they are written.

{examples}
## On the example board

![The example board; marks show what pays player {best} for the {name}]({name}.svg)

The marked hexes pay player {best}. The number on a hex is the gold of the payment that it is part
of.

| player | gold |
| --- | ---: |
{figures}
`kb-score explain {board} --card {name}` gives the reasons for every player.

## Its rules

{escape(file.header)}

{fence(file.path.read_text(encoding="utf-8"), "prolog")}
{_write_rulings(file)}{_write_predicates(file)}
The other predicates are those of [Kingdom Builder](../games/kingdom-builder.md).

## Change it

Change the board or the rules, and the gold follows. In the playground the board comes first, then
the gold, then the rules, where `{name}.lp` is open. It also stands
<a href="{opened}">on a page of its own</a>.

<iframe class="playground" src="{opened}" title="Playground: {title}" loading="lazy"></iframe>

[Write a card](../../write-a-card.md) tells how to make one of your own.
"""


def _write_rulings(file: RuleFile) -> str:
    if not file.rulings:
        return ""
    lines = [f"- `{r.name}`, by default `{r.default}`: {escape(r.text)}\n" for r in file.rulings]
    return (
        f"## Its rulings\n\n{''.join(lines)}\n"
        "`--const NAME=VALUE` sets a ruling. [Rulings](../../rulings.md) has our reasons.\n\n"
    )


def _write_predicates(file: RuleFile) -> str:
    lines = [f"- `{predicate}`: {escape(predicate.text)}\n" for predicate in file.predicates]
    return f"## Its predicates\n\n{''.join(lines)}" if lines else ""
