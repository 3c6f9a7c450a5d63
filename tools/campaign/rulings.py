"""Cases of wrong values of rulings, wherever a ruling can be set.

They are refused, and the message lists the values that a ruling can have.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tools.campaign import seeds
from tools.campaign.case import Case, Expected
from tools.campaign.questions import draw_question

_RULING = re.compile(
    r"^% ruling: .*\n(?P<more>(?:%.*\n)*)#const (?P<name>\w+) = (?P<default>-?\w+)\.", re.MULTILINE
)
_VALUES = re.compile(r"^% values: (.*)$", re.MULTILINE)
_RANGE = re.compile(r"(-?\d+) to (-?\d+)")

_MAP = seeds.read("search_party/why/lane.txt")
_CONTESTS = {
    "kingdom_builder": (
        'game = "kingdom-builder"\nboards = ["oracle farm tavern paddock"]\nrounds = 1\n'
        "players = 2\n{rules}\n{two}"
    ),
    "search_party": (
        'game = "search-party"\nmaps = ["map.txt"]\nrounds = 1\n'
        "[settings]\nmost_turns = 2\n{rules}\n{one}"
    ),
    "slime": 'game = "slime"\nrounds = 1\n[settings]\nsize = 3\n{rules}\n{two}{two_more}',
}
_BOT = '[[bot]]\nname = "{}"\ncommand = "true"\n'


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling of a game.

    Attributes:
        game: The game's folder in ``asp/``.
        name: Its name.
        default: Its value.
        words: The values that it can have, if it lists them.
        limits: The least and the greatest value, if it has a range.
    """

    game: str
    name: str
    default: str
    words: tuple[str, ...] = ()
    limits: tuple[int, int] | None = None

    @property
    def listed(self) -> tuple[str, ...]:
        """Regular expressions for what a refusal says of its values."""
        shown = self.words if self.limits is None else tuple(map(str, self.limits))
        return (self.name, *(rf"(?<!\w){re.escape(value)}\b" for value in shown))

    def allows(self, value: str) -> bool:
        """Whether it can have a value."""
        if self.limits is None:
            return value in self.words
        least, greatest = self.limits
        is_number = re.fullmatch(r"0|-?[1-9]\d*", value, re.ASCII) is not None
        return is_number and least <= int(value) <= greatest

    def draw_wrong(self, rng: random.Random) -> str:
        """Draw a value that it cannot have."""
        values = ["-1", "x", "2147483647", "2147483648", "9" * 20, "01", "1x", "yes", "none", "-"]
        values += [
            self.default.upper(),
            f"{self.default}s",
            f"{self.default}-x",
            f"_{self.default}",
        ]
        values += [f"{word}_{word}" for word in self.words]
        if self.limits is not None:
            values += [str(self.limits[0] - 1), str(self.limits[1] + 1)]
        else:
            values += ["2", "-2"]
        return rng.choice([value for value in values if not self.allows(value)])


@cache
def list_rulings(game: str) -> tuple[Ruling, ...]:
    """List the rulings of a game, with their values if they are declared."""
    rulings = []
    for path in seeds.find(f"asp/{game}/**/*.lp"):
        for found in _RULING.finditer(path.read_text()):
            declared = _VALUES.search(found["more"])
            text = declared[1] if declared else ""
            span = _RANGE.fullmatch(text)
            limits = (int(span[1]), int(span[2])) if span else None
            words = () if span else tuple(word.strip() for word in text.split(",") if word.strip())
            rulings.append(Ruling(game, found["name"], found["default"], words, limits))
    return tuple(rulings)


def draw_ruling(rng: random.Random) -> Case:
    """Draw a case of a ruling with a wrong value, or sometimes with its default."""
    ways: tuple[Callable[[random.Random], Case], ...] = (
        *(_on_command_line, _on_command_line, _in_contest, _in_record, _in_record),
        *(_in_example, _in_call),
    )
    return rng.choice(ways)(rng)


def _draw(rng: random.Random, game: str) -> tuple[Ruling, str, Expected]:
    """Draw a ruling of a game, a value, and what has to come of them."""
    ruling = rng.choice(list_rulings(game))
    if rng.random() < 0.15:
        return ruling, ruling.default, Expected((0, 1))
    return ruling, ruling.draw_wrong(rng), Expected((2,), ruling.listed)


def _on_command_line(rng: random.Random) -> Case:
    question = draw_question(rng)
    ruling, value, expected = _draw(rng, question.game)
    words = question.words
    if rng.random() < 0.2:
        words = ("rules", "list", "rulings", "--game", question.game.replace("_", "-"))
    arguments = (*words, "--const", f"{ruling.name}={value}")
    return Case("rulings", arguments, question.files, expected=expected)


def _in_contest(rng: random.Random) -> Case:
    game = rng.choice(sorted(_CONTESTS))
    ruling, value, expected = _draw(rng, game)
    written = value if re.fullmatch(r"0|-?[1-9]\d{0,17}", value) else f'"{value}"'
    rules = f"[rules]\nconst = {{ {ruling.name} = {written} }}"
    text = _CONTESTS[game].format(
        rules=rules,
        one=_BOT.format("a"),
        two=_BOT.format("a") + _BOT.format("b"),
        two_more=_BOT.format("c") + _BOT.format("d"),
    )
    files = {"contest.toml": text.encode(), "map.txt": _MAP}
    # Nothing is played: that would take long for some values that are right.
    verb = rng.choice(("status", "table"))
    arguments = ("contest", verb, "contest.toml")
    return Case("rulings", arguments, files, writes=("contest.results",), expected=expected)


def _in_record(rng: random.Random) -> Case:
    question = draw_question(rng)
    while question.words[0] != "check":
        question = draw_question(rng)
    ruling, value, expected = _draw(rng, question.game)
    files = dict(question.files)
    record = "game.txt" if question.game == "kingdom_builder" else "record.txt"
    line = f"% const {ruling.name}={value}\n"
    files[record] = line.encode() + files[record]
    return Case("rulings", question.words, files, expected=expected)


def _in_example(rng: random.Random) -> Case:
    ruling, value, expected = _draw(rng, "kingdom_builder")
    text = (
        'card(zz, 40, "x").\ngold(zz, P, x, 1) :- player(P).\n\n'
        f"%*! Example: one each\n1 .\n . 2\nwith {ruling.name} = {value}\nzz: 1 1 *%\n"
    )
    files = {"mine.lp": text.encode()}
    return Case("rulings", ("rules", "test", "mine.lp"), files, expected=expected)


_CALL = """\
import sys
import kb_score
try:
    rules = kb_score.load_rules(constants={{{name!r}: {value!r}}})
    print(len(rules.cards))
except kb_score.KbScoreError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def _in_call(rng: random.Random) -> Case:
    ruling, value, expected = _draw(rng, "kingdom_builder")
    number = re.fullmatch(r"0|-?[1-9]\d*", value) is not None
    given: object = int(value) if number and rng.random() < 0.5 else value
    script = _CALL.format(name=ruling.name, value=given)
    return Case("rulings", (), script=script, expected=expected)
