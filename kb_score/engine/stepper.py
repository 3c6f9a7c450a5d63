"""Live play: the rules are grounded part by part, with new facts for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from clingo import Control, MessageCode, Number, Observer, Symbol

from kb_score.engine.lift import find_carried
from kb_score.engine.lower import lower_to_turns
from kb_score.engine.program import Logger, Program, Signature, collected_messages
from kb_score.engine.solve import find_suspects, name_suspect, open_control, parse_rules
from kb_score.engine.state import (
    ASKED,
    STATE,
    Remembered,
    StateBefore,
    find_asking_parts,
    list_remembered,
)
from kb_score.engine.supervisor import Supervisor
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

_CONTRADICTION = "the rules contradict themselves or the facts"

# Parts of a program, each with the turns for which it is grounded.
_Parts: TypeAlias = list[tuple[str, Sequence[Symbol]]]


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A game as far as it has been played, to which a `Stepper` can return.

    Attributes:
        turn: The present turn.
        carried: The atoms that the turn and later ones look back at.
        said: What was said of the turn and of later ones.
        values: What is remembered of each predicate.
        news: What `Stepper.news` has not returned.
    """

    turn: int
    carried: Mapping[Signature, Sequence[Symbol]]
    said: Mapping[Signature, Sequence[Symbol]]
    values: Sequence[Mapping[tuple[Symbol, ...], list[Symbol]]]
    news: Mapping[Signature, Sequence[Symbol]]


class Stepper:
    """A game as far as it has been played; turn 0 is the start, before the first turn.

    The state before a turn is handed in if no rule gives it; see `kb_score.engine.state`.

    Grounding takes longer the more atoms there are. So the game is renewed now and then: it starts
    again from the atoms that the next turn looks back at and those of later turns, which `news`
    does not show.

    Raises:
        RuleError: clingo finds a mistake, or the rules leave something open. Each method that
            grounds may raise it.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        *,
        renewal: int,
        remembered: Sequence[Remembered] | None = None,
    ) -> None:
        """Ground the start of the game.

        Args:
            program: The rules.
            facts: The facts of the start.
            renewal: The number of turns after which the game is renewed.
            remembered: The predicates whose state before a turn is handed in and listed; None for
                those that the rules read and do not give.
        """
        self._asking = find_asking_parts(program)
        program = lower_to_turns(program)
        # The inputs may come at any turn, or never.
        self._program = program.with_open_predicates
        self._renewal = renewal
        self._doubtful = bool(find_suspects(program))
        self._back, self._lasting = find_carried(program)
        if remembered is None:
            remembered = list_remembered(self._program)
        self._state = StateBefore(remembered)
        # Whether the present turn has the state before it, and what it asks about.
        self._is_state_given = True
        self._is_asked_given = True
        self.turn = 0
        self._facts = facts
        # The shown atoms that `news` has not returned, by predicate.
        self._news: dict[Signature, list[Symbol]] = {}
        for signature in self._program.shown:
            self._news[signature] = []
        self._begin(None)

    def next_turn(self) -> None:
        """Go on to the next turn."""
        self._remember()
        if self._is_renewal_due():
            self._begin(self._carried_atoms(self.turn))
        self.turn += 1

    def _remember(self) -> None:
        """Remember what the present turn has said, for the next one."""
        self._state.end_turn(Number(self.turn))
        self._ask_for_state()

    def _ask_for_state(self) -> None:
        """Note that the present turn has not been handed in the state before it."""
        self._is_state_given = not self._state
        self._is_asked_given = not self._asking

    def save(self) -> SavedGame:
        """Save the game, of whose present turn no facts have been given."""
        return SavedGame(
            turn=self.turn,
            carried=self._carried_atoms(self.turn - 1),
            said=_copy_lists(self._state.said),
            values=self._state.save(),
            news=_copy_lists(self._news),
        )

    def restore(self, saved: SavedGame, parts: Sequence[str]) -> None:
        """Return to a saved game.

        Args:
            saved: The game, of a stepper with the same program and the same facts of the start.
            parts: The parts that had been played for its present turn.
        """
        self.turn = saved.turn
        self._state.restore(saved.values)
        self._begin(saved.carried)
        self._ask_for_state()
        if parts:
            self._play(parts, {})
        # Parts that are grounded again say again what was said when the game was saved.
        for signature, atoms in saved.said.items():
            self._state.said[signature][:] = atoms
        for signature, atoms in saved.news.items():
            self._news[signature][:] = atoms

    def list_kept(self) -> dict[str, list[Row]]:
        """List all that may be handed in to the present turn, as facts without the turn."""
        return self._state.list_kept()

    def list_handed(self) -> dict[str, list[Row]]:
        """List the state before the present turn that was handed in, as facts without the turn."""
        return self._state.list_handed()

    def play(self, parts: Sequence[str], given: Facts | None = None) -> None:
        """Ground parts for the current turn, with facts whose rows leave out the turn."""
        self._play(parts, given or {})

    def end_turn(self, parts: Sequence[str], given: Facts, then: Sequence[str]) -> None:
        """Play parts for this turn, and others for the next, in one grounding where possible.

        Those for the next turn cannot read the state before it.
        """
        if self._is_renewal_due():
            self.play(parts, given)
            self.next_turn()
            opening: _Parts = [(part, [Number(self.turn)]) for part in then]
            self._collect(self._ground(opening, FactSource({})))
        else:
            self._play(parts, given, then)
            self._remember()
            self.turn += 1

    def _is_renewal_due(self) -> bool:
        """Return whether the game is renewed before the next turn."""
        return self.turn - self._begun == self._renewal

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
        atoms = self._ground(grounded, FactSource(given, find=self._state.find))
        self._collect(atoms)

    def _add_part_of_facts(self, signature: Signature) -> str:
        """Return the part that takes in the facts of a predicate; add it if there is none yet."""
        name, arity = signature
        part = f"given_{name}_{arity}"
        if part not in self._parts_of_facts:
            self._parts_of_facts.add(part)
            rule = take_in(signature, "t")
            self._control.add(part, ["t"], rule)
        return part

    def news(self, row_type: type[Typed]) -> list[Typed]:
        """Return the shown atoms of a predicate that are new since the last call for it."""
        predicate = predicate_of(row_type)
        atoms = self._news.get(predicate, [])
        rows = [to_row(atom) for atom in atoms]
        atoms.clear()
        return read_rows(row_type, rows)

    def _begin(self, carried: Mapping[Signature, Sequence[Symbol]] | None) -> None:
        """Ground the start, with the atoms that are carried over if the game is renewed."""
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
        with collected_messages() as self._log:
            program = self._program + parse_rules(tuple(source.taking_in))
            shown = (*self._known, *self._state.said)
            self._control = open_control(program, self._pass_on, "--models=2", shown=shown)
            if self._state:
                self._control.add(STATE, ["t"], self._state.write_rules(asked=False))
                self._control.add(ASKED, ["t"], self._state.write_rules(asked=True))
            # After solving clingo would forget all indices, and find no atom to drop.
            self._control.enable_cleanup = False
            self._control.register_observer(self._atoms)
        start = self._ground([("base", [])], source)
        # The atoms of the start are news, but not once more when the game is renewed.
        if carried is None:
            self._collect(start)

    def _pass_on(self, code: MessageCode, message: str) -> None:
        """Pass on a message of clingo: each grounding collects its own messages."""
        self._log(code, message)

    def _list_places(self) -> dict[str, dict[int, list[list[Symbol]]]]:
        """List the lists that collect atoms, by the name and the number of arguments."""
        places: dict[str, dict[int, list[list[Symbol]]]] = {}
        for found in (self._news, self._known, self._state.said):
            for (name, arity), symbols in found.items():
                by_arity = places.setdefault(name, {})
                by_arity.setdefault(arity, []).append(symbols)
        return places

    def _ground(self, parts: _Parts, source: FactSource) -> list[Symbol]:
        """Ground parts; return the new atoms that hold."""
        with collected_messages() as self._log:
            supervisor = Supervisor(self._program)
            supervisor.run(lambda: self._control.ground(parts, context=source))
            if self._control.is_conflicting:
                raise name_suspect(self._program, _CONTRADICTION)
            return self._atoms.take(self._control, self._program, supervisor)

    def _collect(self, atoms: Iterable[Symbol]) -> None:
        """Add new atoms to those of their predicates."""
        for symbol in atoms:
            places = self._places[symbol.name]
            if len(places) == 1:
                (collecting,) = places.values()
            else:
                # Reading an attribute of a symbol is a call of clingo, which takes a while.
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
            kept = list[Symbol]()
            for symbol in self._known[signature]:
                # A term that is not a number is greater: it may be about any turn.
                if symbol.arguments[-1] >= first:
                    kept.append(symbol)
            carried[signature] = kept
        return carried


def _copy_lists(found: Mapping[Signature, Sequence[Symbol]]) -> dict[Signature, Sequence[Symbol]]:
    """Copy lists of atoms, which go on growing."""
    return {signature: tuple(atoms) for signature, atoms in found.items()}


class _Atoms(Observer):
    """Collects each shown atom when it is new: to go through all atoms each turn is slow.

    Args:
        doubtful: Whether there may be several answer sets although no shown atom is open.
    """

    def __init__(self, *, doubtful: bool) -> None:
        self._doubtful = doubtful
        self._facts: list[Symbol] = []
        self._open: list[Symbol] = []

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        # Facts have no number.
        if atom:
            self._open.append(symbol)
        else:
            self._facts.append(symbol)

    def take(self, control: Control, program: Program, supervisor: Supervisor) -> list[Symbol]:
        """Return the atoms since the last call that hold; solve, if any of them are open."""
        facts = self._facts
        open_ = self._open
        self._facts = []
        self._open = []
        if not open_ and not self._doubtful:
            return facts

        def solve() -> list[list[Symbol]]:
            """List the open atoms that hold in each answer set."""
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
