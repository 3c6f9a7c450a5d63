"""Score tables: read and added up."""

from __future__ import annotations

import re
from functools import partial

from lark import Token

from kb_score.findings import write_sentence
from kb_score.grammar import parse, read_number
from kb_score.rules import Changes, read_rules
from kb_score.solve import solve_unique
from kb_score.terms import Row
from kb_score.verdict import Verdict, Violation

_MOST_POINTS = 10**6  # in each of a thousand rows they still add up in clingo's 32 bits
# Controller, map, and the numbers of turns, seed and runs.
_PLANNED = re.compile(r"\s*Running:\s+\S+\s+\S+(?:\s+[0-9]+){3}\b")
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
    number = partial(read_number, text=text, name=name)
    turns = 0
    for token in parse("rabbits_table", text, name=name).children:
        assert isinstance(token, Token)
        if token.type == "ROW":
            run, seed, score = token.split()
            line = len(facts["row"]) + 1
            points = read_number(score, token, text, name, largest=_MOST_POINTS)
            facts["row"].append((line, number(run, token), number(seed, token), points))
        elif token.type == "TOTAL":
            facts["total"].append((number(token.split()[-1], token),))
        elif token.type == "HEAD" and _PLANNED.match(token):
            turns, _, runs = (number(word, token) for word in token.split()[3:6])
            facts["planned"].append((runs,))
    answer = solve_unique(
        read_rules("rabbits", ["table"], changes).asked_for(_WANTED), facts, _WANTED
    )
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
