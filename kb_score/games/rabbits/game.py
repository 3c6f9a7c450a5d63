"""The game rabbits: the data and functions that verbs need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from itertools import product
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.games.game import Arena, File, Game, Position, PositionSpace, ReasonNames, Wording
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.check import KINDS, explain_record, list_warnings, read_files
from kb_score.games.rabbits.position import find_position
from kb_score.games.rabbits.records import FACTS_OF, RECORD_FILE
from kb_score.games.record import check, expect_map_and_record, follow
from kb_score.shell.picture import Replay
from kb_score.shell.verdict import Verdict


class Rabbits(Game):
    """Rabbits and crusher-bots: records are sessions, run logs and score tables on a map."""

    name = "rabbits"
    record = RECORD_FILE
    maps = (FACTS_OF,)
    sample = "station.map session.txt"
    wording = Wording(
        actors="robot",
        separator="; ",
        move="'move 3,4 to 3,5; 7,2 to 6,2'",
        answer="the word move, then the old and the new column and row of each rabbit that moves: "
        "move 3,4 to 3,5; 7,2 to 6,2",
    )
    reasons = ReasonNames(
        check=("violation", "mistake", "result"),
        legal=("illegal", "permitted", "skipped", "may_roll", "may_hop"),
        move=("illegal", "permitted", "skipped", "may_roll", "may_hop"),
    )
    can_explain = True
    positions = PositionSpace(asp.POSITIONS, tuple(product(range(3, 8), range(3, 8))))

    @cached_property
    def arena(self) -> Arena:
        arena: Arena = import_module("kb_score.arena.rabbits").RabbitsArena()
        return arena

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        expect_map_and_record(files)
        return check(read_files, KINDS, rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Replay:
        return follow(read_files, KINDS, rules, files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **_options: Any
    ) -> Position:
        return find_position(rules, turn, *files)

    def find_doubts(self, rules: GameRules, maps: Sequence[File]) -> Sequence[str]:
        return list_warnings(rules, *maps)

    def explain(self, rules: GameRules, files: Sequence[File]) -> tuple[Verdict, str]:
        return explain_record(rules, *files)


GAME = Rabbits()
