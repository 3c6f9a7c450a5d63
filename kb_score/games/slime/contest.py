"""Contests of Slime: four bots on one board."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kb_score.games.arena import MERIT, RECORD, Arena, Form, Option, StandingRow
from kb_score.games.sitting import Outcome, Stay, sum_up
from kb_score.games.slime.bots import BotSpec, Patience
from kb_score.games.slime.check import follow_files
from kb_score.games.slime.play import play_game, start_game
from kb_score.games.slime.records import MAX_SIZE, MIN_SIZE
from kb_score.games.slime.rules import PLAY, PLAYERS, RANK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row
    from kb_score.games.arena import Tally
    from kb_score.games.sitting import Field, Seat, Sitting
    from kb_score.games.slime.bots import Reply
    from kb_score.games.slime.play import State
    from kb_score.shell.replay import Replay

# Slime's own word for an answer that is none.
_FAULTS = {"garbage": "illegal"}


class _Slime(Arena):
    form = Form(
        game="slime",
        least=len(PLAYERS),
        most=len(PLAYERS),
        settings={"size": Option(8, MIN_SIZE, MAX_SIZE)},
        limits={
            "timeout": Option(0.1, 0.001, 3600),
            "grace": Option(5.0, 1, 1000),
            "kill": Option(2.0, 0.001, 3600),
        },
        figures=("squares",),
        measures=("squares",),
        uses=(PLAY, RANK, MERIT),
        in_shell=True,
    )

    def prepare(self, sitting: Sitting, rules: GameRules) -> None:
        start_game(int(sitting.settings["size"]), rules)

    def play(self, sitting: Sitting, rules: GameRules) -> Outcome:
        record: list[str] = []
        details: dict[int, str] = {}
        seconds: defaultdict[int, list[float]] = defaultdict(list)

        def witness(line: str, reply: Reply, state: State) -> None:
            record.append(f"{line}\n{reply.answer}\n")
            seconds[int(line[0])].append(reply.seconds)
            if reply.problem:
                details.setdefault(int(line[0]), f"turn {state.turn}: it {reply.detail}")

        bots = list(map(_make_bot, sitting.seats))
        size = int(sitting.settings["size"])
        played = play_game(bots, size, Patience(), rules, witness)
        squares = played.state.squares
        merits = self.find_merits([(n,) for n in squares], rules)
        stays = []
        for seat, merit in zip(PLAYERS, merits, strict=True):
            faults = {
                _FAULTS.get(kind, kind): number
                for (player, kind), number in sorted(played.problems.items())
                if player == seat
            }
            detail, took = details.get(seat, ""), sum_up(seconds[seat])
            stays.append(Stay((squares[seat - 1],), merit, faults, detail, took))
        record.append(" ".join(map(str, squares)) + "\n")
        return Outcome(tuple(stays), played.state.turn, "".join(record))

    def follow(self, record: str, field: Field, rules: GameRules) -> Replay:
        return follow_files(rules, (RECORD, record))

    def rank(
        self, bots: int, tally: Tally, fields: int, measure: str, rules: GameRules
    ) -> list[StandingRow]:
        scored: list[Row] = [(bot, n, games) for (bot, _, (n,)), games in sorted(tally.items())]
        answer = rules.ask(RANK, {"bot": [(bot,) for bot in range(bots)], "scored": scored})
        return answer.read(StandingRow)


def _make_bot(seat: Seat) -> BotSpec:
    limits: Mapping[str, float] = seat.limits
    patience = Patience(limits["timeout"], limits["grace"], limits["kill"])
    log = seat.logs / "bot.log"
    return BotSpec(seat.name, seat.command, seat.folder, log, patience, seat.persistent)


ARENA = _Slime()
