"""Score tables: read and added up."""

from __future__ import annotations

from lark import Token

from kb_score.errors import FormatError
from kb_score.findings import write_sentence
from kb_score.games.rabbits.rules import read_files
from kb_score.grammar import parse, place_at
from kb_score.rules import Changes
from kb_score.solve import solve_unique
from kb_score.terms import Row
from kb_score.verdict import Verdict, Violation

_LARGEST = 10**6  # so many points in each of so many rows still add up in clingo's 32 bits
_WANTED = (("violation", 4), ("added_up", 1))


def check_table(text: str, changes: Changes, name: str) -> Verdict:
    """Check the table that a controller has printed: its rows must add up to its total.

    Args:
        text: The file.
        changes: What the user changes about the rules.
        name: What errors and the verdict call it.

    Raises:
        FormatError: It is no score table.
    """
    facts: dict[str, list[Row]] = {"row": [], "total": [], "planned": []}
    turns = 0
    for token in parse("rabbits_table", text, name=name).children:
        assert isinstance(token, Token)
        if token.type == "ROW":
            line = len(facts["row"]) + 1
            facts["row"].append((line, *_numbers(token, token.split(), text, name)))
        elif token.type == "TOTAL":
            facts["total"].append(tuple(_numbers(token, token.split()[-1:], text, name)))
        elif token.type == "HEAD" and all(word.isdecimal() for word in token.split()[3:6]):
            turns, _, runs = _numbers(token, token.split()[3:6], text, name)
            facts["planned"].append((runs,))
    answer = solve_unique(read_files("table", changes=changes).asked_for(_WANTED), facts, _WANTED)
    runs = len(facts["row"])
    return Verdict(
        game="rabbits",
        record=name,
        result={
            "turns": turns * runs,
            "runs": runs,
            "saved": answer["added_up", 1][0][0],
            "finished": True,
        },
        claimed={"saved": facts["total"][0][0]},
        violations=tuple(
            Violation(
                str(code),
                write_sentence(detail),
                who=f"run {run}" if run else "",
            )
            for _, code, run, detail in answer["violation", 4]
        ),
        notes=("a score table shows no turns: only its sums have been checked",),
    )


def _numbers(token: Token, words: list[str], text: str, name: str) -> list[int]:
    for word in words:
        if len(word) > len(str(_LARGEST)) or int(word) > _LARGEST:
            assert token.line is not None
            place = place_at(text, token.line, 1, name)
            raise FormatError(place, f"numbers in a score table go up to {_LARGEST}")
    return [int(word) for word in words]
