"""Records and positions of games, as the grammar and the rules of a folder describe them.

docs/write-a-game.md describes the files of the folder, and the predicates that the rules derive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_score.engine.live import Live
from kb_score.engine.program import BEFORE, OPEN, Program
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import ASKS_ALL, State, list_states
from kb_score.engine.terms import Facts, Name, Row, Value
from kb_score.errors import RuleError
from kb_score.games.agreement import JUDGE, RECORD_RULES, STEP, WAYS, has_name
from kb_score.games.files import GameFiles
from kb_score.games.labels import Labels
from kb_score.games.live import RENEWAL, check_movers, check_usable
from kb_score.games.match import refuse
from kb_score.games.position import order_value
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.schema import (
    IllegalRow,
    TerminalRow,
    count_turns,
    judge,
    to_json,
    write_sentence,
)
from kb_score.games.texts import ReadText
from kb_score.games.told import join_parts
from kb_score.shell.output import Table

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict


# Records of up to this many turns (almost all) are judged in one question.
_AT_ONCE = 250
# The row of a table that comes last.
_TOTAL = "total"
# The predicate that rules may ask for, with the turn that follows a position.
_QUERIED = "queried"


class ExplanationRow(NamedTuple):
    """An answer that explains a turn of a record; the one with the number 1 counts."""

    turn: int
    number: int
    player: int
    kind: str
    answer: Value


class PositionState(NamedTuple):
    """The state before a turn: its facts, the turn that ended the game, and the mover."""

    facts: Facts
    end: int | None  # None if the game goes on
    mover: int


class RecordJudge:
    """Judges the records of a game by its rules.

    Attributes:
        keys: The keys of the result, in the order of the JSON.
    """

    def __init__(self, files: GameFiles, options: Mapping[str, Any]) -> None:
        """Prepare to judge records of a game, with the values of options by name."""
        manifest = files.manifest
        self.keys = tuple(dict.fromkeys(("turns", *manifest.figures, "finished")))
        self._files = files
        self._options = list_given(options)

    def judge(self, rules: GameRules, record: ReadText, name: str) -> Verdict:
        """Return the verdict on a record, which has a name in messages."""
        record = self.cut(rules, record)
        use, facts = self.prepare(rules, record)
        return self.make_verdict(rules.ask(use, facts), record, name)

    def follow(self, rules: GameRules, record: ReadText, name: str) -> Replay:
        """Return pictures of each turn of a record."""
        record = self.cut(rules, record)
        use, facts = self.prepare(rules, record, REPLAY)
        answer = rules.ask(use, facts)
        verdict = self.make_verdict(answer, record, name)
        window = Window(0, answer, "turn {turn}", turn_of=record.turn_of)
        return make_replay(verdict, [window])

    def cut(self, rules: GameRules, record: ReadText) -> ReadText:
        """Return a record without most of the turns after its first illegal one, if it is long.

        Turns that do not count would take as much time and memory as those that do, where the rules
        derive all states together.
        """
        # A listener receives the check, not the questions that shorten the record.
        rules = replace(rules, listener=None)
        size = _AT_ONCE
        while size < record.turns and self._find_use(record).state == "chained":
            part = record.cut(size)
            use, facts = self.prepare(rules, part)
            if self.make_verdict(rules.ask(use, facts), part, "").result["turns"] < size:
                return part
            size *= 2
        return record

    def prepare(self, rules: GameRules, record: ReadText, *more: str) -> tuple[Use, Facts]:
        """Return the question about all turns of the record at once, with more rule files.

        If neither the record nor the rules give the state before a turn, the state is found by
        playing the record turn by turn. Reasons, and pages on which rules can be changed, need a
        program whose rules derive the state from the previous turn: without one, a choice that the
        rules leave open is a RuleError.
        """
        use = self._find_use(record).plus(*more)
        program = rules.program(use)
        remembered = list_states(program)
        if remembered and use.models == "best":
            problem = f"records of kind {record.kind} leave something open"
            raise RuleError(f"the rules of {self._files.title}: {problem}: add a file chain.lp")
        facts = dict(self._files.add_actions(program, record.facts, has_turn=True))
        end = self._files.texts.format.end
        if end and record.turn_of:
            facts["ends_turn"] = record.facts.get(end, ())
        facts |= self._options
        if rules.listener is not None:
            if more and _asks_for(program, ASKS_ALL):
                # The rules of a page may be changed so that they look at any turn.
                facts[ASKS_ALL] = [()]
            return replace(use, state="chained"), facts
        if remembered:
            facts |= self._find_states(rules, record, remembered)
        return use, facts

    def _find_use(self, record: ReadText) -> Use:
        """Return the rules that judge a record, by its kind; for a map alone, those of play."""
        return self._files.uses.find_check(record.kind)

    def find_state(
        self, rules: GameRules, record: ReadText, name: str, turn: int
    ) -> PositionState | None:
        """Return the state before a turn, from 1; None if the rules do not give all of it.

        A chain.lp gives it, or rules for the turn that is queried. An illegal turn before it is an
        InputError.
        """
        use = self._find_use(record)
        remembered = self._list_read(rules)
        program = rules.program(use)
        if list_states(program):
            return None
        is_found = _asks_for(program, _QUERIED)
        if not (is_found or self._is_chained(remembered)):
            return None
        exact = [one.signature for one in remembered]
        exact += [("terminal", 1), ("illegal", 4), ("mover", 2)]
        asked = dict(self._files.add_actions(program, record.facts, has_turn=True))
        asked |= self._options
        if is_found:
            asked[_QUERIED] = [(turn,)]
        answer = rules.ask(replace(use, exact=tuple(exact)), asked)
        check_usable(record.map_name or name, answer["unusable"])
        ends = [row.turn for row in answer.read(TerminalRow) if row.turn < turn]
        if not ends:
            _refuse_illegal(answer, name, turn)
        facts = {**record.list_start(), **self._options}
        for one in remembered:
            before = []
            for *row, row_turn in answer.rows.get(one.signature, ()):
                if row_turn == turn - 1:
                    before.append((*row, turn))
            facts[one.kept] = before
        end = min(ends, default=None)
        return PositionState(facts, end, _find_mover(answer, turn))

    def _is_chained(self, remembered: Iterable[State]) -> bool:
        """Return whether a chain.lp derives the whole state of each turn."""
        if not self._files.has_file("chain"):
            return False
        return all(one.key is None for one in remembered)

    def _list_read(self, rules: GameRules) -> list[State]:
        """Return the predicates that a position reads as they were before its turn."""
        uses = self._files.uses
        listing = list_states(rules.program(uses.legal))
        # The rules that use the kept state are left out: they would seem to give it.
        judging = list_states(rules.program(replace(uses.judge, state="given")))
        known = {one.signature for one in listing}
        more = [one for one in judging if one.signature not in known]
        return listing + more

    def make_verdict(self, answer: Answer, record: ReadText, name: str) -> Verdict:
        """Return the verdict on the record; a figure that no rule derives is None."""
        steps = answer
        answer = count_turns(answer, record.turn_of)
        said = {key for key, _ in answer["result"]}
        keys = [key for key in self.keys if key in said]
        claims = {str(key): to_json(value) for key, value in answer["claimed_result"]}
        claimed = {key: claims[key] for key in sorted(claims, key=self._order_key)}
        check_usable(record.map_name or name, answer["unusable"])
        verdict = judge(
            self._files.name,
            name,
            answer,
            *keys,
            claimed=claimed or None,
            caption="at turn {turn}:",
        )
        for key in ("turns", "finished"):
            if key not in said:
                raise RuleError(
                    f"the rules of {self._files.name}: record.lp gives no result({key},...)"
                )
        if not self._files.has_file(RECORD_RULES):
            self._check_movers(steps, record, is_over=verdict.result["finished"])
        result = {**dict.fromkeys(self.keys), **verdict.result}
        picture = verdict.picture + write_below(answer["below"])
        notes = sorted(write_sentence(words) for (words,) in answer["note"])
        verdict = replace(verdict, result=result, picture=picture, notes=tuple(notes))
        verdict = _add_tables(self._add_counts(verdict, answer), answer, record.labels)
        return self._add_explanations(verdict, answer)

    def _add_counts(self, verdict: Verdict, answer: Answer) -> Verdict:
        """Add the number of answers of each kind for each player, if rules count them."""
        made = answer["made"]
        if not made:
            return verdict
        found = [kind for _, kind, _ in made]
        kinds = order_kinds(found, answer["kind"])
        players = range(1, self._files.manifest.players + 1)
        counts: dict[str, list[int]] = {}
        for kind in kinds:
            counts[kind] = [0] * len(players)
        for player, kind, number in made:
            if player not in players:
                raise RuleError(f"made/3 counts answers of player {player}, who is not playing")
            numbers = counts[str(kind)]
            numbers[player - 1] = number
        names = [f"player {player}" for player in players]
        table_rows: list[tuple[str | int, ...]] = []
        for kind, numbers in counts.items():
            table_rows.append((kind, *numbers))
        table = Table("", ("turns", *names), tuple(table_rows))
        more = {**verdict.more, "counts": counts}
        return replace(verdict, tables=(*verdict.tables, table), more=more)

    def _add_explanations(self, verdict: Verdict, answer: Answer) -> Verdict:
        """Add the answers that explain the turns of a record that has none."""
        columns = ("turn", "player", "kind", "move")
        rows = []
        listed = []
        for row in sorted(answer.read(ExplanationRow), key=order_value):
            move = write_sentence(row.answer)
            values = (row.turn, row.player, row.kind, move)
            rows.append(values)
            listed.append(dict(zip(columns, values, strict=True)))
        if not rows:
            return verdict
        table = Table("", columns, tuple(rows))
        more = {**verdict.more, "explanations": listed}
        return replace(verdict, tables=(*verdict.tables, table), more=more)

    def _order_key(self, key: str) -> tuple[int, str]:
        """Return a key that sorts claimed figures as the result does; others follow."""
        if key not in self.keys:
            return len(self.keys), key
        return self.keys.index(key), key

    def _check_movers(self, answer: Answer, record: ReadText, *, is_over: bool) -> None:
        """Check that each step that can be played belongs to one player."""
        movers = defaultdict[int, set[int]](set)
        for player, step in answer["mover"]:
            movers[step].add(player)
        ((last,),) = answer["last"]
        if not is_over:
            last += 1
        for step in range(1, last + 1):
            check_movers(self._files, record.count_turn(step), movers[step])

    def _find_states(
        self, rules: GameRules, record: ReadText, remembered: Sequence[State]
    ) -> Facts:
        """Return the state before each turn and after the last, as far as the game goes."""
        states = defaultdict[str, list[Row]](list)
        use = self._files.uses.find_play(record.kind)
        program = rules.program(use)
        start = {**record.list_start(), **self._options}
        # A check may know a part of the state from a chain.lp, which play does not use.
        read = {f"{BEFORE}{one.name}" for one in remembered}
        known = {one.signature for one in remembered}
        played = [one for one in list_states(program) if one.signature not in known]
        live = Live(program, start, renewal=RENEWAL, states=[*remembered, *played])
        has_open = program.has_part(OPEN)
        _, *turns = record.list_turns()
        for turn, given in enumerate((*turns, None), start=1):
            live.next_turn()
            number = {}
            if record.turn_of and given is not None:
                number[STEP] = given.pop(STEP)
            if has_open:
                live.play([OPEN], number)
            is_over = bool(live.news(TerminalRow))
            if not is_over and given is not None:
                answer = self._files.add_actions(program, given, has_turn=False)
                live.play([WAYS, STEP, JUDGE], answer)
            for name, rows in live.list_handed().items():
                if name in read:
                    states[name] += [(*row, turn) for row in rows]
            if is_over or live.news(IllegalRow):
                break
        return states


def _add_tables(verdict: Verdict, answer: Answer, labels: Labels) -> Verdict:
    """Add the tables of players that the rules fill."""
    tables = []
    rows: Sequence[tuple[Any, ...]] = answer["tabled"]
    players = sorted({player for *_, player, _ in rows})
    for heading in sorted({row[0] for row in rows}):
        lines = defaultdict[tuple[Any, ...], dict[int, Any]](dict)
        for title, order, row, player, value in rows:
            if title == heading:
                lines[row == _TOTAL, order_value(order), row][player] = value
        shown = [
            (row, *(lines[key].get(player, "") for player in players))
            for key in sorted(lines)
            for row in key[2:]
        ]
        columns = (heading, *map(labels.name, players))
        totals = sum(is_total for is_total, *_ in lines)
        tables.append(Table("", columns, tuple(shown), footer_rows=totals))
    return replace(verdict, tables=(*verdict.tables, *tables))


def _find_mover(answer: Answer, turn: int) -> int:
    """Return the player who has a turn; 1 if the rules name no player."""
    mover = 1
    # Rules may also name the mover of a move that is tried out: its turn is not a number.
    for player, row_turn in answer["mover"]:
        if row_turn == turn and isinstance(player, int):
            mover = player
    return mover


def _asks_for(program: Program, predicate: str) -> bool:
    """Return whether rules ask for a predicate that they do not derive."""
    return has_name(program.inputs, predicate)


def order_kinds(found: Iterable[Value], known: Iterable[Row]) -> list[str]:
    """Return kinds of answers: the known ones in order of their places, then others by name."""
    listed = [str(kind) for _, kind in sorted(known, key=order_value)]
    others = set(map(str, found)).difference(listed)
    return [*listed, *sorted(others)]


def list_given(options: Mapping[str, Any]) -> dict[str, Sequence[Row]]:
    """Return the facts of given options, a name and a value each; a flag has the value 1."""
    given = []
    for name, value in options.items():
        # An option may be given as 0.
        if value is not None and value is not False:
            number = value if isinstance(value, str) else int(value)
            given.append((Name(name), number))
    if not given:
        return {}
    return {"option": given}


def _refuse_illegal(answer: Answer, name: str, turn: int) -> None:
    """Raise an InputError about the first illegal turn before a turn, if there is one."""
    for row in sorted(answer.read(IllegalRow), key=str):
        if row.turn < turn:
            raise refuse(name, row)


def write_below(rows: Iterable[Row]) -> str:
    """Return the lines below a picture, with an empty one above; empty if there are none.

    A row has a key that sorts rows, the parts that begin a line, and a word on that line.
    """
    below = defaultdict[str, list[str]](list)
    for _, parts, word in sorted(rows, key=order_value):
        head = join_parts(parts)
        below[head].append(str(word))
    if not below:
        return ""
    lines = [f"{head} {' '.join(words)}\n" for head, words in below.items()]
    return "".join(["\n", *lines])
