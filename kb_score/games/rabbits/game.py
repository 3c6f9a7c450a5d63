"""The rabbits as a game: a match is one run, in which one bot moves all rabbits."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import click

from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.stepper import SavedGame, Stepper
from kb_score.engine.terms import Facts
from kb_score.errors import Fault, FormatError, InputError, visible
from kb_score.games.game import (
    MAP,
    Arena,
    BotProtocol,
    Case,
    Clock,
    File,
    Game,
    Judged,
    Legal,
    Match,
    MatchSetup,
    Option,
    Position,
    PositionSpace,
    Probe,
    Reason,
    ReasonNames,
    Scoring,
    Turn,
    Wording,
    find_turn,
    read_reason,
    refuse,
)
from kb_score.games.live import refuse_misuse
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.check import (
    KINDS,
    explain_record,
    follow_turns,
    list_warnings,
    read_files,
    state_after,
)
from kb_score.games.rabbits.records import (
    FACTS_OF,
    RECORD_FILE,
    Actions,
    Frame,
    RabbitsRun,
    RunTurn,
    Station,
    read_actions,
    read_answer,
    read_map,
    tidy_answer,
    write_answer,
    write_told,
)
from kb_score.games.record import check, expect_map_and_record, follow
from kb_score.games.referee import Played, Reporter
from kb_score.games.rulings import apply_rulings, write_rulings
from kb_score.games.schema import IllegalRow, ViolationRow
from kb_score.grammar import place_at
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit, Table, complain
from kb_score.shell.picture import Replay, TextBoard
from kb_score.shell.verdict import Verdict

_ROLL = r"\d+,\d+ +(?:movesto|crushes) +\d+,\d+"
_HOP = r"\d+,\d+\s+to\s+\d+,\d+"
_CRUSHERS = re.compile(rf"\s*(?:crusher\b)?\s*(?:{_ROLL}\s*;?\s*)*", re.ASCII)
_RABBITS = re.compile(rf"\s*(?:move\b)?\s*(?:{_HOP}\s*;?\s*)*", re.ASCII)
_EXPECTED = (
    'expected moves of rabbits, as in "move 3,4 to 3,5; 7,2 to 6,2", or actions of crushers, as in '
    '"crusher 3,4 movesto 3,5; 7,2 crushes 6,2"'
)
# The codes of violations by actions of crushers.
_CRUSHER_CODES = ("illegal-crusher", "false-crush", "missed-crush")
_NO_RUN = RabbitsRun(1, 0, (), None)


def is_readable(line: str, station: Station) -> bool:
    """Return whether an answer has a move, or says that no rabbit moves."""
    return line.strip() in ("", "move") or bool(read_answer(line, station))


def _find_end(pattern: re.Pattern[str], line: str) -> int:
    """Return how far a pattern matches the beginning of a line."""
    found = pattern.match(line)
    return found.end() if found else 0


@dataclass(frozen=True)
class RabbitsPosition:
    """A turn of a run.

    Attributes:
        rules: The rules.
        station: The map.
        turn: The number of the turn in all runs, from 1.
        state: The facts of the state before the turn.
        run: The run; its turns before this one count.
        own: The number of the turn in its run, from 1.
        told: The actions of the crushers, if the record has them.
        name: The record's name in messages.
    """

    rules: GameRules
    station: Station
    turn: int
    state: Facts
    run: RabbitsRun = _NO_RUN
    own: int = 1
    told: Actions | None = None
    name: str = ""

    @cached_property
    def answer(self) -> Answer:
        """The rules' answer about the turn."""
        return self._ask({})

    @property
    def over(self) -> str:
        ends = [row.turn for row in self.answer.read(asp.Over)]
        if not ends:
            return ""
        return f"the run is over after turn {self.turn - self.own + min(ends)}"

    def moves(self) -> Sequence[Legal]:
        """List the actions of each crusher, then the moves of each rabbit if these are known."""
        write = self.station.write_cell
        rolls = [(row.cell, row.verb, row.to) for row in self.answer.read(asp.MayRoll)]
        hops = [(row.cell, "to", row.to) for row in self.answer.read(asp.MayHop)]
        legal: list[Legal] = []
        for actions in (rolls, hops):
            actions.sort()
            for cell, some in groupby(actions, key=itemgetter(0)):
                who = write(cell)
                moves = []
                for _, verb, to in some:
                    place = write(to)
                    moves.append(f"{who} {verb} {place}")
                legal.append(Legal(who, tuple(moves)))
        return legal

    def judge(self, line: str) -> Judged:
        """Judge a line of moves of the rabbits, or of actions of the crushers."""
        crushers_end = _find_end(_CRUSHERS, line)
        rabbits_end = _find_end(_RABBITS, line)
        end = max(crushers_end, rabbits_end)
        if end < len(line) or not line.strip():
            raise FormatError(place_at(line, 1, end + 1, "--move"), _EXPECTED)
        if crushers_end == end and line.strip() != "move":
            actions = read_actions(line, self.station)
            return Judged(self.judge_crushers(actions))
        if not self.answer.read(asp.Decided):
            message = f"turn {self.turn}: what the crushers do is not there yet, so nobody knows"
            raise InputError(self.name, f"{message} which rabbits are left to move")
        requests = enumerate(read_answer(line, self.station))
        answer = self._ask(
            {
                "judging": [()],
                "request": [(number, *request, self.own) for number, request in requests],
            }
        )
        reasons: list[Reason] = []
        for row in sorted(answer.read(asp.Skipped)):
            cell = self.station.write_cell(row.cell)
            reasons.append(read_reason(row.code, cell, row.detail))
        return Judged(reasons)

    def judge_crushers(self, actions: Actions) -> list[Reason]:
        """Judge the actions of all crushers in a turn, by the rules of a check."""
        before = self.run.turns[: self.own - 1]
        left = before[-1].left - 1 if before else 1
        turn = RunTurn(left, actions, (), None)
        run = replace(self.run, turns=(*before, turn), score=None)
        own_turn = range(self.own, self.own + 1)
        facts = run.facts(own_turn, is_last=True)
        answer = self.rules.ask(asp.DERIVED, {**self.state, **facts})
        reasons = []
        for row in sorted(answer.read(ViolationRow)):
            if row.code in _CRUSHER_CODES:
                reason = read_reason(row.code, row.who, row.detail)
                reasons.append(reason)
        return reasons

    def _ask(self, more: Facts) -> Answer:
        """Ask the rules what is legal in the turn, with more facts."""
        turns = self.run.turns
        told = self.told or ()
        state = dict(self.state)
        state.pop("before", None)
        facts = {
            **state,
            "queried": [(self.own,)],
            "last_turn": [(turn.left,) for turn in turns[:1]],
            "closed": [] if self.run.score is None else [(len(turns),)],
            "informed": [] if self.told is None else [()],
            "went": [(cell, to, self.own) for cell, _, to in told],
            **more,
        }
        return self.rules.ask(asp.LEGAL, facts)


@dataclass(frozen=True)
class RabbitsLivePosition(RabbitsPosition):
    """A turn in which the crushers have moved; an answer may have other text beside its moves."""

    over: str = ""

    def judge(self, line: str) -> Judged:
        """Judge an answer: the moves that the controller would skip are illegal."""
        if not is_readable(line, self.station):
            example = "expected, for example, move 3,4 to 3,5; 7,2 to 6,2"
            return Judged([Reason("no readable move", example)])
        return super().judge(tidy_answer(line))


def find_position(rules: GameRules, turn: int | None, *files: File) -> RabbitsPosition:
    """Find the position in which a turn of a session begins."""
    rules = apply_rulings(rules, *files)
    mapped = read_files(rules, files)
    runs = mapped.record
    name, _ = files[-1]
    if not isinstance(runs, tuple):
        raise InputError(name, "what is legal can be told of a session, which shows all moves")
    played = sum(len(run.turns) for run in runs)
    if runs and runs[-1].turns[-1].requests is None and runs[-1].score is None:
        # The last turn waits for an answer.
        played -= 1
    turn = find_turn(turn, played, name)
    run, before = _find_run(runs, turn)
    own = turn - before
    state: Facts = {**mapped.station.facts(), "opens": [(1,)], "before": []}
    if own > 1:
        for answer in follow_turns(rules, run, range(1, own), state, is_last=True):
            state = state_after(answer, state)
            if answer.read(asp.BrokenOff):
                _refuse_crushers(name, answer, before)
    position = RabbitsPosition(rules, mapped.station, turn, state, run, own, name=name)
    if own > len(run.turns):
        return position
    told = run.turns[own - 1].actions
    codes = [reason.code for reason in position.judge_crushers(told)]
    if "illegal-crusher" in codes:
        return position  # nobody knows where the crushers went
    return replace(position, told=told)


def _find_run(runs: Sequence[RabbitsRun], turn: int) -> tuple[RabbitsRun, int]:
    """Return the run that a turn belongs to, or would, and the number of turns before the run."""
    before = 0
    for run in runs[:-1]:
        if turn <= before + len(run.turns):
            return run, before
        before += len(run.turns)
    return runs[-1] if runs else _NO_RUN, before


def _refuse_crushers(name: str, answer: Answer, before: int) -> None:
    """Raise an InputError if crushers break the rules, in a run with other turns before it."""
    for row in sorted(answer.read(ViolationRow)):
        if row.code in _CRUSHER_CODES:
            raise refuse(name, IllegalRow(*row)._replace(turn=before + row.turn))


# The seeds of runs where the given seed is 0.
_SEEDS = range(1, 1001)
# The parts of the rules with which a turn begins.
_BEGIN = ("turn", "derived")
_NO_NAME = "the bot is given the path of the map: name a file"


@dataclass(frozen=True, slots=True)
class _SavedRun:
    """What `RabbitsMatch.save` returns, with the state of the generator."""

    game: SavedGame
    drawn: tuple[Any, ...]
    turn: int
    saved: int
    unreadable: int
    shown: Frame


class RabbitsMatch(Match):
    """One run: a generator picks one of the options that the rules list.

    Attributes:
        finished: Whether the run is over.
        turn: The number of turns that were played.
        saved: The number of rabbits saved so far.
        unreadable: The number of answers without a readable move.
    """

    finished = False
    turn = 0
    saved = 0
    unreadable = 0

    def __init__(self, rules: GameRules, setup: MatchSetup, random: Random) -> None:
        """Place the crushers on a map; their headings are random."""
        ((name, text),) = setup.files
        self._rules = rules
        self._setup = setup
        self._random = random
        self._station = read_map(text, name)
        self._turns: int = setup.settings["turns"]
        self._told = ""
        self._shown = Frame((), ())
        base = self._station.facts()
        begin = rules.ask(asp.PLAY, {**base, "opens": [(1,)]}, parts=[(part, 1) for part in _BEGIN])
        headings = self._pick(begin.read(asp.FirstHeadingRow))
        placed: Facts = {
            "ends": [(cell, 0) for cell, _ in headings],
            "heading": [(cell, heading, 0) for cell, heading in headings],
        }
        self._live = Stepper(rules.program(asp.PLAY), {**base, **placed}, renewal=40)
        self._live.next_turn()
        self._live.play(_BEGIN)
        self._begin_turn()

    def tell(self) -> str:
        """Move the crushers in random order, once a turn, and return the text about it."""
        if self._told:
            return self._told
        live = self._live
        options = live.news(asp.OptionRow)
        picked = self._pick(options)
        order = [cell for cell, _ in picked]
        self._random.shuffle(order)
        numbered = list(enumerate(order))
        given = {"picked": picked, "order": numbered}
        live.play(["decide"], given)
        refuse_misuse(self._rules, live)
        actions = []
        went: dict[int, int] = {}
        for row in sorted(live.news(asp.ActionRow)):
            action = (row.cell, row.verb, row.to)
            actions.append(action)
            went[row.cell] = row.to
        # The moves are given as facts, so that they are not derived again.
        moved = list(went.items())
        live.play(["crush", "settled"], {"went": moved})
        standing = live.news(asp.Stands)
        rabbits = _cells(standing)
        left = self._turns - self.turn
        turn = RunTurn(left, tuple(actions), rabbits, ())
        self._told = write_told(turn, self._station)
        crushers = tuple(went.get(cell, cell) for cell in self._shown.crushers)
        self._shown = Frame(rabbits, crushers)
        return self._told

    def answer(self, line: str) -> Turn:
        """Carry out the moves that an answer asks for; after it the next turn begins."""
        self.tell()
        requests = enumerate(read_answer(line, self._station))
        facts: Facts = {"request": [(number, *request) for number, request in requests]}
        self._live.end_turn(["answer"], facts, _BEGIN)
        refuse_misuse(self._rules, self._live)
        self.turn += 1
        self.finished = self.turn >= self._turns
        self.saved += len(self._live.news(asp.Saved))
        self._begin_turn()
        record = f"{tidy_answer(line)}\n"
        if is_readable(line, self._station):
            return Turn(record)
        self.unreadable += 1
        return Turn(record, Fault("garbage", "gave no readable move"))

    def save(self) -> object:
        return _SavedRun(
            game=self._live.save(),
            drawn=self._random.getstate(),
            turn=self.turn,
            saved=self.saved,
            unreadable=self.unreadable,
            shown=self._shown,
        )

    def restore(self, saved: object) -> None:
        assert isinstance(saved, _SavedRun)
        self._random.setstate(saved.drawn)
        self.turn = saved.turn
        self.saved = saved.saved
        self.unreadable = saved.unreadable
        self.finished = self.turn >= self._turns
        self._told = ""
        self._shown = saved.shown
        self._live.restore(saved.game, _BEGIN)

    def _begin_turn(self) -> None:
        """Read where everybody is when a turn begins: rabbits have appeared."""
        rabbits = _cells(self._live.news(asp.Rabbit))
        crushers = _cells(self._live.news(asp.Crusher))
        self._shown = Frame(rabbits, crushers)
        self._told = ""

    def _pick(self, rows: Iterable[asp.FirstHeadingRow | asp.OptionRow]) -> list[tuple[int, int]]:
        """Pick a heading for each crusher, in the order of their cells."""
        picked: list[tuple[int, int]] = []
        for cell, options in groupby(sorted(rows), key=itemgetter(0)):
            headings = [option.heading for option in options]
            picked.append((cell, self._random.choice(headings)))
        return picked

    def position(self) -> Position:
        """Return the current position, in which the crushers have moved."""
        if not self.finished:
            self.tell()
        facts = self._station.facts()
        # Without crushers and starts, no other rabbits than those that remain come up.
        state = {name: facts[name] for name in ("size", "corridor", "exit")}
        state["remains"] = [(cell, 0) for cell in self._shown.rabbits]
        over = f"the run is over after turn {self.turn}" if self.finished else ""
        return RabbitsLivePosition(self._rules, self._station, self.turn + 1, state, over=over)

    def choose(self, random: Random) -> str:
        """Draw a move, or none, for each rabbit, and the order of the moves."""
        self.tell()
        self._live.play(["choices"])
        steps = sorted((row.cell, row.to) for row in self._live.news(asp.MayStep))
        moves = list[tuple[int, int]]()
        for cell, rows in groupby(steps, key=itemgetter(0)):
            chosen = random.choice([cell, *(to for _, to in rows)])
            if chosen != cell:
                moves.append((cell, chosen))
        random.shuffle(moves)
        return write_answer(moves, self._station)

    def picture(self) -> TextBoard:
        lines = self.frame().rstrip("\n").split("\n")
        return TextBoard(lines)

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, "runs": 1, "saved": self.saved, "finished": self.finished}

    def opening(self) -> str:
        setup = self._setup
        text = ""
        if setup.run == 1:
            text = write_rulings(self._rules)
        if setup.runs > 1:
            text += f"run {setup.run} seed {setup.seed}\n"
        return text

    def closing(self) -> str:
        return f"score {self.saved}\n"

    def blank(self) -> str:
        return ""

    def frame(self) -> str:
        return self._shown.write(self._station)

    def state(self) -> str:
        turn = f"turn {min(self.turn + 1, self._turns)} of {self._turns}"
        return f"run {self._setup.run}, {turn}, {self.saved} saved"


def _cells(rows: Iterable[asp.Rabbit | asp.Crusher | asp.Stands]) -> tuple[int, ...]:
    return tuple(sorted(row.cell for row in rows))


# The maps of the cases.
_MAPS = Path(__file__).parent / "maps"
_SEED = 7  # of the bot and of the generator
# Numbers of turns.
_LONG = 500
_SHORT = 30


def list_cases(rules: GameRules, *, map: str | None) -> Sequence[Case]:  # noqa: A002
    """List the odd cases of the protocol, on small maps or on one map."""
    from kb_score.games.verbs.bot import ask_turns, ask_twice, close_after

    if map == "-":
        raise InputError("--map", _NO_NAME)

    main = _MAPS / "hall.map" if map is None else map

    def make(
        name: str, shows: str, probe: Probe, path: str | Path = main, turns: int = _LONG
    ) -> Case:
        text = read_input(str(path), FACTS_OF)
        read_map(text, str(path))  # a mistake in the map is reported before a bot is started
        setup = MatchSetup(((str(path), text),), {"turns": turns}, _SEED)
        arguments = [str(path), str(_SEED)]

        def begin() -> Match:
            return RabbitsMatch(rules, setup, Random(_SEED))

        return Case(name, shows, probe, begin, arguments)

    guarded = _MAPS / "guarded.map"
    quiet = _MAPS / "quiet.map"
    no_rabbits = "there is no rabbit: the list of rabbits is empty"
    no_crushers = "there is no crusher: the list of crushers is empty"
    stuck = "a rabbit between walls, which cannot move"
    one_turn = "a run of one turn: the input is closed after it"
    closed = "the input is closed in the middle of a run"
    whole = ask_turns(_SHORT, whole=True)
    return [
        make("first-turn", "the first turn of a run", ask_turns()),
        make("middle", "the first 20 turns of a long run", ask_turns(20)),
        make("people-dead", no_rabbits, ask_turns(4), guarded),
        make("no-crushers", no_crushers, ask_turns(4), quiet),
        make("nothing-to-do", stuck, ask_turns(4), _MAPS / "cell.map"),
        make("full-board", "a rabbit on every cell", ask_turns(4), _MAPS / "crowd.map"),
        make("end-of-game", one_turn, close_after(), turns=1),
        make("input-closed", closed, close_after(5)),
        make("same-twice", "the first turns, twice with the same seed", ask_twice(5)),
        make("whole-game", "a short run, to its last turn", whole, turns=_SHORT),
    ]


class RabbitsReporter(Reporter):
    """Prints a row for each run, and the total score, as the challenge's controller does."""

    def __init__(self, game: Game, setup: MatchSetup, bots: Sequence[str], format_: str) -> None:
        super().__init__(game, setup, bots, format_)
        self._runs: list[dict[str, int]] = []
        self._finished = True

    def head(self) -> str:
        setup = self.setup
        ((path, _),) = setup.files
        (bot,) = self.bots
        numbers = f"{setup.settings['turns']} {setup.seed} {setup.runs}"
        words = ["Running: controller.py", path, numbers, *shlex.split(bot)]
        return visible(" ".join(words)) + "\n"

    def foot(self) -> str:
        return f"Total Score: {self._sum('saved')}\n"

    def _sum(self, key: str) -> int:
        """Return the sum of a number over the runs."""
        return sum(run[key] for run in self._runs)

    def end_match(self, setup: MatchSetup, match: Match, played: Played) -> None:
        """Print the row of a run, and notes on its bot."""
        assert isinstance(match, RabbitsMatch)
        self._finished &= match.finished
        number = setup.run
        counts = {"run": number, "seed": setup.seed, "saved": match.saved, "turns": match.turn}
        self._runs.append(counts)
        if played.problem:
            complain(f"run {number}, {played.problem}", kind="note")
        if match.unreadable:
            answers = f"{match.unreadable} of {match.turn} answers contain no readable move"
            example = "expected, for example: move 3,4 to 3,5; 7,2 to 6,2"
            complain(f"run {number}: {answers}; {example}", kind="note")
        if self.format_ == "table":
            if len(self._runs) == 1:
                click.echo(self.head(), nl=False)
                click.echo(_write_row("Run", "Seed", "Score"))
            click.echo(_write_row(number, setup.seed, match.saved))

    def end(self) -> Exit:
        if self.format_ == "table":
            click.echo(self.foot(), nl=False)
            return Exit.FINE
        saved = self._sum("saved")
        result = {
            "turns": self._sum("turns"),
            "runs": len(self._runs),
            "saved": saved,
            "finished": self._finished,
        }
        rows: list[tuple[int | str, ...]] = [
            (run["run"], run["seed"], run["saved"]) for run in self._runs
        ]
        footer_rows = 0
        if self.format_ != "csv":
            footer_rows = 1
            rows.append(("Total Score", "", saved))
        table = Table("", ("Run", "Seed", "Score"), tuple(rows), footer_rows)
        self.show(result, [table], self._runs)
        return Exit.FINE


def _write_row(run: int | str, seed: int | str, score: int | str) -> str:
    # The widths of the challenge's controller.
    return f"{run:>10} {seed:>20} {score:>10}"


class RabbitsBots(BotProtocol):
    """A bot is started with the path of the map and the seed; a late answer ends the run."""

    times = (
        Option("start_time", 2.0, "How long the bot may take to get ready.", 0, 3600, "SECONDS"),
        Option(
            "answer_time",
            0.5,
            "How long the bot may take for each answer; a late one ends the run.",
            0.001,
            3600,
            "SECONDS",
            "timeout",
        ),
    )
    case_options = (MAP,)

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        return Clock(times["answer_time"], start=times["start_time"])

    def list_arguments(self, setup: MatchSetup) -> Sequence[str]:
        """List the arguments of a bot's program: the path of the map, and the seed."""
        ((path, _),) = setup.files
        if path == "-":
            raise click.UsageError(_NO_NAME)
        return [path, str(setup.seed)]

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case]:
        return list_cases(rules, **options)


class RabbitsScoring(Scoring):
    """Bots are compared by the rabbits that they save."""

    figures = ("saved", "turns")
    metrics = ("saved",)


class RabbitsArena(Arena):
    """Runs of one player on a map, each with a seed."""

    bots = RabbitsBots()
    scoring = RabbitsScoring()
    maps = (FACTS_OF,)
    settings = (Option("turns", 500, "The turns of a run.", 1, 10**6),)
    seed = Option("seed", 0, "Seed of every run; 0: a new one from 1 to 1000 for each.", 0, 10**9)
    runs = Option("runs", 5, "How many runs are played.", 1, 10**6)
    run_log = "Write frames, as the controller does, to FILE."
    reporter = RabbitsReporter

    def new_match(self, rules: GameRules, setup: MatchSetup, random: Random) -> Match:
        return RabbitsMatch(rules, setup, random)

    def find_seed(self, seed: int) -> int:
        return seed or SystemRandom().choice(_SEEDS)


class Rabbits(Game):
    """Rabbits and crusher-bots: records are sessions, run logs and score tables on a map."""

    name = "rabbits"
    record = RECORD_FILE
    arena = RabbitsArena()
    maps = (FACTS_OF,)
    sample = "station.map session.txt"
    wording = Wording(
        actors="robot",
        separator="; ",
        move="'move 3,4 to 3,5; 7,2 to 6,2'",
        answer="the word move, and for each rabbit that moves its column and row, and the new "
        "ones: move 3,4 to 3,5; 7,2 to 6,2",
    )
    reasons = ReasonNames(
        check=("violation", "mistake", "result"),
        legal=("illegal", "permitted", "skipped", "may_roll", "may_hop"),
        move=("illegal", "permitted", "skipped", "may_roll", "may_hop"),
    )
    can_explain = True
    positions = PositionSpace(asp.POSITIONS, tuple(product(range(3, 8), range(3, 8))))

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
