"""Games without Python: a folder of rules, a grammar and a manifest, and what is made of them.

docs/write-a-game.md has the contract: which files the folder has, and which predicates the rules
derive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_score.engine.program import OPEN, Program
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import Remembered, list_remembered
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Name, Row, Value, predicate_of
from kb_score.errors import RuleError
from kb_score.games.agreement import ANSWER, RECORD_RULES, STEP
from kb_score.games.declared_files import GameFiles
from kb_score.games.declared_match import (
    RENEWAL,
    DeclaredMatch,
    KindRow,
    UnusableRow,
    check_movers,
    check_usable,
    join_parts,
    make_position,
    order_value,
)
from kb_score.games.game import (
    Arena,
    File,
    Game,
    Help,
    Option,
    Position,
    PositionSpace,
    ReasonNames,
    VerbOptions,
    Wording,
    find_turn,
    refuse,
)
from kb_score.games.helps import read_helps
from kb_score.games.manifest import OptionTable
from kb_score.games.record import RecordKind, check, follow
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import (
    IllegalRow,
    MoverRow,
    ResultRow,
    TerminalRow,
    judge,
    to_json,
    write_sentence,
)
from kb_score.games.texts import ReadText
from kb_score.shell.output import Table

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict


# What errors call an answer that is judged.
_MOVE = "--move"
# What rules may ask: whether others may look anywhere, and which turn a position is before.
_ASKS_ALL = "asks_all"
_QUERIED = "queried"


class ClaimedResultRow(NamedTuple):
    """A figure that a record claims."""

    key: str
    value: Value


class BelowRow(NamedTuple):
    """A word of the line below a picture that begins with these parts; lines are in order."""

    order: Value
    parts: Value
    word: Value


class MadeRow(NamedTuple):
    """How many answers of a kind a player has given."""

    player: int
    kind: str
    number: int


class ExplanationRow(NamedTuple):
    """An answer that explains a turn of a record; number 1 counts."""

    turn: int
    number: int
    player: int
    kind: str
    answer: Value


class NoteRow(NamedTuple):
    """A remark about a record."""

    words: Value


class PositionState(NamedTuple):
    """The state before a turn, as facts, the turn that ended the game, and who has the turn."""

    facts: Facts
    end: int | None  # None if the game goes on
    mover: int


class DeclaredRecord(RecordKind[ReadText]):
    """The records of a game without Python."""

    type = ReadText
    caption = "at turn {turn}:"

    def __init__(self, files: GameFiles, who: str, options: Mapping[str, Any]) -> None:
        """Judge records of a game.

        Args:
            files: The game.
            who: What a player is called.
            options: The values of options, by name.
        """
        manifest = files.manifest
        self.game = files.name
        self.keys = ("turns", *manifest.figures, "finished")
        self.who = who
        self._files = files
        self._options = list_given(options)

    def ask(self, rules: GameRules, record: ReadText, *more: str) -> Answer:
        """Ask about all turns of the record side by side.

        The state before a turn, where neither the record nor the rules give it, is found by playing
        the record turn by turn. To explain a reason, or to change rules in a page, takes a program
        in which it follows from the turn before: there rules look back.
        """
        use = self.use(record).plus(*more)
        program = rules.program(use)
        remembered = list_remembered(program)
        if remembered and use.models == "best":
            problem = f"records of the kind {record.kind} leave something open"
            raise RuleError(f"the rules of {self._files.title}: {problem}: this takes a chain.lp")
        facts = dict(self._files.add_actions(program, record.facts, has_turn=True))
        facts |= self._options
        if rules.listener is not None:
            if more and _asks_for(program, _ASKS_ALL):
                # The rules of a page may be changed to look anywhere.
                facts[_ASKS_ALL] = [()]
            answer = rules.ask(replace(use, state="chained"), facts)
        else:
            states = self._find_states(rules, record, remembered) if remembered else {}
            answer = rules.ask(use, {**facts, **states})
        return answer

    def use(self, record: ReadText) -> Use:
        """Return the rules that judge a record of its kind; a map alone is one of play."""
        return self._files.uses.find_check(record.kind)

    def find_state(
        self, rules: GameRules, record: ReadText, name: str, turn: int
    ) -> PositionState | None:
        """Find the state before a turn; None if no rule gives the whole of it.

        It is given by a chain.lp, or by rules for the turn that is queried.

        Raises:
            InputError: A turn before is illegal.
        """
        use = self.use(record)
        remembered = self._list_read(rules)
        program = rules.program(use)
        if list_remembered(program):
            return None
        is_chained = self._files.has_file("chain") and all(one.key is None for one in remembered)
        is_found = _asks_for(program, _QUERIED)
        if not (is_chained or is_found):
            return None
        read = [one.signature for one in remembered]
        ends = predicate_of(TerminalRow), predicate_of(IllegalRow), predicate_of(MoverRow)
        exact = replace(use, exact=(*read, *ends))
        asked = dict(self._files.add_actions(program, record.facts, has_turn=True))
        asked |= self._options
        if is_found:
            asked[_QUERIED] = [(turn,)]
        answer = rules.ask(exact, asked)
        check_usable(record.map_name or name, answer.read(UnusableRow))
        over = [row.turn for row in answer.read(TerminalRow) if row.turn < turn]
        if not over:
            _refuse_illegal(answer, name, turn)
        facts = {**record.list_start(), **self._options}
        for one in remembered:
            before = []
            for *row, said in answer.rows.get(one.signature, ()):
                if said == turn - 1:
                    before.append((*row, turn))
            facts[one.kept] = before
        # Rules may also say who makes a move that is tried out: its turn is no number.
        mover = 1
        for player, said in answer.rows.get(predicate_of(MoverRow), ()):
            if said == turn and isinstance(player, int):
                mover = player
        end = min(over, default=None)
        return PositionState(facts, end, mover)

    def _list_read(self, rules: GameRules) -> list[Remembered]:
        """List the predicates of which a position reads the state before its turn."""
        uses = self._files.uses
        listing = list_remembered(rules.program(uses.legal))
        # Without the rules that take what is kept: these would seem to give it.
        judging = list_remembered(rules.program(replace(uses.judge, state="given")))
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
        check_usable(record.map_name or name, answer.read(UnusableRow))
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
        if not self._files.has_file(RECORD_RULES):
            self._check_movers(answer, verdict)
        result = {**dict.fromkeys(self.keys), **verdict.result}
        picture = verdict.picture + write_below(answer.read(BelowRow))
        notes = sorted(write_sentence(row.words) for row in answer.read(NoteRow))
        verdict = replace(verdict, result=result, picture=picture, notes=tuple(notes))
        return self._add_explanations(self._add_counts(verdict, answer), answer)

    def _add_counts(self, verdict: Verdict, answer: Answer) -> Verdict:
        """Add how many answers of each kind each player gave, where rules count them."""
        rows = answer.read(MadeRow)
        if not rows:
            return verdict
        found = [row.kind for row in rows]
        kinds = order_kinds(found, answer.read(KindRow))
        players = range(1, self._files.manifest.players + 1)
        counts: dict[str, list[int]] = {}
        for kind in kinds:
            counts[kind] = [0] * len(players)
        for row in rows:
            if row.player not in players:
                raise RuleError(f"made/3 counts answers of player {row.player}, who does not play")
            numbers = counts[row.kind]
            numbers[row.player - 1] = row.number
        names = [self.who.format(player) for player in players]
        table_rows: list[tuple[str | int, ...]] = []
        for kind, numbers in counts.items():
            table_rows.append((kind, *numbers))
        table = Table("", ("turns", *names), tuple(table_rows))
        more = {**verdict.more, "counts": counts}
        return replace(verdict, tables=(*verdict.tables, table), more=more)

    def _add_explanations(self, verdict: Verdict, answer: Answer) -> Verdict:
        """Add the answers that explain the turns of a record without any."""
        columns = ("turn", "player", "kind", "move")
        rows: list[tuple[str | int, ...]] = []
        listed: list[dict[str, str | int]] = []
        for row in sorted(answer.read(ExplanationRow), key=order_value):
            move = write_sentence(row.answer)
            rows.append((row.turn, row.player, row.kind, move))
            listed.append(dict(zip(columns, rows[-1], strict=True)))
        if not rows:
            return verdict
        table = Table("", columns, tuple(rows))
        more = {**verdict.more, "explanations": listed}
        return replace(verdict, tables=(*verdict.tables, table), more=more)

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
        start = {**record.list_start(), **self._options}
        live = Stepper(program, start, renewal=RENEWAL, remembered=remembered)
        has_open = program.has_part(OPEN)
        _, *turns = record.list_turns()
        for turn, given in enumerate((*turns, None), start=1):
            live.next_turn()
            if has_open:
                live.play([OPEN])
            is_over = bool(live.news(TerminalRow))
            if not is_over and given is not None:
                answer = self._files.add_actions(program, given, has_turn=False)
                live.play([STEP], answer)
            for name, rows in live.list_handed().items():
                states[name] += [(*row, turn) for row in rows]
            if is_over or live.news(IllegalRow):
                break
        return states


def _asks_for(program: Program, predicate: str) -> bool:
    """Return whether rules ask for a predicate that they do not derive."""
    return any(name == predicate for name, _ in program.inputs)


def order_kinds(found: Iterable[str], known: Iterable[KindRow]) -> list[str]:
    """List kinds of answers: those that always count, in order, and others that are found."""
    listed = [row.kind for row in sorted(known)]
    others = set(found).difference(listed)
    return [*listed, *sorted(others)]


def list_given(options: Mapping[str, Any]) -> dict[str, Sequence[Row]]:
    """List the facts of options that are given, a name and a value each; a flag has the value 1."""
    given: list[Row] = []
    for name, value in options.items():
        # 0 is a value like others.
        if value is not None and value is not False:
            given.append((Name(name), int(value)))
    return {"option": given} if given else {}


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


def list_options(tables: Mapping[str, OptionTable], verb: str) -> tuple[Option, ...]:
    """List the options of a verb; those of play are settings."""
    found: list[Option] = []
    for name, table in tables.items():
        if verb in table.of:
            option = Option(name, table.default, table.help, table.least, table.most)
            found.append(option)
    return tuple(found)


class DeclaredGame(Game):
    """A game without Python.

    Attributes:
        files: Its folder.
    """

    reasons = ReasonNames(
        legal=("illegal", "legal_text"), move=("illegal", "passes", "counts_as", "legal_text")
    )

    def __init__(self, files: GameFiles) -> None:
        """Make the game of a folder."""
        self.name = files.name
        self.files = files
        texts = files.texts
        self.record = texts.record
        self.maps = texts.kinds
        self.sample = "map.txt game.txt" if self.maps else "game.txt"
        options = files.manifest.options
        self.options = VerbOptions(
            check=list_options(options, "check"),
            draw=list_options(options, "draw"),
            legal=list_options(options, "legal"),
        )

    @cached_property
    def arena(self) -> Arena:
        arena: Arena = import_module("kb_score.arena.declared").DeclaredArena(self.files)
        return arena

    @cached_property
    def wording(self) -> Wording:  # type: ignore[override]
        answer = read_helps(self.name).get(ANSWER, Help(Wording().answer, ""))
        return Wording(
            who="{}" if self.files.manifest.players == 1 else "player {}",
            actors=self.files.manifest.play.actors,
            nothing_legal="every answer counts as a pass" if self.counts_as else "",
            move=answer.example,
            answer=answer.text,
        )

    @property
    def counts_as(self) -> bool:  # type: ignore[override]
        return self.files.counts_answers

    @property
    def positions(self) -> PositionSpace | None:  # type: ignore[override]
        use = self.files.uses.positions
        most_rows, most_columns = self.files.manifest.positions
        least, _ = self.files.manifest.texts.side
        sides = product(range(least, most_rows + 1), range(least, most_columns + 1))
        is_square = self.files.manifest.texts.square
        sizes = tuple(
            (rows, columns) for rows, columns in sides if rows == columns or not is_square
        )
        return None if use is None else PositionSpace(use, sizes)

    def check(self, rules: GameRules, files: Sequence[File], **options: Any) -> Verdict:
        return check(self._read, (self._make_kind(options),), rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **options: Any) -> Replay:
        return follow(self._read, (self._make_kind(options),), rules, files)

    def _make_kind(self, options: Mapping[str, Any]) -> DeclaredRecord:
        return DeclaredRecord(self.files, self.wording.who, options)

    def _read(self, _rules: GameRules, files: Sequence[File]) -> ReadText:
        self.files.check()
        return self.files.texts.read(files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **options: Any
    ) -> Position:
        rules = apply_rulings(rules, *files)
        record = self._read(rules, files)
        name, _ = files[-1]
        turn = find_turn(turn, record.turns, name)
        state = self._make_kind(options).find_state(rules, record, name, turn)
        if state is not None:
            return make_position(
                self.files, rules, state.facts, turn, state.end, mover=state.mover, name=_MOVE
            )
        start = {**record.list_start(), **list_given(options)}
        match = DeclaredMatch(self.files, rules, start, kind=record.kind)
        for given in record.list_turns()[1:turn]:
            if match.finished:
                break
            for row in sorted(match.play(given), key=str):
                raise refuse(name, row)
        return match.make_position(_MOVE)
