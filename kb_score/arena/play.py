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
from kb_score.arena.referee import Listener, Player, find_reporter, referee
from kb_score.arena.watch import Show, open_watch
from kb_score.cli.check import read_maps
from kb_score.cli.command import make_game_verb, make_options, name_files, pop_options, take_files
from kb_score.cli.run import Run, force_option
from kb_score.errors import KbScoreError, write_count
from kb_score.games.game import Game
from kb_score.games.labels import NO_LABELS, Labels, names_option
from kb_score.games.match import Match, MatchSetup
from kb_score.games.rulings import write_rulings
from kb_score.shell.files import open_output
from kb_score.shell.options import WholeNumber, bot_log_option, bounds_options
from kb_score.shell.output import Exit, complain, show_progress
from kb_score.shell.pages import check_libraries, save_replay
from kb_score.shell.shutdown import Ended
from kb_score.shell.target import Target

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.process import Bounds

# Writes a piece of the session.
Write = Callable[[str], object]
# Makes a replay of a session, or of the map alone.
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
    force: bool,
    bot_log: Path | None,
    bounds: Bounds,
    labels: Labels = NO_LABELS,
    **given: Any,
) -> Exit:
    """Play the matches of a command, and return its exit status."""
    commands = [*bots, *_list_last(game, command)]
    count = len(commands)
    _check_number(game, count)
    labels.check_players(count)
    paths = take_files(given, game.match_maps)
    settings = pop_options(given, game.settings)
    # An argument that cannot be passed to a bot is reported before a file is read.
    unread = tuple((path, "") for path in paths)
    game.list_arguments(MatchSetup(unread, settings, seed))
    files = read_maps(game, run.rules, paths, game.match_maps)
    setup = MatchSetup(files, settings, seed, count, runs=runs, names=labels.names)
    times = pop_options(given, game.times)
    clock = game.make_clock(times)
    seats = []
    for seat, text in enumerate(commands, 1):
        name = f"player {seat}"
        file_name = f"player-{seat}.log"
        if count == 1:
            name = "--bot"
            file_name = "bot.log"
        bot = BotCommand(
            name=name,
            command=text,
            clock=clock,
            log=bot_log and bot_log / file_name,
            persistent=seat in persistent,
            bounds=bounds,
        )
        seats.append(bot)
    series = _Series(
        game=game,
        run=run,
        setup=setup,
        bots=seats,
        record=record,
        replay=replay,
        run_log=run_log,
        watch=watch,
        force=force,
    )
    return series.play()


def _list_last(game: Game, command: tuple[str, ...]) -> Sequence[str]:
    """Return the command after ``--`` as that of the last bot; none if there is no such command."""
    if not command:
        return ()
    # If the game runs bots in a shell, a single word is passed to it as it is, as with --bot.
    if game.play.shell and len(command) == 1:
        return command
    return [join(command)]


def _list_options(game: Game) -> Iterator[Any]:
    """Yield the arguments and options of the verb."""
    for name in name_files(game.match_maps):
        yield click.argument(name, metavar=name.upper())
    _, most = game.players
    times = ""
    if most > 1:
        times = "; once for each player"
    yield click.option(
        "--bot",
        "bots",
        multiple=True,
        metavar="COMMAND",
        help=f"A bot's command, or {HUMAN!r} for a person at the terminal{times}.",
    )
    yield click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
    if game.play.shell:
        yield click.option(
            "--persistent",
            type=WholeNumber(1, most),
            multiple=True,
            metavar="PLAYER",
            help="This player's bot runs for the whole game, and reads one line per turn. "
            "Repeatable.",
        )
    series = [option for option in (game.seed, game.runs) if option is not None]
    yield from make_options([*game.settings, *series, *game.times])
    if most > 1:
        yield names_option
    yield click.option("--record", metavar="FILE", help=_RECORD)
    yield click.option(
        "--replay",
        metavar="FILE",
        help="Write a replay of the game to FILE: an .html page, or a .gif animation.",
    )
    yield click.option(
        "--watch", is_flag=True, help="Draw the game in the terminal while it is played."
    )
    yield bot_log_option
    yield bounds_options
    if game.play.run_log:
        yield click.option("--run-log", metavar="FILE", help=game.play.run_log)
    yield force_option


def _check_number(game: Game, bots: int) -> None:
    """Check that the game can be played with a number of bots."""
    least, most = game.players
    if least <= bots <= most:
        return
    if most == 1:
        raise click.UsageError("this game has one bot: name it with --bot COMMAND or -- COMMAND...")
    number = f"{least} to {most}"
    if least == most:
        number = str(least)
    raise click.UsageError(f"expected {number} bots, not {bots}: give --bot once for each")


@dataclass(frozen=True, slots=True)
class _Series:
    """Matches that are played one after another."""

    game: Game
    run: Run
    setup: MatchSetup
    bots: Sequence[BotCommand]
    record: str | None  # the file for the session, if there is one
    replay: str | None  # the file for the page or animation of the game, if there is one
    run_log: str | None  # the file for the frames, if there is one
    watch: bool  # whether the game is drawn on the terminal
    force: bool  # whether existing files are replaced, whatever they contain

    def play(self) -> Exit:
        """Play all matches, and print their outcomes."""
        game = self.game
        setup = self.setup
        rules = self.run.rules
        # Mistakes in the rules or in a map are reported before a bot is looked for.
        first = self.begin(1)
        unreadable: KbScoreError | None = None
        commands = []
        inputs = [path for path, _ in setup.files]
        for bot in self.bots:
            command = bot.command
            if command != HUMAN:
                bot.check(game)
            commands.append(command)
            inputs += command.split()
        inputs += rules.changes.paths
        reporter = find_reporter(game)(game, setup, commands, self.run.format)
        follow = self.make_follow()
        written = filter(None, (self.record, self.replay))
        _, first_match = first
        blank = first_match.blank()
        with (
            self.open_session(follow, blank, inputs) as write,
            open_output(self.run_log, [*inputs, *written], force=self.force) as frames,
            self.open_watch(follow, blank) as show,
        ):
            log = frames if self.run_log is not None else None
            listener = Listener(write, log, show, reporter.warn)
            frames(write_rulings(rules) + reporter.head())
            for number in range(1, setup.runs + 1):
                own_setup, match = first if number == 1 else self.begin(number)
                with ExitStack() as stack, self.explain_end(match):
                    players = []
                    for seat in range(len(self.bots)):
                        player = self.seat(seat, own_setup, match)
                        players.append(player)
                    for player in players:
                        stack.enter_context(player)
                    most = setup.settings.get("most_turns")
                    played = referee(game, match, players, most, listener)
                show_progress("")
                reporter.end_match(own_setup, match, played)
                if self.record:
                    try:
                        match.check_record(played.pieces)
                    except KbScoreError as error:
                        unreadable = error
                self.hint_at_check(players)
                if played.left:
                    break
            frames(reporter.foot())
        status = reporter.end()
        if unreadable is not None:
            raise unreadable
        return status

    @contextmanager
    def open_session(self, follow: Follow, blank: str, inputs: Sequence[str]) -> Iterator[Write]:
        """Yield a function that writes the session piece by piece; at the end write the page.

        If a signal ends the game, a page is written if it can be made in time.
        """
        pieces: list[str] = []

        def save() -> None:
            if self.replay is not None:
                name = self.record or "live game"
                session = (name, "".join(pieces))
                save_replay(follow(session), page)

        others = [*inputs]
        if self.record:
            others.append(self.record)
        page = Target(self.replay, others, self.force)
        page.check((".html", ".gif"))
        check_libraries(page)
        if self.replay is not None:
            _follow_blank(follow, blank)  # a game without pictures is refused before it is played
        with open_output(self.record, inputs, force=self.force) as write:

            def write_piece(text: str) -> None:
                write(text)
                if self.replay is not None:
                    pieces.append(text)

            try:
                yield write_piece
            except Ended:
                with suppress(KbScoreError):
                    save()
                raise
        save()

    @contextmanager
    def explain_end(self, match: Match) -> Iterator[None]:
        """If a signal ends a match, print how far it got, and where its record is."""
        try:
            yield
        except Ended:
            show_progress("")
            kept = ""
            if self.record not in (None, "-"):
                kept = f"; {self.record} has what was played"
            complain(f"interrupted after {write_count(match.turn, 'turn')}{kept}")
            raise

    def open_watch(self, follow: Follow, blank: str) -> AbstractContextManager[Show]:
        """Return a context that yields a function which shows the state of a match.

        ``blank`` is the text of the match before its first turn.
        """
        if self.watch:
            replay = _follow_blank(follow, blank)
            return open_watch(replay.looks)
        if any(bot.command == HUMAN for bot in self.bots):
            # The position is drawn whenever a person has to answer.
            click.echo("? lists the legal moves, help shows more, and quit ends the game", err=True)
            return nullcontext(lambda _title, _board: None)
        return nullcontext(lambda title, _: show_progress(title))

    def make_follow(self) -> Follow:
        """Return a function that makes a replay of a record, or of the map alone."""
        maps = self.setup.files if self.game.maps else ()

        def follow(*record: tuple[str, str]) -> Replay:
            return self.game.replay(self.run.rules, [*maps, *record])

        return follow

    def begin(self, run: int) -> tuple[MatchSetup, Match]:
        """Set up a match, by its number from 1."""
        game = self.game
        seed = game.find_seed(self.setup.seed)
        setup = replace(self.setup, run=run, seed=seed)
        match = game.new_match(self.run.rules, setup, Random(seed))
        return setup, match

    def hint_at_check(self, players: Sequence[Player]) -> None:
        """Print a hint if a bot seems to have printed a whole plan."""
        game = self.game
        plan = game.plan
        if not plan:
            return
        for player in players:
            ahead = player.ahead
            if ahead == 0:
                continue
            lines = f"{ahead} more lines"
            if ahead == 1:
                lines = "1 more line"
            command = f"kb-score check {game.title} {plan}"
            complain(
                f"{player.who} printed {lines} before it was asked for a second answer: "
                f"if that is a whole plan, judge it with {command}",
                kind="note",
            )

    def seat(self, seat: int, setup: MatchSetup, match: Match) -> Player:
        """Return the player of a seat, from 0."""
        game = self.game
        bot = self.bots[seat]
        if bot.command != HUMAN:
            arguments = game.list_arguments(setup)
            return bot.open(game, arguments)
        follow = partial(_follow_blank, self.make_follow(), match.blank())
        labels = Labels(names=setup.names)
        return Person(match, game, seat + 1, labels.put, follow)


def _follow_blank(follow: Follow, blank: str) -> Replay:
    """Return the replay of a match before its first turn, or of its map if there is no text."""
    if blank:
        return follow(("", blank))
    return follow()
