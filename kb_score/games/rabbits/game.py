"""The rabbits as a game: a match is one run, in which one bot moves all rabbits."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import click

from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.stepper import Stepper
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
    check_files,
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
from kb_score.games.record import check, follow
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
# What is wrong with actions of crushers, apart from the rest of a turn.
_OF_CRUSHERS = ("illegal-crusher", "false-crush", "missed-crush")
_NO_RUN = RabbitsRun(1, 0, (), None)


def is_readable(line: str, station: Station) -> bool:
    """Whether an answer has a move, or says that no rabbit is to move."""
    return line.strip() in ("", "move") or bool(read_answer(line, station))


@dataclass(frozen=True)
class RabbitsPosition:
    """A turn of a run, with what happened before it."""

    rules: GameRules
    station: Station
    turn: int  # counted through all runs
    state: Facts  # the facts of the state before the turn
    run: RabbitsRun = _NO_RUN  # its turns before this one count
    own: int = 1  # the turn in its run, from 1
    told: Actions | None = None  # what the crushers do, if the record says it
    name: str = ""  # what errors call the record

    @cached_property
    def answer(self) -> Answer:
        """What the rules say of the turn."""
        return self._ask({})

    @property
    def over(self) -> str:
        ends = sorted(row.turn for row in self.answer.read(asp.Over))
        return f"the run is over after turn {self.turn - self.own + ends[0]}" if ends else ""

    def moves(self) -> Sequence[Legal]:
        """List what each crusher may do, then what each rabbit may do if that is known."""
        say, answer = self.station.say, self.answer
        rolls, hops = sorted(answer.read(asp.MayRoll)), sorted(answer.read(asp.MayHop))
        moves = [
            *(("crusher", r.cell, f"{say(r.cell)} {r.verb} {say(r.to)}") for r in rolls),
            *(("rabbit", h.cell, f"{say(h.cell)} to {say(h.to)}") for h in hops),
        ]
        return [
            Legal(say(cell), tuple(move for _, _, move in some))
            for (_, cell), some in groupby(moves, key=itemgetter(0, 1))
        ]

    def judge(self, line: str) -> Judged:
        """Judge a line of moves of the rabbits, or of actions of the crushers."""
        found = max(filter(None, (_CRUSHERS.match(line), _RABBITS.match(line))), key=re.Match.end)
        if found.end() < len(line) or not line.strip():
            raise FormatError(place_at(line, 1, found.end() + 1, "--move"), _EXPECTED)
        if found.re is _CRUSHERS and line.strip() != "move":
            return Judged(self.judge_crushers(read_actions(line, self.station)))
        if not self.answer.read(asp.Decided):
            message = f"turn {self.turn}: what the crushers do is not there yet, so nobody knows"
            raise InputError(self.name, f"{message} which rabbits are left to move")
        requests = enumerate(read_answer(line, self.station))
        given: Facts = {
            "judging": [()],
            "request": [(n, *request, self.own) for n, request in requests],
        }
        rows, say = sorted(self._ask(given).read(asp.Skipped)), self.station.say
        return Judged([read_reason(row.code, say(row.cell), row.detail) for row in rows])

    def judge_crushers(self, actions: Actions) -> list[Reason]:
        """Judge what all crushers are said to do, by the rules of a check."""
        before = self.run.turns[: self.own - 1]
        left = before[-1].left - 1 if before else 1
        run = replace(self.run, turns=(*before, RunTurn(left, actions, (), None)), score=None)
        facts = run.facts(range(self.own, self.own + 1), is_last=True)
        found = self.rules.ask(asp.DERIVED, {**self.state, **facts}).read(ViolationRow)
        rows = sorted(row for row in found if row.code in _OF_CRUSHERS)
        return [read_reason(row.code, row.who, row.detail) for row in rows]

    def _ask(self, more: Facts) -> Answer:
        turns = self.run.turns
        facts = {
            **{key: rows for key, rows in self.state.items() if key != "before"},
            "queried": [(self.own,)],
            "last_turn": [(turn.left,) for turn in turns[:1]],
            "closed": [(len(turns),)] if self.run.score is not None else [],
            "informed": [] if self.told is None else [()],
            "went": [(cell, to, self.own) for cell, _, to in self.told or ()],
            **more,
        }
        return self.rules.ask(asp.LEGAL, facts)


@dataclass(frozen=True)
class RabbitsLivePosition(RabbitsPosition):
    """A turn in which the crushers have moved; a bot may print what it likes beside its moves."""

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
    station = mapped.station
    runs = mapped.record
    name, _ = files[-1]
    if not isinstance(runs, tuple):
        raise InputError(name, "what is legal can be told of a session, which shows all moves")
    last = runs[-1] if runs else _NO_RUN
    waits = bool(last.turns) and last.turns[-1].requests is None and last.score is None
    turn = find_turn(turn, sum(len(run.turns) for run in runs) - waits, name)
    run, before = last, sum(len(run.turns) for run in runs[:-1])
    for earlier_run in reversed(runs[:-1]):
        if turn <= before:
            run, before = earlier_run, before - len(earlier_run.turns)
    own = turn - before
    state: Facts = {**station.facts(), "opens": [(1,)], "before": []}
    earlier = range(1, own)
    for answer in follow_turns(rules, run, earlier, state, is_last=True) if earlier else ():
        state = state_after(answer, state)
        for row in sorted(answer.read(ViolationRow)) if answer.read(asp.BrokenOff) else ():
            if row.code in _OF_CRUSHERS:
                raise refuse(name, IllegalRow(*row)._replace(turn=before + row.turn))
    position = RabbitsPosition(rules, station, turn, state, run, own, name=name)
    if own > len(run.turns):
        return position
    told = run.turns[own - 1].actions
    if any(reason.code == "illegal-crusher" for reason in position.judge_crushers(told)):
        return position  # where they went nobody knows
    return replace(position, told=told)


# With seed 0 each run has a new seed, of these.
_SEEDS = range(1, 1001)
# The parts of the rules with which a turn begins.
_BEGIN = ("turn", "derived")
_NO_NAME = "the bot is given the path of the map: name a file"


class RabbitsMatch(Match):
    """One run: the rules name the options, a generator picks."""

    finished = False
    turn = saved = 0  # the turns that were played, and the rabbits saved so far
    unreadable = 0  # how many answers say something, but nothing of a move

    def __init__(self, rules: GameRules, setup: MatchSetup, random: Random) -> None:
        """Place the crushers on a map; their headings are random."""
        ((name, text),) = setup.files
        self._rules, self._setup, self._random = rules, setup, random
        self._station = read_map(text, name)
        self._turns: int = setup.settings["turns"]
        self._told, self._shown = "", Frame((), ())
        base = self._station.facts()
        begin = rules.ask(asp.PLAY, {**base, "opens": [(1,)]}, parts=[(part, 1) for part in _BEGIN])
        headings = self._pick(begin.read(asp.Faces))
        placed: Facts = {
            "ends": [(cell, 0) for cell, _ in headings],
            "keeps": [(cell, heading, 0) for cell, heading in headings],
        }
        self._live = Stepper(rules.program(asp.PLAY), {**base, **placed}, renewal=40)
        self._live.next_turn()
        self._live.play(_BEGIN)
        self._take_in()

    def tell(self) -> str:
        """Let the crushers move in random order, once a turn, and write what they did."""
        if self._told:
            return self._told
        picked = self._pick(self._live.news(asp.OptionRow))
        order = [cell for cell, _ in picked]
        self._random.shuffle(order)
        self._live.play(["decide"], {"picked": picked, "order": list(enumerate(order))})
        refuse_misuse(self._rules, self._live)
        actions = tuple((a.cell, a.verb, a.to) for a in sorted(self._live.news(asp.ActionRow)))
        went = {cell: to for cell, _, to in actions}
        # What has come of it goes in as a fact: what is settled once need not be solved again.
        self._live.play(["crush", "settled"], {"went": list(went.items())})
        rabbits = _cells(self._live.news(asp.Stands))
        left = self._turns - self.turn
        self._told = write_told(RunTurn(left, actions, rabbits, ()), self._station)
        self._shown = Frame(rabbits, tuple(went.get(cell, cell) for cell in self._shown.crushers))
        return self._told

    def answer(self, line: str) -> Turn:
        """Carry out the moves that an answer asks for; after it the next turn begins."""
        self.tell()
        requests = enumerate(read_answer(line, self._station))
        self._live.end_turn(["answer"], {"request": [(n, *r) for n, r in requests]}, _BEGIN)
        refuse_misuse(self._rules, self._live)
        self.turn += 1
        self.finished = self.turn >= self._turns
        self.saved += len(self._live.news(asp.Saved))
        self._take_in()
        record = f"{tidy_answer(line)}\n"
        if is_readable(line, self._station):
            return Turn(record)
        self.unreadable += 1
        return Turn(record, Fault("garbage", "gave no readable move"))

    def _take_in(self) -> None:
        """Take in who is where when a turn begins: rabbits have appeared."""
        rabbits, crushers = self._live.news(asp.Rabbit), self._live.news(asp.Crusher)
        self._shown, self._told = Frame(_cells(rabbits), _cells(crushers)), ""

    def _pick(self, rows: Iterable[asp.Faces | asp.OptionRow]) -> list[tuple[int, int]]:
        """Pick a heading for each crusher, in the order of their cells."""
        return [
            (cell, self._random.choice([row.heading for row in some]))
            for cell, some in groupby(sorted(rows), key=itemgetter(0))
        ]

    def position(self) -> Position:
        """Give the position as it is now, in which the crushers have moved."""
        if not self.finished:
            self.tell()
        facts = self._station.facts()
        # Without crushers and starts the rabbits that remain are all there are.
        state = {name: facts[name] for name in ("size", "corridor", "exit")}
        state["remains"] = [(cell, 0) for cell in self._shown.rabbits]
        over = f"the run is over after turn {self.turn}" if self.finished else ""
        return RabbitsLivePosition(self._rules, self._station, self.turn + 1, state, over=over)

    def choose(self, random: Random) -> str:
        """Draw a move, or none, for each rabbit, and the order of the moves."""
        self.tell()
        self._live.play(["choices"])
        steps = sorted((row.cell, row.to) for row in self._live.news(asp.MayStep))
        chosen = [
            (cell, random.choice([cell, *(to for _, to in some)]))
            for cell, some in groupby(steps, key=itemgetter(0))
        ]
        moves = [(cell, to) for cell, to in chosen if cell != to]
        random.shuffle(moves)
        return write_answer(moves, self._station)

    def picture(self) -> TextBoard:
        return TextBoard(self.frame().rstrip("\n").split("\n"))

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, "runs": 1, "saved": self.saved, "finished": self.finished}

    def opening(self) -> str:
        setup = self._setup
        rulings = write_rulings(self._rules) if setup.run == 1 else ""
        heading = f"run {setup.run} seed {setup.seed}\n" if setup.runs > 1 else ""
        return f"{rulings}{heading}"

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


def list_arguments(setup: MatchSetup) -> list[str]:
    """List what is added to a bot's command: the path of the map, and the seed."""
    ((path, _),) = setup.files
    if path == "-":
        raise click.UsageError(_NO_NAME)
    return [path, str(setup.seed)]


# The maps of the cases.
_MAPS = Path(__file__).parent / "maps"
_SEED = 7  # a seed of the challenge's range, which bot and generator are given
_LONG, _SHORT = 500, 30  # turns of a run


def list_cases(rules: GameRules, *, map: str | None) -> Sequence[Case]:  # noqa: A002
    """List the odd cases of the protocol, on small maps or on one map."""
    from kb_score.games.verbs.bot import ask_turns, ask_twice, close_after

    if map == "-":
        raise InputError("--map", _NO_NAME)

    main = str(_MAPS / "hall.map") if map is None else map

    def make(name: str, shows: str, probe: Probe, path: str = main, turns: int = _LONG) -> Case:
        text = read_input(path, FACTS_OF)
        read_map(text, path)  # What is wrong with it is told before a bot is started.
        setup = MatchSetup(((path, text),), {"turns": turns}, _SEED)
        arguments = list_arguments(setup)
        return Case(
            name, shows, probe, lambda: RabbitsMatch(rules, setup, Random(_SEED)), arguments
        )

    return [
        make("first-turn", "the first turn of a run", ask_turns()),
        make("middle", "the first 20 turns of a long run", ask_turns(20)),
        make("people-dead", "there is no rabbit: the list of rabbits is empty", ask_turns(4),
             str(_MAPS / "guarded.map")),
        make("no-crushers", "there is no crusher: the list of crushers is empty", ask_turns(4),
             str(_MAPS / "quiet.map")),
        make("nothing-to-do", "a rabbit between walls, which cannot move", ask_turns(4),
             str(_MAPS / "cell.map")),
        make("full-board", "a rabbit on every cell", ask_turns(4), str(_MAPS / "crowd.map")),
        make("end-of-game", "a run of one turn: the input is closed after it", close_after(),
             turns=1),
        make("input-closed", "the input is closed in the middle of a run", close_after(5)),
        make("same-twice", "the first turns, twice with the same seed", ask_twice(5)),
        make("whole-game", "a short run, to its last turn", ask_turns(_SHORT, whole=True),
             turns=_SHORT),
    ]  # fmt: skip


class RabbitsReporter(Reporter):
    """Prints what the challenge's controller does: a row for each run, and the total score."""

    def __init__(self, game: Game, setup: MatchSetup, bots: Sequence[str], format_: str) -> None:
        super().__init__(game, setup, bots, format_)
        self._runs: list[dict[str, int]] = []
        self._finished = True

    def head(self) -> str:
        ((path, _),), (bot,), setup = self.setup.files, self.bots, self.setup
        words = (path, setup.settings["turns"], setup.seed, setup.runs, *shlex.split(bot))
        return visible(" ".join(["Running: controller.py", *map(str, words)])) + "\n"

    def foot(self) -> str:
        return f"Total Score: {sum(run['saved'] for run in self._runs)}\n"

    def end_match(self, setup: MatchSetup, match: Match, played: Played) -> None:
        """Print the row of a run, and what its bot did not do."""
        assert isinstance(match, RabbitsMatch)
        self._finished &= match.finished
        number, seed, saved, turns = setup.run, setup.seed, match.saved, match.turn
        self._runs.append({"run": number, "seed": seed, "saved": saved, "turns": turns})
        if played.problem:
            complain(f"run {number}, {played.problem}", kind="note")
        if match.unreadable:
            complain(
                f"run {number}: {match.unreadable} of {turns} answers contain no readable move; "
                "expected, for example: move 3,4 to 3,5; 7,2 to 6,2",
                kind="note",
            )
        if self.format_ == "table":
            if len(self._runs) == 1:
                click.echo(self.head(), nl=False)
                click.echo(_write_row("Run", "Seed", "Score"))
            click.echo(_write_row(number, seed, saved))

    def end(self) -> Exit:
        if self.format_ == "table":
            click.echo(self.foot(), nl=False)
            return Exit.FINE
        turns, saved = (sum(run[key] for run in self._runs) for key in ("turns", "saved"))
        counts = {"turns": turns, "runs": len(self._runs), "saved": saved}
        result = {**counts, "finished": self._finished}
        rows = [(run["run"], run["seed"], run["saved"]) for run in self._runs]
        sums = [] if self.format_ == "csv" else [("Total Score", "", saved)]
        table = Table("", ("Run", "Seed", "Score"), (*rows, *sums), len(sums))
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
        return list_arguments(setup)

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case]:
        return list_cases(rules, **options)


class RabbitsScoring(Scoring):
    """Whoever saves more rabbits is ahead."""

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
    positions = PositionSpace(
        asp.POSITIONS, tuple((rows, columns) for rows in range(3, 8) for columns in range(3, 8))
    )

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        check_files(files)
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
