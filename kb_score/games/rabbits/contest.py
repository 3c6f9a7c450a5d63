"""Contests of the rabbits: each bot plays each map with each seed alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.engine.run import Use
from kb_score.games.arena import MERIT, RECORD, Arena, Form, Option, StandingRow
from kb_score.games.rabbits.check import follow_files, read_station
from kb_score.games.rabbits.maps import MAP_FILE
from kb_score.games.rabbits.play import Series, play_run
from kb_score.games.rabbits.rules import PLAY
from kb_score.games.sitting import Field, Outcome, Stay, Timed, name_fault, read_map, sum_up
from kb_score.shell.bots import Bot
from kb_score.shell.programs import make_folder

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row
    from kb_score.games.arena import Tally
    from kb_score.games.sitting import Sitting
    from kb_score.shell.replay import Replay

_RANK = Use("rank")


class _Rabbits(Arena):
    form = Form(
        game="rabbits",
        field_key="maps",
        settings={"turns": Option(500, 1, 1_000_000)},
        limits={"start_time": Option(2.0, 0, 3600), "answer_time": Option(0.5, 0.001, 3600)},
        figures=("saved", "turns"),
        measures=("saved",),
        uses=(PLAY, _RANK, MERIT),
        has_luck=True,
    )

    def read_field(self, word: str, home: Path, rules: GameRules) -> Field:
        path, text = read_map(word, home, MAP_FILE)
        read_station(text, path, rules)
        return Field(Path(word).stem, text)

    def prepare(self, sitting: Sitting, rules: GameRules) -> None:
        rules.program(PLAY)

    def play(self, sitting: Sitting, rules: GameRules) -> Outcome:
        # The bot is given the name of a file.
        with make_folder() as folder:
            path = folder / f"{sitting.field.name}.map"
            path.write_text(sitting.field.text, encoding="utf-8")
            return self._run(sitting, rules, path)

    def _run(self, sitting: Sitting, rules: GameRules, path: Path) -> Outcome:
        (seat,) = sitting.seats
        station, _ = read_station(sitting.field.text, str(path), rules)
        command, turns = seat.words(), int(sitting.settings["turns"])
        times = seat.limits["start_time"], seat.limits["answer_time"]
        series = Series(station, rules, tuple(command), turns, sitting.seed, 1, *times)
        record: list[str] = []
        words = [*command, str(path), str(sitting.seed)]
        with Bot(words, folder=seat.folder, logs=seat.logs) as bot:
            timed = Timed(bot)
            run = play_run(series, 1, sitting.seed, timed, record.append)
        record.append(f"score {run.saved}\n")
        score = run.saved, run.turns
        (merit,) = self.find_merits([score], rules)
        faults = {"illegal": run.unusable} if run.unusable else {}
        if timed.failure is not None:
            kind = name_fault(timed.failure.kind)
            faults[kind] = faults.get(kind, 0) + 1
        said = run.failure or f"{run.unusable} answers contain no readable move"
        detail = f"turn {run.turns + 1}: {said}" if run.failure else said * bool(run.unusable)
        stay = Stay(score, merit, faults, detail, sum_up(timed.seconds))
        return Outcome((stay,), run.turns, "".join(record))

    def follow(self, record: str, field: Field, rules: GameRules) -> Replay:
        return follow_files(rules, (field.name, field.text), (RECORD, record))

    def rank(
        self, bots: int, tally: Tally, fields: int, measure: str, rules: GameRules
    ) -> list[StandingRow]:
        saved: dict[tuple[int, int], int] = {}
        for (bot, _, (number, _)), runs in tally.items():
            saved[bot, number] = saved.get((bot, number), 0) + runs
        scored: list[Row] = [(bot, number, runs) for (bot, number), runs in sorted(saved.items())]
        answer = rules.ask(_RANK, {"bot": [(bot,) for bot in range(bots)], "scored": scored})
        return answer.read(StandingRow)


ARENA = _Rabbits()
