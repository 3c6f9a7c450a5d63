"""Games without Python: a folder of rules, a grammar and a manifest, and what is made of them.

docs/write-a-game.md has the contract: which files the folder has, and which predicates the rules
derive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_score.engine.program import BEFORE, OPEN
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import Remembered, list_remembered
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Row, Value, predicate_of
from kb_score.errors import InputError, RuleError
from kb_score.games.agreement import MERIT, STEP, list_meetings
from kb_score.games.declared_cases import CASES, list_cases
from kb_score.games.declared_files import GameFiles
from kb_score.games.declared_match import (
    RENEWAL,
    DeclaredMatch,
    InvalidMapRow,
    check_map,
    check_movers,
    join_parts,
    make_position,
    order_value,
)
from kb_score.games.game import (
    MAP,
    MOST_TURNS,
    TIMEOUT,
    Arena,
    BotProtocol,
    Case,
    File,
    Game,
    Match,
    MatchSetup,
    Position,
    PositionSpace,
    ReasonNames,
    Score,
    Scoring,
    StandingRow,
    Tally,
    Wording,
    find_turn,
    refuse,
)
from kb_score.games.manifest import CAPTION
from kb_score.games.record import RecordKind, check, follow
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import IllegalRow, MoverRow, ResultRow, TerminalRow, judge, to_json
from kb_score.games.texts import ReadText
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict


# What errors call an answer that is judged.
_MOVE = "--move"


class ClaimedResultRow(NamedTuple):
    """A figure that a record claims."""

    key: str
    value: Value


class BelowRow(NamedTuple):
    """A word of the line below a picture that begins with these parts; lines are in order."""

    order: Value
    parts: Value
    word: Value


class PositionState(NamedTuple):
    """The state before a turn, as facts, the turn that ended the game, and who has the turn."""

    facts: Facts
    end: int | None  # None if the game goes on
    mover: int


class DeclaredRecord(RecordKind[ReadText]):
    """The records of a game without Python."""

    type = ReadText

    def __init__(self, files: GameFiles, who: str) -> None:
        """Judge records of a game; ``who`` is what a player is called."""
        manifest = files.manifest
        self.game = files.name
        self.keys = ("turns", *manifest.figures, "finished")
        self.caption = manifest.check.caption
        if self.caption != CAPTION:
            self.turn_caption, _, _ = self.caption.rstrip(":").partition(",")
        self.who = who
        self._files = files

    def ask(self, rules: GameRules, record: ReadText, *more: str) -> Answer:
        """Ask about all turns of the record side by side.

        The state before a turn, where neither the record nor the rules give it, is found by playing
        the record turn by turn. To explain a reason, or to change rules in a page, takes a program
        in which it follows from the turn before: there rules look back.
        """
        use = self.use(record).plus(*more)
        remembered = list_remembered(rules.program(use))
        if remembered and use.models == "best":
            problem = f"records of the kind {record.kind} leave something open"
            raise RuleError(f"the rules of {self._files.title}: {problem}: this takes a chain.lp")
        if rules.listener is not None:
            answer = rules.ask(replace(use, state="chained"), record.facts)
        else:
            states = self._find_states(rules, record, remembered) if remembered else {}
            answer = rules.ask(use, {**record.facts, **states})
        check_map(record.map_name, answer.read(InvalidMapRow))
        return answer

    def use(self, record: ReadText) -> Use:
        """Return the rules that judge a record of its kind; a map alone is one of play."""
        return self._files.uses.find_check(record.kind)

    def find_state(
        self, rules: GameRules, record: ReadText, name: str, turn: int
    ) -> PositionState | None:
        """Find the state before a turn; None if chain.lp does not give the state of each turn.

        Raises:
            InputError: A turn before is illegal.
        """
        use = self.use(record)
        remembered = self._list_read(rules)
        program = rules.program(use)
        is_chained = self._files.has_file("chain") and not list_remembered(program)
        is_whole = all(one.key is None for one in remembered)
        if not (is_chained and is_whole):
            return None
        read = [one.signature for one in remembered]
        ends = predicate_of(TerminalRow), predicate_of(IllegalRow)
        exact = replace(use, exact=(*read, *ends))
        answer = rules.ask(exact, record.facts)
        check_map(record.map_name, answer.read(InvalidMapRow))
        over = [row.turn for row in answer.read(TerminalRow) if row.turn < turn]
        if not over:
            _refuse_illegal(answer, name, turn)
        facts = dict(record.list_start())
        for signature in read:
            state, _ = signature
            before = []
            for *row, said in answer.rows.get(signature, ()):
                if said == turn - 1:
                    before.append((*row, turn))
            facts[f"{BEFORE}{state}"] = before
        movers = [row.player for row in answer.read(MoverRow) if row.turn == turn]
        end = min(over, default=None)
        mover = min(movers, default=1)
        return PositionState(facts, end, mover)

    def _list_read(self, rules: GameRules) -> list[Remembered]:
        """List the predicates of which a position reads the state before its turn."""
        uses = self._files.uses
        listing = list_remembered(rules.program(uses.legal))
        judging = list_remembered(rules.program(uses.judge))
        known = {one.signature for one in listing}
        more = [one for one in judging if one.signature not in known]
        return listing + more

    def make_verdict(self, answer: Answer, record: ReadText, name: str) -> Verdict:
        """Make the verdict; a figure that no rule says is None."""
        said = {row.key for row in answer.read(ResultRow)}
        keys = [key for key in self.keys if key in said]
        claims = answer.read(ClaimedResultRow)
        claims.sort(key=lambda row: self._order_key(row.key))
        claimed = {row.key: to_json(row.value) for row in claims}
        verdict = judge(
            self.game,
            name,
            answer,
            *keys,
            claimed=claimed or None,
            caption=self.caption,
            who=self.who,
        )
        for key in ("turns", "finished"):
            if key not in said:
                raise RuleError(f"the rules of {self.game}: record.lp gives no result({key},...)")
        if not verdict.violations:
            self._check_movers(answer, verdict)
        result = {**dict.fromkeys(self.keys), **verdict.result}
        picture = verdict.picture + write_below(answer.read(BelowRow))
        return replace(verdict, result=result, picture=picture)

    def _order_key(self, key: str) -> tuple[int, str]:
        """Return what the keys of a claim are sorted by: their place in the result."""
        return self.keys.index(key) if key in self.keys else len(self.keys), key

    def _check_movers(self, answer: Answer, verdict: Verdict) -> None:
        """Check that the rules say of each turn that can be played whose it is."""
        movers = defaultdict[int, set[int]](set)
        for row in answer.read(MoverRow):
            movers[row.turn].add(row.player)
        last = verdict.result["turns"]
        if not verdict.result["finished"]:
            last += 1
        for turn in range(1, last + 1):
            check_movers(self._files, turn, movers[turn])

    def _find_states(
        self, rules: GameRules, record: ReadText, remembered: Sequence[Remembered]
    ) -> Facts:
        """Find the state before each turn and after the last, as far as the game goes."""
        states = defaultdict[str, list[Row]](list)
        use = self._files.uses.find_play(record.kind)
        program = rules.program(use)
        start = record.list_start()
        live = Stepper(program, start, renewal=RENEWAL, remembered=remembered)
        has_open = program.has_part(OPEN)
        _, *turns = record.list_turns()
        for turn, given in enumerate((*turns, None), start=1):
            live.next_turn()
            if has_open:
                live.play([OPEN])
            is_over = bool(live.news(TerminalRow))
            if not is_over and given is not None:
                live.play([STEP], given)
            for name, rows in live.list_handed().items():
                states[name] += [(*row, turn) for row in rows]
            if is_over or live.news(IllegalRow):
                break
        return states


def _refuse_illegal(answer: Answer, name: str, turn: int) -> None:
    """Check that no turn before one is illegal; an InputError tells the first that is."""
    for row in sorted(answer.read(IllegalRow), key=str):
        if row.turn < turn:
            raise refuse(name, row)


def write_below(rows: Iterable[BelowRow]) -> str:
    """Write the lines below a picture, with an empty one above; empty if there are none."""
    below = defaultdict[str, list[str]](list)
    for row in sorted(rows, key=order_value):
        below[join_parts(row.parts)].append(str(row.word))
    lines = [f"{head} {' '.join(words)}\n" for head, words in below.items()]
    return "".join(["\n", *lines] if lines else [])


class DeclaredScoring(Scoring):
    """What contests compare, as the manifest says.

    Attributes:
        ranks_maps: Whether the game has rules that rank by the best game on each map.
    """

    def __init__(self, files: GameFiles) -> None:
        contest = files.manifest.contest
        self.figures = contest.figures
        self.metrics = contest.metrics
        self.counts_if = contest.counts_if
        if not files.has_file("merit"):
            self.score_key = Use((MERIT,))
        self.ranks_maps = files.has_file("rank")
        if self.ranks_maps:
            self.ranking = Use(("rank",))

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Find the figures of each player; one that no rule has said is 0."""
        said = {key: 0 if value is None else value for key, value in result.items()}
        for figure in self.figures:
            value = said[figure]
            values: list[Any] = value if isinstance(value, list) else [value] * players
            if len(values) != players or not all(isinstance(one, int) for one in values):
                message = f"figure/3 gives {value} for {figure}, which contests compare"
                raise RuleError(f"{message}: a number is expected, or one for each player")
        try:
            scores = super().score(rules, said, players)
        except KeyError as error:
            raise RuleError(f"merit/2 gives player {error} none") from error
        for _, merit in scores:
            if not isinstance(merit, tuple):
                raise RuleError(f"merit/2 gives {merit}, where a tuple is expected")
        return scores

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, maps: int, metric: str
    ) -> list[StandingRow]:
        if not self.ranks_maps:
            return super().rank(rules, bots, tally, maps, metric)
        facts = self.list_attempts(bots, maps, sorted(tally))
        return read_standing(rules.ask(self.ranking, facts), bots)

    def list_attempts(
        self, entries: int, maps: int, found: Iterable[tuple[int, int, tuple[int, ...]]]
    ) -> dict[str, Sequence[Row]]:
        """Return the facts of attempts, without the figure that says whether the others count.

        Args:
            entries: The number of entries.
            maps: The number of maps.
            found: The entry, the map and the figures of each attempt.
        """
        attempts: list[Row] = []
        incomplete: list[Row] = []
        for number, (entry, map_, figures) in enumerate(found):
            said = dict(zip(self.figures, figures, strict=True))
            if not said.pop(self.counts_if, True):
                incomplete.append((number,))
            attempts.append((entry, map_, number, *said.values()))
        return {
            "entry": [(entry,) for entry in range(entries)],
            "map": [(map_,) for map_ in range(maps)],
            "attempt": attempts,
            "incomplete": incomplete,
        }


def read_standing(answer: Answer, entries: int) -> list[StandingRow]:
    """Read who comes first; a RuleError if an entry has no place, or two."""
    rows = answer.read(StandingRow)
    if sorted(row.bot for row in rows) != list(range(entries)):
        raise RuleError("rank.lp has to give, and to show, one standing/2 for each entry/1")
    if len({type(row.key) for row in rows}) > 1:
        raise RuleError("rank.lp gives keys of several kinds in standing/2: tuples are expected")
    return rows


class DeclaredBots(BotProtocol):
    """How a program plays, as the manifest says."""

    def __init__(self, files: GameFiles) -> None:
        manifest = files.manifest
        self.times = (replace(TIMEOUT, default=manifest.play.timeout),)
        self.case_map = manifest.bot.map
        self._files = files
        if files.texts.fits_record(manifest.play.move.strip("'")):
            names = [kind.words.split()[-1].upper() for kind in files.texts.kinds]
            self.plan = " ".join([*names, "RECORD"])
        self._has_cases = (files.folder / CASES).is_file()
        if self._has_cases and files.texts.has_map:
            self.case_options = (MAP,)

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case] | None:
        if not self._has_cases:
            return None
        files = self._files
        other = None
        if options.get("map") is not None:
            other = (options["map"], read_input(options["map"], files.texts.map))
        own = ("the map of the cases", files.manifest.bot.map)
        if not files.manifest.bot.map:
            own = ("", "")
        meetings = list_meetings(files.folder)
        return list_cases(files.folder, partial(new_match, files, rules), own, other, meetings)


def new_match(files: GameFiles, rules: GameRules, map_: File) -> DeclaredMatch:
    """Begin a match on a map, whose name and text are empty if there is none.

    Raises:
        KbScoreError: The map or a file of the game is wrong.
    """
    files.check()
    name, text = map_
    if files.texts.has_map and not text:
        raise files.manifest.error("[bot] map is missing: the map of the cases", "bot")
    if text and not files.texts.has_map:
        raise InputError(name, "this game has no map: its grammar has no rule map")
    start = files.texts.read_start((map_,) if text else ())
    if text and not text.endswith("\n"):
        text += "\n"
    return DeclaredMatch(files, rules, start, (name, text))


class DeclaredArena(Arena):
    """How bots play a game without Python."""

    settings = (MOST_TURNS,)

    def __init__(self, files: GameFiles) -> None:
        players = files.manifest.players
        self.players = (players, players)
        self.bots = DeclaredBots(files)
        self.scoring = DeclaredScoring(files)
        if files.texts.has_map:
            self.maps = (files.texts.map,)
        self._files = files

    def new_match(self, rules: GameRules, setup: MatchSetup, _random: Random) -> Match:
        map_ = setup.files[0] if setup.files else ("", "")
        return new_match(self._files, rules, map_)


class DeclaredGame(Game):
    """A game without Python.

    Attributes:
        files: Its folder.
    """

    reasons = ReasonNames(legal=("illegal", "legal_text"), move=("illegal", "legal_text"))

    def __init__(self, files: GameFiles) -> None:
        """Make the game of a folder."""
        self.name = files.name
        self.files = files
        texts = files.texts
        self.record = texts.record
        self.maps = texts.kinds
        self.sample = "map.txt game.txt" if self.maps else "game.txt"
        has_one_player = files.manifest.players == 1
        play = files.manifest.play
        self.wording = Wording(
            who="{}" if has_one_player else "player {}",
            actors=play.actors,
            move=play.move,
            answer=play.answer or Wording().answer,
        )
        self.arena = DeclaredArena(files)
        self._record = DeclaredRecord(files, self.wording.who)
        self._kinds = (self._record,)

    @property
    def positions(self) -> PositionSpace | None:  # type: ignore[override]
        use = self.files.uses.positions
        table = self.files.manifest.positions
        sides = product(range(1, table.rows + 1), range(1, table.columns + 1))
        is_square = self.files.manifest.texts.square
        sizes = tuple(
            (rows, columns) for rows, columns in sides if rows == columns or not is_square
        )
        return None if use is None else PositionSpace(use, sizes)

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        return check(self._read, self._kinds, rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Replay:
        return follow(self._read, self._kinds, rules, files)

    def _read(self, _rules: GameRules, files: Sequence[File]) -> ReadText:
        self.files.check()
        return self.files.texts.read(files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **_options: Any
    ) -> Position:
        rules = apply_rulings(rules, *files)
        record = self._read(rules, files)
        name, _ = files[-1]
        _, *turns = record.list_turns()
        turn = find_turn(turn, len(turns), name)
        state = self._record.find_state(rules, record, name, turn)
        if state is not None:
            return make_position(
                self.files, rules, state.facts, turn, state.end, mover=state.mover, name=_MOVE
            )
        match = DeclaredMatch(self.files, rules, record.list_start(), kind=record.kind)
        for given in turns[: turn - 1]:
            if match.finished:
                break
            for row in sorted(match.play(given), key=str):
                raise refuse(name, row)
        return match.make_position(_MOVE)
