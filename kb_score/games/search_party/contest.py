"""Contests of the search party: each bot plays each map alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.games.arena import MERIT, RECORD, Arena, Form, Option, StandingRow
from kb_score.games.referee import referee
from kb_score.games.search_party.check import follow_files
from kb_score.games.search_party.maps import MAP_FILE
from kb_score.games.search_party.play import SearchParty
from kb_score.games.search_party.rules import PLAY, RANK
from kb_score.games.sitting import Field, Outcome, Stay, Timed, name_fault, read_map, sum_up
from kb_score.shell.bots import Bot
from kb_score.shell.watch import show_nothing

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts, Row
    from kb_score.games.arena import Tally
    from kb_score.games.sitting import Sitting
    from kb_score.shell.replay import Replay


class _SearchParty(Arena):
    form = Form(
        game="search_party",
        field_key="maps",
        settings={"most_turns": Option(10_000, 1, 1_000_000)},
        limits={"timeout": Option(60.0, 0.001, 3600)},
        figures=("turns", "costars", "extras", "finished"),
        measures=("turns",),
        uses=(PLAY, RANK, MERIT),
        counts_if="finished",
    )

    def read_field(self, word: str, home: Path, rules: GameRules) -> Field:
        path, text = read_map(word, home, MAP_FILE)
        SearchParty(rules, text, path)
        return Field(Path(word).stem, text)

    def prepare(self, sitting: Sitting, rules: GameRules) -> None:
        rules.program(PLAY)

    def play(self, sitting: Sitting, rules: GameRules) -> Outcome:
        (seat,) = sitting.seats
        live = SearchParty(rules, sitting.field.text, sitting.field.name)
        record: list[str] = []
        with Bot(seat.words(), folder=seat.folder, logs=seat.logs) as bot:
            timed, most = Timed(bot), int(sitting.settings["most_turns"])
            problems = referee(
                live, timed, seat.limits["timeout"], most, record.append, show_nothing
            )
        result = live.result()
        score = tuple(int(result[figure]) for figure in self.form.figures)
        (merit,) = self.find_merits([score], rules)
        faults: dict[str, int] = {}
        if problems and (timed.failure is not None or live.turn < most):
            faults = {name_fault(timed.failure.kind if timed.failure else "illegal"): 1}
        stay = Stay(score, merit, faults, "; ".join(problems), sum_up(timed.seconds))
        return Outcome((stay,), live.turn, "".join(record))

    def follow(self, record: str, field: Field, rules: GameRules) -> Replay:
        return follow_files(rules, (field.name, field.text), (RECORD, record))

    def rank(
        self, bots: int, tally: Tally, fields: int, measure: str, rules: GameRules
    ) -> list[StandingRow]:
        attempts: list[Row] = []
        incomplete: list[Row] = []
        for number, (bot, field, (*sums, finished)) in enumerate(sorted(tally)):
            attempts.append((bot, field, number, *sums))
            if not finished:
                incomplete.append((number,))
        facts: Facts = {
            "entry": [(bot,) for bot in range(bots)],
            "map": [(field,) for field in range(fields)],
            "attempt": attempts,
            "incomplete": incomplete,
        }
        return rules.ask(RANK, facts).read(StandingRow)


ARENA = _SearchParty()
