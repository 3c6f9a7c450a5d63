"""The state before a turn, which live play remembers and hands in.

The rules of a turn read the state before it under another name: ``before_at(P,C,t)`` is what
``at(P,C,t-1)`` was. The rules do not depend on where that state comes from. A record may print it;
a rule may look back, as in ``before_at(P,C,t) :- at(P,C,t-1)``; if no rule gives it, live play
remembers the atoms that earlier turns have derived:

* for most predicates, all atoms of the last turn;
* for a predicate with ``asks_holds(S,t)``, the last atoms of each S. They are handed in only for
  the S that the turn asks about, so that a turn costs the same on a board of any size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from clingo import Function, Symbol

from kb_score.engine.program import ASKS, BEFORE, OPEN, Program, Statement
from kb_score.engine.scan import Atom, Signature
from kb_score.engine.terms import Facts, Row, name_values, to_exact_value

# The parts of live play that hand in the state before a turn: all rows of a predicate, or those
# that the turn asks about.
STATE = "state_before"
ASKED = "state_asked"
# The fact that makes rules ask about all places, since a user's rule may read any.
ASKS_ALL = "asks_all"
# The prefix of the facts that hold all remembered rows of a predicate, if a turn asks about only
# some of them.
_KEPT = "kept_"
# A term with a name and arguments.
_COMPOUND = re.compile(r"_*[a-z][\w']*\(")

_Key: TypeAlias = tuple[Symbol, ...]


@dataclass(slots=True)
class Remembered:
    """A predicate that the next turn reads.

    Attributes:
        arity: The number of its arguments, the turn included.
        key: The number of leading arguments that a turn asks about; None if turns do not ask.
        values: The remembered atoms: the leading arguments, with the tuples of all others but the
            turn.
    """

    name: str
    arity: int
    key: int | None
    values: dict[_Key, list[Symbol]] = field(default_factory=dict)

    @property
    def signature(self) -> Signature:
        """The name and the number of arguments."""
        return self.name, self.arity

    @property
    def kept(self) -> str:
        """The name of the facts with all remembered atoms, which `write_choice` reads."""
        prefix = _KEPT
        if self.key is None:
            prefix = BEFORE
        return f"{prefix}{self.name}"

    @property
    def source(self) -> str:
        """The name of the function that hands in the remembered atoms, as its rule calls it."""
        return f"{BEFORE}{self.name}_{self.arity}"

    def write_rule(self) -> str:
        """Write the rule that hands in the remembered atoms."""
        names = name_values(self.arity - 1)
        length = self.key or 0
        key = names[:length]
        rest = names[length:]
        head = self._write_before(names)
        call = _write_atom(f"@{self.source}", key)
        # A tuple of one element is written with a trailing comma.
        row = "".join(f"{name}," for name in rest)
        rule = f"{head} :- ({row}) = {call}"
        if self.key is not None:
            asked = self._write_asked(key)
            rule += f", {asked}"
        return f"{rule}."

    def _write_before(self, names: Sequence[str]) -> str:
        """Write the atom through which a turn reads the state before it."""
        return _write_atom(f"{BEFORE}{self.name}", [*names, "t"])

    def _write_asked(self, key: Sequence[str]) -> str:
        """Write the atom with which a turn asks about a key."""
        return _write_atom(f"{ASKS}{self.name}", [*key, "t"])

    def _write_kept(self, names: Sequence[str], turn: str) -> str:
        """Write the atom that keeps what holds in some turn."""
        return _write_atom(f"{_KEPT}{self.name}", [*names, turn])

    def update(self, atoms: Iterable[Symbol]) -> None:
        """Remember atoms that all have the same turn in place of earlier ones; other keys stay."""
        derived = defaultdict[_Key, list[Symbol]](list)
        length = self.key or 0
        for atom in atoms:
            *arguments, _ = atom.arguments
            key = tuple(arguments[:length])
            rest = arguments[length:]
            row = Function("", rest)
            derived[key].append(row)
        if self.key is None:
            self.values.clear()
        self.values.update(derived)

    def find(self, *key: Symbol) -> Sequence[Symbol]:
        """Return the other arguments of the remembered atoms with a key, without the turn."""
        return self.values.get(key, ())

    def write_chain(self) -> list[str]:
        """Write the rules that look back, for use where no state is handed in."""
        names = name_values(self.arity - 1)
        earlier = [*names, "t-1"]
        derived = _write_atom(self.name, earlier)
        if self.key is None:
            head = self._write_before(names)
            return [f"{head} :- {derived}."]
        key = names[: self.key]
        kept = self._write_kept(names, "t")
        kept_before = self._write_kept(names, "t-1")
        restated = _write_atom(f"restated_{self.name}", [*key, "t"])
        # The last atoms of a key stay until a turn derives others with the same key.
        return [
            f"{restated} :- {derived}.",
            f"{kept} :- {derived}.",
            f"{kept} :- {kept_before}, not {restated}.",
            *self.write_choice(),
        ]

    def write_choice(self) -> list[str]:
        """Write the rule that selects, out of all remembered rows, those that a turn asks about."""
        if self.key is None:
            return []
        names = name_values(self.arity - 1)
        key = names[: self.key]
        head = self._write_before(names)
        kept = self._write_kept(names, "t")
        asked = self._write_asked(key)
        return [f"{head} :- {kept}, {asked}."]

    def list_rows(self, keys: Iterable[_Key] | None = None) -> list[Row]:
        """Return the remembered rows of some keys, or of all, without the turn."""
        if keys is None:
            keys = self.values
        rows: list[Row] = []
        for key in keys:
            for value in self.find(*key):
                symbols = (*key, *value.arguments)
                row = tuple(map(to_exact_value, symbols))
                rows.append(row)
        return rows


def hand_in_all(facts: Facts) -> Facts:
    """Return the facts of a position with its whole state, whatever its turn asks about.

    Names such as ``kept_holds``, which `StateBefore.list_kept` gives, become the names that the
    rules read, such as ``before_holds``.
    """
    handed: dict[str, Sequence[Row]] = {}
    for name, rows in facts.items():
        read_name = name
        if name.startswith(_KEPT):
            read_name = name.replace(_KEPT, BEFORE, 1)
        handed[read_name] = rows
    return handed


def write_chain(program: Program) -> str:
    """Write the part ``open`` in which the state before a turn is what the previous one derives."""
    rules: list[str] = []
    for remembered in list_remembered(program):
        rules += remembered.write_chain()
    return _write_part(rules)


def write_choice(program: Program) -> str:
    """Write the part ``open`` in which a turn selects what it asks about from the whole state."""
    rules: list[str] = []
    for remembered in list_remembered(program):
        rules += remembered.write_choice()
    return _write_part(rules)


def _write_part(rules: Iterable[str]) -> str:
    """Write the part ``open`` with some rules."""
    lines = [f"#program {OPEN}(t).", *rules]
    return "\n".join(lines)


def _write_atom(name: str, arguments: Sequence[str]) -> str:
    """Write an atom as text."""
    joined = ",".join(arguments)
    return f"{name}({joined})"


def list_remembered(program: Program) -> list[Remembered]:
    """List the predicates, such as ``at/3``, whose state turns read although no rule gives it."""
    keys: dict[str, int] = {}
    for asking, arity in program.derived:
        name = asking.removeprefix(ASKS)
        if name != asking:
            without_turn = arity - 1
            keys[name] = without_turn
    found: list[Remembered] = []
    not_given = program.used - _find_given(program)
    for before, arity in sorted(not_given):
        name = before.removeprefix(BEFORE)
        if name == before or (name, arity) not in program.derived:
            continue
        key = keys.get(name)
        remembered = Remembered(name, arity, key)
        found.append(remembered)
    return found


def _find_given(program: Program) -> set[Signature]:
    """Find the predicates that rules give for turns, and not just for moves that are tried out."""
    given: set[Signature] = set()
    for statement in program.statements:
        if not _derives(statement, BEFORE):
            continue
        for atom in statement.atoms:
            if atom.in_head and not is_tried(atom):
                given.add(atom.signature)
    return given


def _derives(statement: Statement, prefix: str) -> bool:
    """Return whether a statement derives a predicate whose name begins with a prefix."""
    return any(name.startswith(prefix) for name, _ in statement.heads)


def is_tried(atom: Atom) -> bool:
    """Return whether the last argument of an atom is a move to try out: ``try(From,To)``."""
    # A tuple has no name: it is the detail of an illegal action, for example.
    return _COMPOUND.match(atom.last) is not None


def find_asking_parts(program: Program) -> frozenset[str]:
    """Find the names of the parts whose rules ask about the state before their turn."""
    return frozenset(s.part for s in program.statements if _derives(s, ASKS))


class StateBefore:
    """The state before the next turn, except what rules give."""

    def __init__(self, remembered: Sequence[Remembered]) -> None:
        """Start with an empty state of some predicates."""
        self._remembered = remembered
        self._collected: dict[Signature, list[Symbol]] = {}
        for one in remembered:
            self._collected[one.signature] = []
        # The keys that the current turn has asked about, by the functions that hand in the rows.
        self._asked: dict[str, dict[_Key, None]] = {}

    def __bool__(self) -> bool:
        """Return whether there is any predicate to remember."""
        return bool(self._remembered)

    @property
    def collected(self) -> dict[Signature, list[Symbol]]:
        """The lists that collect the atoms of the current turn, by predicate."""
        return self._collected

    def save(self) -> list[dict[_Key, list[Symbol]]]:
        """Return the remembered rows of each predicate, by key, for `restore`."""
        # The rows of a key are replaced as a whole, so they need not be copied.
        return [dict(remembered.values) for remembered in self._remembered]

    def restore(self, saved: Sequence[Mapping[_Key, list[Symbol]]]) -> None:
        """Return to a state that `save` returned, and forget all later atoms."""
        for remembered, values in zip(self._remembered, saved, strict=True):
            remembered.values = dict(values)
        for atoms in self._collected.values():
            atoms.clear()
        self._asked.clear()

    def write_rules(self, *, asked: bool) -> str:
        """Return the rules that hand in the state before a turn.

        They are those of the predicates that turns ask about, or those of all others.
        """
        rules: list[str] = []
        for remembered in self._remembered:
            is_asked = remembered.key is not None
            if is_asked == asked:
                rule = remembered.write_rule()
                rules.append(rule)
        return "\n".join(rules)

    def end_turn(self, turn: Symbol) -> None:
        """Remember the atoms of a turn."""
        for remembered in self._remembered:
            atoms = self._collected[remembered.signature]
            # A turn may also derive what holds at a later one.
            of_turn: list[Symbol] = []
            later: list[Symbol] = []
            for atom in atoms:
                last = atom.arguments[-1]
                if last == turn:
                    of_turn.append(atom)
                elif last > turn:
                    later.append(atom)
            remembered.update(of_turn)
            atoms[:] = later
        self._asked.clear()

    def list_kept(self) -> dict[str, list[Row]]:
        """Return the whole state as facts without the turn, which `write_choice` reads."""
        facts: dict[str, list[Row]] = {}
        for remembered in self._remembered:
            facts[remembered.kept] = remembered.list_rows()
        return facts

    def list_handed(self) -> dict[str, list[Row]]:
        """Return the part of the state that the current turn has read, as facts without a turn."""
        facts: dict[str, list[Row]] = {}
        for remembered in self._remembered:
            keys = None
            if remembered.key is not None:
                keys = self._asked.get(remembered.source, {})
            name = f"{BEFORE}{remembered.name}"
            rows = remembered.list_rows(keys)
            facts[name] = rows
        return facts

    def find(self, name: str) -> Callable[..., Sequence[Symbol]] | None:
        """Return the function, named in the rules, that hands in the state of a predicate.

        It is None for other names.
        """
        for remembered in self._remembered:
            if name == remembered.source:
                return partial(self._find, remembered)
        return None

    def _find(self, remembered: Remembered, *key: Symbol) -> Sequence[Symbol]:
        """Find the remembered rows of a key, and note that the turn has asked about it."""
        asked = self._asked.setdefault(remembered.source, {})
        asked[key] = None
        return remembered.find(*key)


def reads_anywhere(program: Program) -> bool:
    """Return whether a user's rules may read the state at places that no turn asks about.

    They may if they read the state at all, or if it depends on what they derive.
    """
    users = [statement for statement in program.statements if statement.is_from_user]
    if not users:
        return False
    names: set[str] = set()
    for name, _ in program.derived:
        state_name = name.removeprefix(ASKS)
        if state_name != name:
            names.add(state_name)
            names.add(f"{BEFORE}{state_name}")
    state: set[Signature] = set()
    for signature in program.derived | program.inputs:
        name, _ = signature
        if name in names:
            state.add(signature)
    needed = program.find_needed(state)
    read = state | _find_decided(program)
    for statement in users:
        if not statement.body.isdisjoint(read):
            return True
        if not statement.heads.isdisjoint(needed):
            return True
    return False


def _find_decided(program: Program) -> set[Signature]:
    """Find the predicates that have more atoms if rules may ask about any place."""
    asked: set[Signature] = set()
    for statement in program.statements:
        if any(name == ASKS_ALL for name, _ in statement.body):
            asked |= statement.heads
    decided: set[Signature] = set()
    for statement in program.statements:
        if not statement.body.isdisjoint(asked):
            decided |= statement.heads
    return decided
