"""Live play: grounds rules part by part, with new facts for each turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, overload

from clingo import Control, Function, MessageCode, Number, Observer, Symbol

from kb_score.engine.messages import Logger, collected_messages
from kb_score.engine.program import Program, parse_program
from kb_score.engine.scan import Signature
from kb_score.engine.solve import (
    NONE,
    SEVERAL,
    blame_user,
    find_undecided,
    name_suspect,
    open_control,
    parse_cached,
)
from kb_score.engine.state import State, find_asking_parts, find_lookback, list_states, write_part
from kb_score.engine.supervisor import LimitError, Supervisor
from kb_score.engine.terms import (
    Facts,
    FactSource,
    Row,
    Typed,
    predicate_of,
    read_rows,
    shapes_of,
    take_in,
    to_exact_value,
    to_row,
    write_facts,
)
from kb_score.engine.turns import move_into_parts
from kb_score.errors import RuleError

# The parts that give the state before a turn: by looking back, and where the turn asks about it.
_LOOK_BACK = "state_before"
_HAND_IN = "state_asked"

# Parts of a program, each with the turns for which it is grounded.
_Parts: TypeAlias = list[tuple[str, Sequence[Symbol]]]
_Atoms: TypeAlias = Mapping[Signature, Sequence[Symbol]]
_Key: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A state of a game to which `Live` can return.

    Attributes:
        carried: The atoms that the turn and later ones look back at.
        derived: The atoms of the turn and later ones, of predicates that turns ask about.
        rows: What turns ask about: rows without the key and the turn, by predicate and key.
        news: The atoms that `Live.news` has not returned yet.
    """

    turn: int
    carried: _Atoms
    derived: _Atoms
    rows: Mapping[Signature, Mapping[_Key, Sequence[Symbol]]]
    news: _Atoms


class Live:
    """A game that is grounded turn by turn; turn 0 is the start, before the first turn.

    A turn begins with `next_turn`, then `play` grounds parts with facts, and `news` returns the
    shown atoms that this has given. Before the first part of a turn, the rules are grounded that
    look back at the turn before; before the first part that asks, those that hand in what it asks
    about. See `kb_score.engine.state`.

    The more atoms there are, the longer grounding takes. For this reason the game is renewed now
    and then: it starts again from the atoms that the next turn looks back at, those of later turns,
    and those that last. `news` does not return them again.

    Each method that grounds raises a RuleError if clingo finds a mistake, or the rules leave
    something open.
    """

    def __init__(
        self, program: Program, facts: Facts, *, renewal: int, states: Sequence[State] | None = None
    ) -> None:
        """Ground the start of the game, which is renewed after a number of turns.

        The state of some predicates before a turn is listed; by default, these are the predicates
        whose state the rules read but do not give.
        """
        if states is None:
            states = list_states(program)
        self._states = states
        self._looked = [state for state in states if state.key is None]
        self._asked = [state for state in states if state.key is not None]
        looking = [rule for state in self._looked for rule in state.look_back()]
        self._program = move_into_parts(program) + parse_program(write_part(looking, _LOOK_BACK))
        self._asking = find_asking_parts(self._program)
        self._renewal = renewal
        self._may_choose = bool(find_undecided(self._program))
        self._lookback = find_lookback(self._program)
        self.turn = 0
        self._facts = facts
        # The shown atoms that `news` has not returned.
        self._news: dict[Signature, list[Symbol]] = {s: [] for s in self._program.shown}
        # What the attributes of `SavedGame` are.
        self._derived: dict[Signature, list[Symbol]] = {s.signature: [] for s in self._asked}
        self._rows: dict[Signature, dict[_Key, Sequence[Symbol]]] = {s: {} for s in self._derived}
        # The keys that the current turn has asked about, by the functions that hand in their rows.
        self._asked_keys = defaultdict[str, dict[_Key, None]](dict)
        self._not_grounded: set[str] = set()
        self._begin(None)

    def next_turn(self) -> None:
        """Go on to the next turn."""
        self._remember()
        if self._is_renewal_due():
            self._begin(self._select_carried(self.turn, self._carried))
        self.turn += 1

    def _remember(self) -> None:
        """Remember the atoms of the current turn for the next one."""
        now = Number(self.turn)
        for state in self._asked:
            later: list[Symbol] = []
            derived = defaultdict[_Key, list[Symbol]](list)
            for atom in self._derived[state.signature]:
                *arguments, turn = atom.arguments
                if turn == now:
                    row = Function("", arguments[state.key :])
                    derived[tuple(arguments[: state.key])].append(row)
                elif turn > now:
                    later.append(atom)
            self._rows[state.signature].update(derived)
            self._derived[state.signature][:] = later
        # A state is replaced each turn: what no later turn looks back at is in the way.
        carried = self._select_carried(self.turn, [state.signature for state in self._looked])
        for signature, symbols in carried.items():
            self._carried[signature][:] = symbols
        self._open_turn()

    def _open_turn(self) -> None:
        """Note that the current turn has not yet received the state before it."""
        self._asked_keys.clear()
        self._not_grounded = {_LOOK_BACK, _HAND_IN}

    def save(self) -> SavedGame:
        """Return the state of the game, whose current turn must not have any facts yet."""
        return SavedGame(
            turn=self.turn,
            carried=self._select_carried(self.turn - 1, self._carried),
            derived=_copy(self._derived),
            # The rows of a key are replaced as a whole, so they need not be copied.
            rows={signature: dict(rows) for signature, rows in self._rows.items()},
            news=_copy(self._news),
        )

    def restore(self, saved: SavedGame, parts: Sequence[str], given: Facts | None = None) -> None:
        """Return to a saved game, of a game with the same program and the same initial facts.

        The parts and the facts are those that had been played for its current turn.
        """
        self.turn = saved.turn
        self._rows = {signature: dict(rows) for signature, rows in saved.rows.items()}
        self._begin(saved.carried)
        self._open_turn()
        if parts:
            self.play(parts, given)
        # Parts that are grounded again also derive what the saved game already has.
        for kept, atoms in ((self._derived, saved.derived), (self._news, saved.news)):
            for signature, symbols in atoms.items():
                kept[signature][:] = symbols

    def list_state(self) -> dict[str, list[Row]]:
        """Return the whole state before the current turn, as facts without the turn."""
        facts: dict[str, list[Row]] = {}
        for state in self._states:
            keys = () if state.key is None else self._rows[state.signature]
            facts[state.kept] = self._list_rows(state, keys)
        return facts

    def list_handed(self) -> dict[str, list[Row]]:
        """Return the state that the current turn has read, as facts without the turn."""
        facts: dict[str, list[Row]] = {}
        for state in self._states:
            facts[state.before] = self._list_rows(state, self._asked_keys[state.source])
        return facts

    def _list_rows(self, state: State, keys: Iterable[_Key]) -> list[Row]:
        """Return the rows of some keys before the current turn, or of a state without keys."""
        rows: list[Sequence[Symbol]] = []
        if state.key is None:
            before = Number(self.turn - 1)
            atoms = [atom.arguments for atom in self._carried[state.signature]]
            rows += [arguments[:-1] for arguments in atoms if arguments[-1] == before]
        for key in keys:
            found = self._rows[state.signature].get(key, ())
            rows += [(*key, *row.arguments) for row in found]
        return [tuple(map(to_exact_value, row)) for row in rows]

    def end_turn(self, parts: Sequence[str], given: Facts, then: Sequence[str]) -> None:
        """Play the current turn, and open the next one, in one grounding where possible.

        The rows of the facts leave out the turn. The parts ``then`` of the next turn cannot read
        the state before it.
        """
        if not self._is_renewal_due():
            self.play(parts, given, then)
            self._remember()
            self.turn += 1
            return
        self.play(parts, given)
        self.next_turn()
        opening: _Parts = [(part, [Number(self.turn)]) for part in then]
        self._collect(self._ground(opening, FactSource({})))

    def play_turns(
        self,
        parts: Sequence[str],
        given: Sequence[Facts],
        then: Sequence[str],
        opening: Facts,
        more: Sequence[str] = (),
        known: Sequence[str] = (),
    ) -> None:
        """Play the current turn and those after it, and open the next one, in one grounding.

        `can_play_turns` says whether this is possible.

        Args:
            parts: The parts of each turn, after those that open it.
            given: The facts of each turn, whose rows leave out the turn.
            then: The parts that open a turn.
            opening: The facts that open the next turn.
            more: Further parts of the next turn.
            known: The parts that the current turn already has, besides those that open it.
        """
        last = self.turn + len(given) - 1
        grounded: _Parts = []
        texts = []
        if _LOOK_BACK in self._not_grounded:
            grounded.append((_LOOK_BACK, [Number(self.turn)]))
        for turn, facts in enumerate((*given, opening), start=self.turn):
            rows = {name: [(*row, turn) for row in listed] for name, listed in facts.items()}
            texts.append(write_facts(rows))
            if turn > self.turn:
                grounded += [(part, [Number(turn)]) for part in (_LOOK_BACK, *then)]
            if turn <= last:
                left_out = known if turn == self.turn else ()
                wanted = [part for part in parts if part not in left_out]
                grounded += [(part, [Number(turn)]) for part in wanted]
        grounded += [(part, [Number(last + 1)]) for part in more]
        name = f"turns_{self.turn}"
        self._control.add(name, [], "".join(texts))
        self._collect(self._ground([(name, []), *grounded], FactSource({})))
        self.turn = last
        self._remember()
        self.turn += 1
        self._not_grounded.discard(_LOOK_BACK)

    def can_play_turns(self, number: int) -> bool:
        """Return whether a number of turns can be played in one grounding.

        They cannot if rules ask about some of the state, or the game is renewed before them.
        """
        return not self._asked and self.turn + number - 1 - self._begun < self._renewal

    def _is_renewal_due(self) -> bool:
        """Return whether the game is renewed before the next turn."""
        return self._renewal <= self.turn - self._begun

    def play(
        self, parts: Sequence[str], given: Facts | None = None, then: Sequence[str] = ()
    ) -> None:
        """Ground parts for the current turn, with facts, and then parts for the next turn.

        The rows of the facts leave out the turn.
        """
        given = given or {}
        before: list[str] = []
        if self._looked and _LOOK_BACK in self._not_grounded:
            before.append(_LOOK_BACK)
        if _HAND_IN in self._not_grounded and not self._asking.isdisjoint(parts):
            before.append(_HAND_IN)
        self._not_grounded.difference_update(before)
        taking_in = [self._add_part_of_facts(signature) for signature in shapes_of(given)]
        now, later = [Number(self.turn)], [Number(self.turn + 1)]
        grounded: _Parts = [(part, now) for part in (*before, *taking_in, *parts)]
        grounded += [(part, later) for part in then]
        self._collect(self._ground(grounded, FactSource(given, find=self._find_source)))

    def _find_source(self, name: str) -> Callable[..., Sequence[Symbol]] | None:
        """Return the function, named in the rules, that hands in what a turn asks about."""
        for state in self._asked:
            if name == state.source:
                return partial(self._hand_in, state)
        return None

    def _hand_in(self, state: State, *key: Symbol) -> Sequence[Symbol]:
        """Return the rows of a key, and note that the turn has asked about it."""
        self._asked_keys[state.source][key] = None
        return self._rows[state.signature].get(key, ())

    def _add_part_of_facts(self, signature: Signature) -> str:
        """Return the name of the part that takes in a predicate's facts; add it if missing."""
        name, arity = signature
        part = f"given_{name}_{arity}"
        if part not in self._parts_of_facts:
            self._parts_of_facts.add(part)
            self._control.add(part, ["t"], take_in(signature, "t"))
        return part

    @overload
    def news(self, predicate: str) -> list[tuple[Any, ...]]: ...

    @overload
    def news(self, predicate: type[Typed]) -> list[Typed]: ...

    def news(self, predicate: str | type[Typed]) -> list[tuple[Any, ...]] | list[Typed]:
        """Return the rows of a shown predicate that are new since the last call for it.

        A row type gives named tuples, and a name plain ones.
        """
        if not isinstance(predicate, str):
            return read_rows(predicate, self._take_news(predicate_of(predicate)))
        found: list[tuple[Any, ...]] = []
        for signature in self._news:
            if signature[0] == predicate:
                found += self._take_news(signature)
        return found

    def list_new(self, signature: Signature) -> list[list[Symbol]]:
        """Return the new rows of a shown predicate as symbols, without the turn; see `news`."""
        atoms = self._news.get(signature, [])
        found = [atom.arguments[:-1] for atom in atoms]
        atoms.clear()
        return found

    def _take_news(self, signature: Signature) -> list[Row]:
        """Return the new rows of a shown predicate, and forget them."""
        atoms = self._news.get(signature, [])
        rows = list(map(to_row, atoms))
        atoms.clear()
        return rows

    def _begin(self, carried: _Atoms | None) -> None:
        """Ground the start of the game, or renew it with the atoms that are carried over."""
        self._begun = self.turn
        # The atoms that later turns look back at, and those that hold from then on.
        self._carried: dict[Signature, list[Symbol]] = {}
        for signature in (*self._lookback.distances, *self._lookback.lasting):
            self._carried[signature] = list(carried[signature]) if carried else []
        self._lists = self._index_lists()
        self._parts_of_facts = set[str]()
        self._atoms = _NewAtoms(may_choose=self._may_choose)
        self._log: Logger
        source = FactSource(self._facts, carried)
        with collected_messages(self._program.statements) as self._log:
            program = self._program + parse_cached(tuple(source.taking_in))
            shown = (*self._carried, *self._derived)
            self._control = open_control(program, self._pass_on, "--models=2", shown=shown)
            handing = "\n".join(state.hand_in() for state in self._asked)
            self._control.add(_HAND_IN, ["t"], handing)
            # A cleanup after solving would discard all indices, and there is no atom to remove.
            self._control.enable_cleanup = False
            self._control.register_observer(self._atoms)
        start = self._ground([("base", [])], source)
        # The atoms of the start are news only once, and not when the game is renewed.
        if carried is None:
            self._collect(start)

    def _pass_on(self, code: MessageCode, message: str) -> None:
        """Pass a message from clingo to the current logger: each grounding has its own."""
        self._log(code, message)

    def _index_lists(self) -> dict[str, dict[int, list[list[Symbol]]]]:
        """Return the lists that collect atoms, by name and number of arguments."""
        lists = defaultdict[str, dict[int, list[list[Symbol]]]](dict)
        for found in (self._news, self._carried, self._derived):
            for (name, arity), symbols in found.items():
                lists[name].setdefault(arity, []).append(symbols)
        return lists

    def _ground(self, parts: _Parts, source: FactSource) -> list[Symbol]:
        """Ground parts, and return the new atoms that hold."""
        try:
            with collected_messages(self._program.statements) as self._log:
                supervisor = Supervisor(self._program)
                supervisor.run(lambda: self._control.ground(parts, context=source))
                if self._control.is_conflicting:
                    raise name_suspect(self._program, NONE)
                return self._atoms.take(self._control, self._program, supervisor)
        except LimitError:
            raise
        except RuleError as error:
            raise blame_user(self._program, error) from error

    def _collect(self, atoms: Iterable[Symbol]) -> None:
        """Add new atoms to the lists for their predicates."""
        for symbol in atoms:
            lists = self._lists[symbol.name]
            if len(lists) == 1:
                (collecting,) = lists.values()
            else:
                # Reading an attribute of a symbol is a call into clingo, which is slow.
                collecting = lists[len(symbol.arguments)]
            for collected in collecting:
                collected.append(symbol)

    def _select_carried(self, turn: int, signatures: Iterable[Signature]) -> _Atoms:
        """Return the atoms of some predicates that turns after a turn look back at."""
        carried: dict[Signature, Sequence[Symbol]] = {}
        for signature in signatures:
            atoms = carried[signature] = tuple(self._carried[signature])
            if signature not in self._lookback.lasting:
                first = Number(turn - self._lookback.distances[signature] + 1)
                # A term that is not a number is greater: it may be about any turn.
                carried[signature] = [atom for atom in atoms if atom.arguments[-1] >= first]
        return carried


def _copy(atoms: _Atoms) -> dict[Signature, Sequence[Symbol]]:
    """Copy lists of atoms that keep growing."""
    return {signature: tuple(symbols) for signature, symbols in atoms.items()}


class _NewAtoms(Observer):
    """Collects each shown atom when it is new: going through all atoms each turn is slow."""

    def __init__(self, *, may_choose: bool) -> None:
        """Start without atoms.

        If rules may choose, there may be several answer sets although no shown atom is open.
        """
        self._may_choose = may_choose
        self._facts: list[Symbol] = []
        self._open: list[Symbol] = []

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        # The atom number of a fact is 0.
        if atom:
            self._open.append(symbol)
        else:
            self._facts.append(symbol)

    def take(self, control: Control, program: Program, supervisor: Supervisor) -> list[Symbol]:
        """Return the new atoms that hold since the last call; solve if any of them are open.

        It is a RuleError if there is no answer set, or if there are several.
        """
        facts = self._facts
        open_ = self._open
        self._facts = []
        self._open = []
        if not open_ and not self._may_choose:
            return facts

        def solve() -> list[list[Symbol]]:
            """Return the open atoms that hold in each answer set."""
            with control.solve(yield_=True) as models:
                return [list(filter(model.contains, open_)) for model in models]

        answer_sets = supervisor.run(solve, control.interrupt)
        if not answer_sets:
            raise name_suspect(program, NONE)
        held, *others = answer_sets
        if others:
            differing = set(held).symmetric_difference(others[0])
            hint = ""
            if differing:
                hint = f"{min(differing)} holds in some of them"
            predicates = {(atom.name, len(atom.arguments)) for atom in differing}
            raise name_suspect(program, SEVERAL, frozenset(predicates), hint)
        return facts + held
