"""The state before a turn: which of it rules read, and what gives it.

The rules of a turn read the state before it under another name: ``before_at(P,C,t)`` is what
``at(P,C,t-1)`` was. The rules do not depend on where that state comes from. A record may print it,
and a position has it as facts; where no rule gives it, a rule looks back:

    before_at(P,C,t) :- at(P,C,t-1).

On a board of any size, a turn must cost the same. So if rules derive ``asks_holds(S,t)``, a turn
changes only what holds on some S, and reads only the last atoms of the S that it asks about.

Where no rule gives it, the state before a turn comes from:

=================== ========================================== =================================
`Use.state`         if no rule asks                            if rules derive ``asks_holds``
=================== ========================================== =================================
given (a check)     facts ``before_at`` of each turn           facts ``before_holds`` of each turn
given (`Live`)      a rule that looks back                     `Live`, which remembers the rows
kept (a position)   facts ``before_at``                        facts ``kept_holds``, all rows
chained (a check)   a rule that looks back                     rules that keep all rows
=================== ========================================== =================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kb_score.engine.program import ASKS, BEFORE, OPEN, Program, Statement
from kb_score.engine.scan import Atom, Signature
from kb_score.engine.terms import Facts, Row, name_values

# The fact that makes rules ask about all places, since a user's rule may read any.
ASKS_ALL = "asks_all"
# The prefix of the facts with all that is remembered, if a turn asks about only some of it.
_KEPT = "kept_"
# The prefix of the state after the last turn.
CARRIED = "carried_"
_WORD = re.compile(r"[a-z_]\w*")
_BACK = re.compile(r"\(?([a-z_]\w*)-(\d+)\)?")
# A term with a name and arguments.
_COMPOUND = re.compile(r"_*[a-z][\w']*\(")


class State(NamedTuple):
    """A predicate whose state before a turn is read although no rule gives it.

    Attributes:
        arity: The number of its arguments, the turn included.
        key: The number of leading arguments that a turn asks about; None if turns do not ask.
    """

    name: str
    arity: int
    key: int | None

    @property
    def signature(self) -> Signature:
        """The name and the number of arguments."""
        return self.name, self.arity

    @property
    def kept(self) -> str:
        """The name of the facts with the whole state before a turn."""
        return f"{BEFORE if self.key is None else _KEPT}{self.name}"

    @property
    def before(self) -> str:
        """The name under which the rules of a turn read it."""
        return f"{BEFORE}{self.name}"

    @property
    def source(self) -> str:
        """The name of the function that hands in the rows of a key, as `hand_in` calls it."""
        return f"{BEFORE}{self.name}_{self.arity}"

    def look_back(self) -> list[str]:
        """Return the rules that give the state before a turn by what earlier turns derive."""
        names = name_values(self.arity - 1)
        before = _write_atom(f"{BEFORE}{self.name}", names, "t")
        derived = _write_atom(self.name, names, "t-1")
        if self.key is None:
            return [f"{before} :- {derived}."]
        kept = f"{_KEPT}{self.name}"
        restated = _write_atom(f"restated_{self.name}", names[: self.key], "t")
        now = _write_atom(kept, names, "t")
        # The last atoms of a key stay until a turn derives others with the same key.
        return [
            f"{restated} :- {derived}.",
            f"{now} :- {derived}.",
            f"{now} :- {_write_atom(kept, names, 't-1')}, not {restated}.",
            *self.choose(),
        ]

    @property
    def carried(self) -> str:
        """The name of what it is after the last turn, for the next one."""
        return f"{CARRIED}{self.name}"

    def carry(self) -> str:
        """Return the rule that gives what it is after the last turn."""
        names = name_values(self.arity - 1)
        carried = _write_atom(self.carried, names, "Last'+1")
        derived = _write_atom(self.name, names, "Last'")
        return f"{carried} :- {derived}, last(Last')."

    def choose(self) -> list[str]:
        """Return the rule that selects what a turn asks about from the whole state."""
        if self.key is None:
            return []
        names = name_values(self.arity - 1)
        before = _write_atom(f"{BEFORE}{self.name}", names, "t")
        kept = _write_atom(f"{_KEPT}{self.name}", names, "t")
        return [f"{before} :- {kept}, {self._ask(names)}."]

    def hand_in(self) -> str:
        """Return the rule that calls a function for what a turn asks about."""
        names = name_values(self.arity - 1)
        key, rest = names[: self.key], names[self.key :]
        before = _write_atom(f"{BEFORE}{self.name}", names, "t")
        # A tuple of one element is written with a trailing comma.
        row = "".join(f"{name}," for name in rest)
        return f"{before} :- ({row}) = {_write_atom(f'@{self.source}', key)}, {self._ask(names)}."

    def _ask(self, names: Sequence[str]) -> str:
        """Return the atom with which a turn asks about a key."""
        return _write_atom(f"{ASKS}{self.name}", names[: self.key], "t")


def _write_atom(name: str, arguments: Sequence[str], *turn: str) -> str:
    """Return an atom as text."""
    joined = ",".join([*arguments, *turn])
    return f"{name}({joined})"


def hand_in_all(facts: Facts) -> Facts:
    """Return the facts of a position with its whole state, whatever its turn asks about.

    Names such as ``kept_holds`` become the names that the rules read, such as ``before_holds``.
    """
    handed: dict[str, Sequence[Row]] = {}
    for name, rows in facts.items():
        if name.startswith(_KEPT):
            name = name.replace(_KEPT, BEFORE, 1)
        handed[name] = rows
    return handed


def write_part(rules: Iterable[str], part: str = OPEN) -> str:
    """Return a part of a program with some rules about a turn."""
    return "\n".join([f"#program {part}(t).", *rules])


def list_states(program: Program) -> list[State]:
    """List the predicates, such as ``at/3``, whose state turns read although no rule gives it."""
    keys: dict[str, int] = {}
    for asking, arity in program.derived:
        name = asking.removeprefix(ASKS)
        if name != asking:
            without_turn = arity - 1
            keys[name] = without_turn
    found: list[State] = []
    not_given = program.used - _find_given(program)
    for before, arity in sorted(not_given):
        name = before.removeprefix(BEFORE)
        if name != before and (name, arity) in program.derived:
            found.append(State(name, arity, keys.get(name)))
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


def reads_anywhere(program: Program) -> bool:
    """Return whether a user's rules may read the state at places that no turn asks about.

    They may if they read the state at all, or if it depends on what they derive.
    """
    users = [statement for statement in program.statements if statement.origin == "user"]
    if not users:
        return False
    names: set[str] = set()
    for name, _ in program.derived:
        state_name = name.removeprefix(ASKS)
        if state_name != name:
            names.add(state_name)
            names.add(f"{BEFORE}{state_name}")
    state = {signature for signature in program.derived | program.inputs if signature[0] in names}
    needed = program.find_needed(state)
    read = state | _find_decided(program)
    return any(
        not statement.body.isdisjoint(read) or not statement.heads.isdisjoint(needed)
        for statement in users
    )


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


class Lookback(NamedTuple):
    """What rules about a turn read of other turns.

    Attributes:
        distances: The predicates whose atoms a turn looks back at: in a condition, their last
            argument is ``t-1``, ``t-2`` and so on. Each has the largest such distance, or 0 if a
            turn only derives its atoms for other turns, such as ``t+1``.
        lasting: The predicates that parts derive without a turn as the last argument: their atoms
            hold from then on.
    """

    distances: dict[Signature, int]
    lasting: frozenset[Signature]


def find_lookback(program: Program) -> Lookback:
    """Return what the rules of a program read of other turns."""
    distances = dict[Signature, int]()
    lasting = set[Signature]()
    for statement in program.statements:
        turn = statement.turn
        for atom in statement.atoms if turn else ():
            # A symbol has its minus sign apart from its name.
            signature = (atom.name.removeprefix("-"), len(atom.arguments))
            if not atom.is_derived:
                found = _BACK.fullmatch(atom.last)
                if found is not None and found[1] == turn:
                    distances[signature] = max(int(found[2]), distances.get(signature, 0))
            elif turn not in _WORD.findall(atom.last):
                lasting.add(signature)
            elif atom.last != turn:
                distances.setdefault(signature, 0)
    return Lookback(distances, frozenset(lasting))
