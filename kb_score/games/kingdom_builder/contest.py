"""Contests of Kingdom Builder: two to five bots play the published game."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import ExitStack
from random import Random
from time import monotonic
from typing import TYPE_CHECKING

from kb_score.engine.run import Use
from kb_score.games.arena import RECORD, Arena, Form, MeritRow, Option, StandingRow
from kb_score.games.kingdom_builder.cards import GAME
from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.play.bots import BotPlayer
from kb_score.games.kingdom_builder.play.check import check_game
from kb_score.games.kingdom_builder.play.deal import Deck, choose_cards, deal_game, open_box
from kb_score.games.kingdom_builder.play.names import load_names
from kb_score.games.kingdom_builder.play.pictures import follow_game
from kb_score.games.kingdom_builder.play.referee import play_game
from kb_score.games.kingdom_builder.play.text import write_headings, write_line
from kb_score.games.kingdom_builder.rules import LIVE, TURNS, WinnerRow
from kb_score.games.sitting import Field, Outcome, Stay, name_fault, sum_up

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Row
    from kb_score.games.arena import Tally
    from kb_score.games.kingdom_builder.play.deal import Box
    from kb_score.games.kingdom_builder.play.game import Game, Part
    from kb_score.games.kingdom_builder.play.reader import Names
    from kb_score.games.kingdom_builder.play.referee import Played, Request
    from kb_score.games.sitting import Sitting
    from kb_score.shell.replay import Replay

_MERIT, _RANK = Use("uses/merit"), Use("uses/rank")


class _KingdomBuilder(Arena):
    form = Form(
        game=GAME,
        least=2,
        most=MAX_PLAYERS,
        field_key="boards",
        words={"cards": ""},
        limits={"timeout": Option(10.0, 0.001, 3600)},
        figures=("gold", "wins"),
        measures=("gold", "wins"),
        uses=(LIVE, TURNS, _MERIT, _RANK),
        has_luck=True,
    )

    def read_field(self, word: str, home: Path, rules: GameRules) -> Field:
        deal_game(open_box(rules), word.split(), self.form.least, Random(0))
        return Field(" ".join(word.split()), word)

    def prepare(self, sitting: Sitting, rules: GameRules) -> None:
        choose_cards(sitting.words["cards"], open_box(rules), load_names(rules))

    def play(self, sitting: Sitting, rules: GameRules) -> Outcome:
        names, box, random = load_names(rules), open_box(rules), Random(sitting.seed)
        game = _deal(sitting, box, names, random)
        desk = _Desk(write_headings(game, sitting.field.text.split(), rules.changes))
        with ExitStack() as stack:
            players = []
            for seat in sitting.seats:
                player = BotPlayer(
                    seat.words(), names, seat.limits["timeout"], seat.logs, folder=seat.folder
                )
                players.append(_Clock(stack.enter_context(player)))
            play_game(game, Deck(box.terrains, random), players, rules, desk.take)
        result = check_game("".join(desk.record), rules, name="live game").result
        desk.record.append("gold {}\n".format(" ".join(map(str, result["gold"]))))
        facts: list[Row] = [(seat, (gold,)) for seat, gold in enumerate(result["gold"])]
        answer = rules.ask(_MERIT, {"outcome": facts})
        merits = {row.seat: row.merit for row in answer.read(MeritRow)}
        winners = {row.player for row in answer.read(WinnerRow)}
        stays = [
            Stay(
                (gold, int(seat in winners)),
                merits[seat],
                dict(desk.faults[seat + 1]),
                desk.details.get(seat + 1, ""),
                sum_up(players[seat].seconds),
            )
            for seat, gold in enumerate(result["gold"])
        ]
        return Outcome(tuple(stays), int(result["turns"]), "".join(desk.record))

    def follow(self, record: str, field: Field, rules: GameRules) -> Replay:
        return follow_game(rules, (RECORD, record))

    def rank(
        self, bots: int, tally: Tally, fields: int, measure: str, rules: GameRules
    ) -> list[StandingRow]:
        merged = Counter[tuple[int, ...]]()
        for (bot, _, score), games in tally.items():
            merged[bot, *score] += games
        scored: list[Row] = [(*key, games) for key, games in sorted(merged.items())]
        by_wins: list[Row] = [()] if measure == "wins" else []
        known: list[Row] = [(bot,) for bot in range(bots)]
        facts = {"bot": known, "scored": scored, "by_wins": by_wins}
        return rules.ask(_RANK, facts).read(StandingRow)


def _deal(sitting: Sitting, box: Box, names: Names, random: Random) -> Game:
    cards = choose_cards(sitting.words["cards"], box, names)
    return deal_game(box, sitting.field.text.split(), len(sitting.seats), random, cards)


class _Clock:
    """A player whose answers are timed."""

    def __init__(self, player: BotPlayer) -> None:
        self._player = player
        self.seconds: list[float] = []

    def __call__(self, request: Request) -> Sequence[Part]:
        start = monotonic()
        try:
            return self._player(request)
        finally:
            self.seconds.append(monotonic() - start)


class _Desk:
    """Takes in the turns of a game: writes them down and counts faults."""

    def __init__(self, heading: str) -> None:
        self.record = [heading]
        self.faults: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self.details: dict[int, str] = {}

    def take(self, played: Played) -> None:
        self.record.append(write_line(played.player, played.line))
        if played.fault is not None:
            self.faults[played.player][name_fault(played.fault.kind)] += 1
            said = f"turn {played.position.turns}: it {played.fault}"
            self.details.setdefault(played.player, said)


ARENA = _KingdomBuilder()
