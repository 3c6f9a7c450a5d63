"""The verb ``play``: bots and people play a match, or a series of matches, and the rules judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from kb_score.arena.players import HUMAN, BotCommand, Person
from kb_score.arena.referee import Listener, Player, Reporter, referee
from kb_score.arena.watch import Show, open_watch
from kb_score.cli.check import read_maps
from kb_score.cli.command import make_game_verb, make_options, name_files, pop_options, take_files
from kb_score.cli.run import Run
from kb_score.errors import KbScoreError
from kb_score.games.game import Game, Match, MatchSetup
from kb_score.games.labels import NO_LABELS, Labels, names_option
from kb_score.games.rulings import write_rulings
from kb_score.shell.files import open_output
from kb_score.shell.options import bot_log_option, bounds_options
from kb_score.shell.output import Exit, complain, show_progress
from kb_score.shell.pages import check_libraries, save_replay
from kb_score.shell.shutdown import Ended
from kb_score.shell.target import Target

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.process import Bounds

Write = Callable[[str], object]
Follow = Callable[..., "Replay"]

_RECORD = "Write the session to FILE, which `kb-score check` accepts."


def make_play(game: Game) -> click.Command:
    """Make the verb of a game."""
    return make_game_verb("play", game, partial(_play, game), *_list_options(game))


def _play(
    game: Game,
    run: Run,
    bots: tuple[str, ...],
    command: tuple[str, ...] = (),
    persistent: tuple[int, ...] = (),
    seed: int = 0,
    runs: int = 1,
    run_log: str | None = None,
    *,
    record: str | None,
    replay: str | None,
    watch: bool,
    bot_log: Path | None,
    bounds: Bounds,
    labels: Labels = NO_LABELS,
    **given: Any,
) -> Exit:
    commands = [*bots, *_name_last(game, command)]
    _check_number(game, len(commands))
    labels.check_players(len(commands))
    paths = take_files(given, game.arena.maps)
    settings = pop_options(given, game.arena.settings)
    # What a bot cannot be given is told before anything is read.
    game.arena.bots.list_arguments(MatchSetup(tuple((path, "") for path in paths), settings, seed))
    files = read_maps(game, run.rules, paths, game.arena.maps)
    setup = MatchSetup(files, settings, seed, len(commands), runs=runs, names=labels.names)
    clock = game.arena.bots.make_clock(pop_options(given, game.arena.bots.times))
    alone = len(commands) == 1
    seats = [
        BotCommand(
            "--bot" if alone else f"player {seat}",
            text,
            clock,
            log=bot_log and bot_log / ("bot.log" if alone else f"player-{seat}.log"),
            persistent=seat in persistent,
            bounds=bounds,
        )
        for seat, text in enumerate(commands, 1)
    ]
    return _Series(game, run, setup, seats, record, replay, run_log, watch).play()


def _name_last(game: Game, command: tuple[str, ...]) -> Sequence[str]:
    # One word is for the shell in games whose bots are for it, as with --bot.
    whole = game.arena.bots.in_shell and len(command) == 1
    return command if whole or not command else [join(command)]


def _list_options(game: Game) -> Iterator[Any]:
    for name in name_files(game.arena.maps):
        yield click.argument(name, metavar=name.upper())
    most = game.arena.players[1]
    times = "; once for each player" if most > 1 else ""
    yield click.option(
        "--bot",
        "bots",
        multiple=True,
        metavar="COMMAND",
        help=f"A bot's command, or {HUMAN!r} for a person at the terminal{times}.",
    )
    yield click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
    if game.arena.bots.in_shell:
        yield click.option(
            "--persistent",
            type=click.IntRange(1, most),
            multiple=True,
            metavar="PLAYER",
            help="This player's bot runs for the whole game, and reads a line a turn. Repeatable.",
        )
    arena = game.arena
    series = [option for option in (arena.seed, arena.runs) if option is not None]
    yield from make_options([*arena.settings, *series, *arena.bots.times])
    if most > 1:
        yield names_option
    yield click.option("--record", metavar="FILE", help=_RECORD)
    yield click.option(
        "--replay", metavar="FILE", help="Write the game as a page to FILE: .html, or .gif."
    )
    yield click.option(
        "--watch", is_flag=True, help="Draw the game on the terminal while it is played."
    )
    yield bot_log_option
    yield bounds_options
    if game.arena.run_log:
        yield click.option("--run-log", metavar="FILE", help=game.arena.run_log)


def _check_number(game: Game, bots: int) -> None:
    least, most = game.arena.players
    if least <= bots <= most:
        return
    if most == 1:
        raise click.UsageError("one bot plays: name it by --bot COMMAND or -- COMMAND...")
    number = f"{least}" if least == most else f"{least} to {most}"
    raise click.UsageError(f"{number} bots play: give --bot for each, not {bots} times")


@dataclass(frozen=True, slots=True)
class _Series:
    """Matches that are to be played one after another."""

    game: Game
    run: Run
    setup: MatchSetup
    bots: Sequence[BotCommand]
    record: str | None  # the file for the session, if there is one
    replay: str | None  # the file for the page that plays the game, if there is one
    run_log: str | None  # the file for the frames, if there is one
    watch: bool  # whether the game is drawn on the terminal

    def play(self) -> Exit:
        """Play all matches, and print their outcomes."""
        game = self.game
        setup = self.setup
        rules = self.run.rules
        # What is wrong with the rules, or with a map, is told before a bot is looked for.
        first = self.begin(1)
        for bot in self.bots:
            if bot.command != HUMAN:
                bot.check(game)
        commands = [bot.command for bot in self.bots]
        reporter = (game.arena.reporter or Reporter)(game, setup, commands, self.run.format)
        follow = self.make_follow()
        inputs = [path for path, _ in setup.files]
        inputs += [word for bot in self.bots for word in bot.command.split()]
        inputs += rules.changes.paths
        written = filter(None, (self.record, self.replay))
        blank = first[1].blank()
        with (
            self.open_session(follow, inputs) as write,
            open_output(self.run_log, [*inputs, *written]) as frames,
            self.open_watch(follow, blank) as show,
        ):
            log = frames if self.run_log is not None else None
            listener = Listener(write, log, show, reporter.warn)
            frames(f"{write_rulings(rules)}{reporter.head()}")
            for number in range(1, setup.runs + 1):
                now, match = first if number == 1 else self.begin(number)
                seats = [self.seat(seat, now, match) for seat in range(len(self.bots))]
                with ExitStack() as stack:
                    players = [*map(stack.enter_context, seats)]
                    most = setup.settings.get("most_turns")
                    played = referee(game, match, players, most, listener)
                show_progress("")
                reporter.end_match(now, match, played)
                self.hint_at_check(players)
                if played.left:
                    break
            frames(reporter.foot())
        return reporter.end()

    @contextmanager
    def open_session(self, follow: Follow, inputs: Sequence[str]) -> Iterator[Write]:
        """Yield a function that takes the session piece by piece; the page is written at the end.

        Of a game that a signal ends there is a page if that can be made of it in time.
        """
        pieces: list[str] = []

        def save() -> None:
            if self.replay is not None:
                session = self.record or "live game", "".join(pieces)
                save_replay(follow(session), page)

        page = Target(self.replay, [*inputs, *filter(None, [self.record])], force=True)
        page.check((".html", ".gif"))
        check_libraries(page)
        with open_output(self.record, inputs) as write:

            def keep(text: str) -> None:
                write(text)
                if self.replay is not None:
                    pieces.append(text)

            try:
                yield keep
            except Ended:
                with suppress(KbScoreError):
                    save()
                raise
        save()

    def open_watch(self, follow: Follow, blank: str) -> AbstractContextManager[Show]:
        """Open what shows the match; to a person it is drawn anyway."""
        if self.watch:
            return open_watch(follow(*([("", blank)] if blank else [])).looks)
        if any(bot.command == HUMAN for bot in self.bots):
            click.echo("? lists what is legal, help tells more, quit ends the game", err=True)
            return nullcontext(lambda _title, _board: None)
        return nullcontext(lambda title, _: show_progress(title))

    def make_follow(self) -> Follow:
        """Make the function that draws a record of the matches, or their map alone."""
        maps = self.setup.files if self.game.maps else ()

        def follow(*record: tuple[str, str]) -> Replay:
            return self.game.replay(self.run.rules, [*maps, *record])

        return follow

    def begin(self, run: int) -> tuple[MatchSetup, Match]:
        """Set up a match."""
        setup = replace(self.setup, run=run, seed=self.game.arena.find_seed(self.setup.seed))
        return setup, self.game.arena.new_match(self.run.rules, setup, Random(setup.seed))

    def hint_at_check(self, players: Sequence[Player]) -> None:
        """Print a hint if a bot seems to have printed a whole plan."""
        for player in players if self.game.arena.bots.plan else ():
            if player.ahead:
                lines = "1 more line" if player.ahead == 1 else f"{player.ahead} more lines"
                command = f"kb-score check {self.game.title} {self.game.arena.bots.plan}"
                complain(
                    f"{player.who} printed {lines} before it was asked for a second answer: "
                    f"if that is a whole plan, judge it with {command}",
                    kind="note",
                )

    def seat(self, seat: int, setup: MatchSetup, match: Match) -> Player:
        """Make the player of a seat, from 0."""
        bot = self.bots[seat]
        if bot.command == HUMAN:
            blank = match.blank()
            follow = partial(self.make_follow(), *([("", blank)] if blank else []))
            return Person(match, self.game, seat + 1, Labels(names=setup.names).put, follow)
        return bot.open(self.game, self.game.arena.bots.list_arguments(setup))
