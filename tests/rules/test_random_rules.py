"""Random rules of users mean to kb-score what they mean to plain clingo."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

import pytest
from clingo import Control

import kb_score
from kb_score.engine.rules import GameRules
from kb_score.engine.terms import write_facts
from kb_score.errors import RuleError
from kb_score.games.kingdom_builder.board import parse_board
from tests.helpers import ASP, SMALL
from tests.rules.test_plain_clingo import rows

# Predicates of ours that a card may read, with terms that their arguments may be.
OURS = {
    "settlement": (("P", "1", "_", "Q"), ("R", "0", "_", "R1"), ("C", "1", "_", "C1")),
    "terrain": (("water", "mountain", "K", "_"), ("R", "R1", "_"), ("C", "C1", "_")),
    "near": (("R",), ("C",), ("R1", "_"), ("C1", "_")),
    "player": (("P", "1", "Q"),),
    "beside": (("R",), ("C",), ("water", "mountain", "K", "_")),
}
OWN = {"mine": ("P", "R"), "pair": ("R", "C"), "alone": ("P",)}
VARIABLES = re.compile(r"\b[A-Z]\w*")


class Writer:
    """Writes a card with rules of a user, at random; nearly all of them are safe."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.bound: set[str] = set()

    def any(self, *choices: str) -> str:
        return self.random.choice(choices)

    def atom(self, *, own: bool = False, bound: bool = False) -> str:
        """Write an atom, perhaps of variables that have values alone."""
        known = dict(OURS)
        if own:
            known |= {name: tuple((word,) for word in words) for name, words in OWN.items()}
        name = self.any(*known)
        terms = [self.any(*values) for values in known[name]]
        if bound:
            terms = [
                "_" if term[0].isupper() and term not in self.bound else term for term in terms
            ]
        return f"{name}({','.join(terms)})"

    def number(self) -> str:
        return self.any("0", "1", "2", *sorted(self.bound - {"K"}))

    def literal(self, *, own: bool) -> str:
        kind = self.random.randrange(8)
        if kind < 3:
            atom = self.atom(own=own)
            self.bound.update(VARIABLES.findall(atom))
            return atom
        if kind == 3:
            return f"not {self.atom(own=own, bound=True)}"
        if kind == 4:
            sign = self.any("<", "<=", "!=", "=", ">")
            return f"{self.number()} {sign} {self.number()}{self.any('', '+1', '-R', '/2', '..3')}"
        if kind == 5:
            function = self.any("#count", "#sum", "#max", "#min")
            text = f"N = {function} {{ {self.any('R', '1')},C1 : {self.atom()}, near(R,C,R1,C1) }}"
            self.bound.add("N")
            return text
        if kind == 6:
            return f"{self.atom(own=own, bound=True)} : {self.atom()}"
        return f"P = ({self.any('1', '2')};{self.any('2', '3')})"

    def body(self, *, own: bool) -> str:
        self.bound = {"P", "R", "C"}
        literals = [self.literal(own=own) for _ in range(self.random.randint(1, 2))]
        return "; ".join(["settlement(P,R,C)", *literals])

    def write(self) -> str:
        rules = ['card(scouts,11,"at random").']
        for name, words in OWN.items():
            rules.append(f"{name}({','.join(words)}) :- {self.body(own=False)}.")
        for number in range(self.random.randint(1, 2)):
            body = self.body(own=True)
            points = self.any("1", "R+1", "-C", "2*R", "7/(R-1)", "3\\C", self.number())
            reason = self.any("hex(R,C)", "R", '"a; b :- c"', "P")
            # For one reason, a card pays one sum.
            rules.append(f"gold(scouts,P,({reason},{points},{number}),{points}) :- {body}.")
        return "\n".join(rules)


@cache
def read_ours() -> str:
    """Return the raw text of our files, and the facts of the board."""
    game = ASP / "kingdom_builder"
    files = [*game.glob("*.lp"), *(game / "cards").glob("*.lp")]
    board = parse_board(SMALL, GameRules("kingdom_builder"), name="board.txt")
    return write_facts(board.facts_for(None)) + "\n".join(file.read_text() for file in files)


def ask_clingo(rules: str) -> tuple[int, ...] | None:
    """Return the gold that plain clingo gives for the card; None if it reports a mistake."""
    messages: list[str] = []
    control = Control(["--warn=no-atom-undefined"], logger=lambda _, text: messages.append(text))
    try:
        control.add("base", [], f"{read_ours()}\n{rules}")
        control.ground([("base", [])])
    except RuntimeError:
        return None
    if any("global variable" not in message for message in messages):
        return None  # a sum of something that is no number
    gold: tuple[int, ...] = ()
    with control.solve(yield_=True) as models:
        for model in models:
            scores = rows(model.symbols(shown=True), "score", 3)
            gold = tuple(paid for card, _, paid in scores if card == "scouts")
    return gold


def ask_us(folder: Path) -> tuple[int, ...] | None:
    """Return the gold that kb-score gives for the card; None if it refuses the rules."""
    try:
        return kb_score.score(SMALL, rules=[folder]).gold["scouts"]
    except RuleError:
        return None


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(60), id="some"),
        pytest.param(range(60, 500), id="many", marks=pytest.mark.slow),
    ],
)
def test_random_rules_mean_what_they_mean_to_plain_clingo(seeds: range, tmp_path: Path) -> None:
    paid = 0
    for seed in seeds:
        rules = Writer(seed).write()
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "mine.lp").write_text(f"{rules}\n")

        expected = ask_clingo(rules)

        assert ask_us(folder) == expected, rules
        paid += bool(expected and any(expected))
    # Many rules are unsafe, or compute with something that is no number.
    assert paid > len(seeds) // 5
