"""Live play: grounds rules part by part, with new facts for each part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from clingo import Control, MessageCode, Number, Observer, Symbol

from kb_score.engine.lift import find_carried
from kb_score.engine.program import Logger, Program, collected_messages
from kb_score.engine.scan import Signature
from kb_score.engine.solve import blame_user, find_suspects, name_suspect, open_control, parse_rules
from kb_score.engine.state import (
    ASKED,
    STATE,
    Remembered,
    StateBefore,
    find_asking_parts,
    list_remembered,
)
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
    to_row,
)
from kb_score.engine.turns import lower_to_turns
from kb_score.errors import RuleError

_CONTRADICTION = "the rules contradict themselves or the facts"

# Parts of a program, each with the turns for which it is grounded.
_Parts: TypeAlias = list[tuple[str, Sequence[Symbol]]]


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A state of a game to which a `Stepper` can return.

    Attributes:
        carried: The atoms that the turn and later ones look back at, by predicate.
        collected: The remembered predicates' atoms about the turn and later ones, by predicate.
        values: The state before the turn, as `StateBefore.save` returns it.
        news: The atoms that `Stepper.news` has not returned yet, by predicate.
    """

    turn: int
    carried: Mapping[Signature, Sequence[Symbol]]
    collected: Mapping[Signature, Sequence[Symbol]]
    values: Sequence[Mapping[tuple[Symbol, ...], list[Symbol]]]
    news: Mapping[Signature, Sequence[Symbol]]


class Stepper:
    """A game that is grounded turn by turn; turn 0 is the start, before the first turn.

    The state before a turn is handed in if no rule gives it; see `kb_score.engine.state`.

    The more atoms there are, the longer grounding takes. For this reason the game is renewed now
    and then: it starts again from the atoms that the next turn looks back at and those of later
    turns, which `news` does not return again.

    Each method that grounds raises a RuleError if clingo finds a mistake, or the rules leave
    something open.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        *,
        renewal: int,
        remembered: Sequence[Remembered] | None = None,
    ) -> None:
        """Ground the start of the game, which is renewed after a number of turns.

        The state of the remembered predicates before a turn is handed in and listed; by default,
        they are those that the rules read but do not give.
        """
        self._asking = find_asking_parts(program)
        program = lower_to_turns(program)
        self._program = program
        self._renewal = renewal
        suspects = find_suspects(program)
        self._doubtful = bool(suspects)
        self._back, self._lasting = find_carried(program)
        if remembered is None:
            remembered = list_remembered(self._program)
        self._state = StateBefore(remembered)
        # Whether the current turn has received the state before it, and the rows that it asks
        # about.
        self._is_state_given = True
        self._is_asked_given = True
        self.turn = 0
        self._facts = facts
        # The shown atoms that `news` has not returned, by predicate.
        self._news: dict[Signature, list[Symbol]] = {
            signature: [] for signature in self._program.shown
        }
        self._begin(None)

    def next_turn(self) -> None:
        """Go on to the next turn."""
        self._remember()
        if self._is_renewal_due():
            carried = self._carried_atoms(self.turn)
            self._begin(carried)
        self.turn += 1

    def _remember(self) -> None:
        """Remember the atoms of the current turn for the next one."""
        turn = Number(self.turn)
        self._state.end_turn(turn)
        self._ask_for_state()

    def _ask_for_state(self) -> None:
        """Note that the current turn has not yet received the state before it."""
        self._is_state_given = not self._state
        self._is_asked_given = not self._asking

    def save(self) -> SavedGame:
        """Return the state of the game, whose current turn must not have any facts yet."""
        return SavedGame(
            turn=self.turn,
            carried=self._carried_atoms(self.turn - 1),
            collected=_copy_lists(self._state.collected),
            values=self._state.save(),
            news=_copy_lists(self._news),
        )

    def restore(self, saved: SavedGame, parts: Sequence[str]) -> None:
        """Return to a saved game, of a stepper with the same program and the same initial facts.

        The parts are those that had been played for its current turn.
        """
        self.turn = saved.turn
        self._state.restore(saved.values)
        self._begin(saved.carried)
        self._ask_for_state()
        if parts:
            self._play(parts, {})
        # Parts that are grounded again also derive what the saved game already has.
        for signature, atoms in saved.collected.items():
            self._state.collected[signature][:] = atoms
        for signature, atoms in saved.news.items():
            self._news[signature][:] = atoms

    def list_kept(self) -> dict[str, list[Row]]:
        """Return the whole state before the current turn, as facts without the turn."""
        return self._state.list_kept()

    def list_handed(self) -> dict[str, list[Row]]:
        """Return the state that was handed in to the current turn, as facts without the turn."""
        return self._state.list_handed()

    def play(self, parts: Sequence[str], given: Facts | None = None) -> None:
        """Ground parts for the current turn; the rows of its facts leave out the turn."""
        self._play(parts, given or {})

    def end_turn(self, parts: Sequence[str], given: Facts, then: Sequence[str]) -> None:
        """Play the current turn, and open the next one, in one grounding where possible.

        The rows of the facts leave out the turn. The parts ``then`` of the next turn cannot read
        the state before it.
        """
        if not self._is_renewal_due():
            self._play(parts, given, then)
            self._remember()
            self.turn += 1
            return
        self.play(parts, given)
        self.next_turn()
        opening: _Parts = [(part, [Number(self.turn)]) for part in then]
        no_facts = FactSource({})
        atoms = self._ground(opening, no_facts)
        self._collect(atoms)

    def _is_renewal_due(self) -> bool:
        """Return whether the game is renewed before the next turn."""
        played = self.turn - self._begun
        return played == self._renewal

    def _play(self, parts: Sequence[str], given: Facts, then: Sequence[str] = ()) -> None:
        """Ground parts for the current turn, with facts, and then parts for the next turn."""
        now = [Number(self.turn)]
        later = [Number(self.turn + 1)]
        taking_in = [self._add_part_of_facts(signature) for signature in shapes_of(given)]
        grounded: _Parts = []
        if not self._is_state_given:
            self._is_state_given = True
            grounded.append((STATE, now))
        if not self._is_asked_given and not self._asking.isdisjoint(parts):
            self._is_asked_given = True
            grounded.append((ASKED, now))
        for part in (*taking_in, *parts):
            grounded.append((part, now))
        for part in then:
            grounded.append((part, later))
        source = FactSource(given, find=self._state.find)
        atoms = self._ground(grounded, source)
        self._collect(atoms)

    def _add_part_of_facts(self, signature: Signature) -> str:
        """Return the name of the part that takes in a predicate's facts; add it if missing."""
        name, arity = signature
        part = f"given_{name}_{arity}"
        if part not in self._parts_of_facts:
            self._parts_of_facts.add(part)
            rule = take_in(signature, "t")
            self._control.add(part, ["t"], rule)
        return part

    def news(self, row_type: type[Typed]) -> list[Typed]:
        """Return the shown atoms of a row type that are new since the last call for it."""
        predicate = predicate_of(row_type)
        atoms = self._news.get(predicate, [])
        rows = [to_row(atom) for atom in atoms]
        atoms.clear()
        return read_rows(row_type, rows)

    def _begin(self, carried: Mapping[Signature, Sequence[Symbol]] | None) -> None:
        """Ground the start of the game, or renew it with the atoms that are carried over."""
        self._begun = self.turn
        self._known: dict[Signature, list[Symbol]] = {}
        for signature in (*self._back, *self._lasting):
            if carried is None:
                self._known[signature] = []
            else:
                self._known[signature] = list(carried[signature])
        self._places = self._list_places()
        self._parts_of_facts = set[str]()
        self._atoms = _Atoms(doubtful=self._doubtful)
        self._log: Logger
        source = FactSource(self._facts, carried)
        with collected_messages(self._program.statements) as self._log:
            program = self._program + parse_rules(tuple(source.taking_in))
            shown = (*self._known, *self._state.collected)
            self._control = open_control(program, self._pass_on, "--models=2", shown=shown)
            if self._state:
                whole = self._state.write_rules(asked=False)
                asked = self._state.write_rules(asked=True)
                self._control.add(STATE, ["t"], whole)
                self._control.add(ASKED, ["t"], asked)
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

    def _list_places(self) -> dict[str, dict[int, list[list[Symbol]]]]:
        """Return the lists that collect atoms, by name and number of arguments."""
        places: dict[str, dict[int, list[list[Symbol]]]] = {}
        for found in (self._news, self._known, self._state.collected):
            for (name, arity), symbols in found.items():
                by_arity = places.setdefault(name, {})
                collecting = by_arity.setdefault(arity, [])
                collecting.append(symbols)
        return places

    def _ground(self, parts: _Parts, source: FactSource) -> list[Symbol]:
        """Ground parts, and return the new atoms that hold."""
        try:
            return self._ground_parts(parts, source)
        except LimitError:
            raise
        except RuleError as error:
            raise blame_user(self._program, error) from error

    def _ground_parts(self, parts: _Parts, source: FactSource) -> list[Symbol]:
        """Do what `_ground` does, with clingo's errors as they are."""
        with collected_messages(self._program.statements) as self._log:
            supervisor = Supervisor(self._program)
            supervisor.run(lambda: self._control.ground(parts, context=source))
            if self._control.is_conflicting:
                raise name_suspect(self._program, _CONTRADICTION)
            return self._atoms.take(self._control, self._program, supervisor)

    def _collect(self, atoms: Iterable[Symbol]) -> None:
        """Add new atoms to the lists for their predicates."""
        for symbol in atoms:
            places = self._places[symbol.name]
            if len(places) == 1:
                (collecting,) = places.values()
            else:
                # Reading an attribute of a symbol is a call into clingo, which is slow.
                arity = len(symbol.arguments)
                collecting = places[arity]
            for collected in collecting:
                collected.append(symbol)

    def _carried_atoms(self, turn: int) -> dict[Signature, Sequence[Symbol]]:
        """Return the atoms that turns after a turn look back at, by predicate."""
        carried: dict[Signature, Sequence[Symbol]] = _copy_lists(self._known)
        for signature, distance in self._back.items():
            if signature in self._lasting:
                continue
            first = Number(turn - distance + 1)
            # A term that is not a number is greater: it may be about any turn.
            carried[signature] = [
                symbol for symbol in self._known[signature] if symbol.arguments[-1] >= first
            ]
        return carried


def _copy_lists(found: Mapping[Signature, Sequence[Symbol]]) -> dict[Signature, Sequence[Symbol]]:
    """Copy lists of atoms that keep growing."""
    return {signature: tuple(atoms) for signature, atoms in found.items()}


class _Atoms(Observer):
    """Collects each shown atom when it is new: going through all atoms each turn is slow."""

    def __init__(self, *, doubtful: bool) -> None:
        """Start without atoms.

        If it is doubtful, there may be several answer sets although no shown atom is open.
        """
        self._doubtful = doubtful
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
        if not open_ and not self._doubtful:
            return facts

        def solve() -> list[list[Symbol]]:
            """Return the open atoms that hold in each answer set."""
            with control.solve(yield_=True) as models:
                return [list(filter(model.contains, open_)) for model in models]

        answer_sets = supervisor.run(solve, control.interrupt)
        if not answer_sets:
            raise name_suspect(program, _CONTRADICTION)
        held, *others = answer_sets
        if others:
            differing = set(held).symmetric_difference(others[0])
            message = "live play needs rules that leave nothing open"
            if differing:
                message += f": {min(differing)}"
            predicates = {(atom.name, len(atom.arguments)) for atom in differing}
            raise name_suspect(program, message, frozenset(predicates))
        return facts + held
