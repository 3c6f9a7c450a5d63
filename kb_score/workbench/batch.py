"""Many questions to the rules of a game, answered in few groundings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from kb_score.engine.program import Signature
from kb_score.engine.rules import Answer, GameRules, LimitError, Use
from kb_score.engine.solve import solve_boards
from kb_score.engine.terms import Facts, Numbered, join_turns, shapes_of
from kb_score.errors import KbScoreError, unwrap
from kb_score.games.kingdom_builder.scoring import attempt

_Asked = TypeVar("_Asked", bound=Hashable)
_Found = TypeVar("_Found")

# Lifting rules takes as long as so many questions, and lifted ones as long as so few.
_MANY, _FEW = 10, 3


class Later(Exception):
    """The answer comes when all questions have been gathered."""


@dataclass(frozen=True, slots=True)
class BatchedRules(GameRules):
    """Rules that gather the questions put to them; see `ask_all`."""

    answers: dict[Hashable, Answer | KbScoreError] = field(default_factory=dict, compare=False)
    waiting: dict[Hashable, tuple[GameRules, Use, Facts]] = field(
        default_factory=dict, compare=False
    )

    def ask(
        self,
        use: Use,
        facts: Facts,
        *,
        turns: Numbered | None = None,
        parts: Sequence[tuple[str, int]] = (),
    ) -> Answer:
        """Answer a question that was gathered before, or gather it and raise an exception."""
        joined = join_turns(facts, turns or {})
        if parts or use.models != "only" or use.varying:
            return GameRules.ask(self, use, facts, turns=turns, parts=parts)
        # Rulings of other files do not matter.
        key = use, self.program(use).constants, repr(joined)
        if key not in self.answers and any(joined.values()):
            self.waiting[key] = GameRules(self.game, self.changes), use, joined
            raise Later
        if key not in self.answers:
            self.answers[key] = GameRules.ask(self, use, facts)
        return unwrap(self.answers[key])

    def answer_all(self) -> None:
        """Answer what was gathered."""
        groups = defaultdict[Hashable, list[Hashable]](list)
        shapes, number = defaultdict[Use, set[Signature]](set), Counter[Use]()
        for key, (rules, use, facts) in self.waiting.items():
            groups[rules, use].append(key)
            # Rules are lifted once for all rulings.
            shapes[use].update(shapes_of(facts))
            number[use] += 1
        for keys in groups.values():
            rules, use, _ = self.waiting[keys[0]]
            boards = [self.waiting[key][2] for key in keys]
            if number[use] < _MANY or len(boards) < _FEW:
                found = [attempt(rules.ask, use, facts) for facts in boards]
            else:
                found = _ask_boards(rules, use, boards, frozenset(shapes[use]))
            self.answers.update(zip(keys, found, strict=True))
        self.waiting.clear()


def ask_each(
    items: Iterable[_Asked], ask: Callable[[_Asked], _Found], found: dict[_Asked, _Found]
) -> dict[_Asked, _Found]:
    """Ask about those of some things that are not found yet; what all ask is gathered together."""
    open_ = [item for item in items if item not in found]
    for item in open_:
        with suppress(Later):
            found[item] = ask(item)
    if not found.keys() >= {*open_}:
        raise Later
    return found


def ask_all(
    questions: Iterable[_Asked], ask: Callable[[_Asked], _Found], rules: BatchedRules
) -> dict[_Asked, _Found]:
    """Ask all questions, each of which asks the rules as often as it likes, and is asked again."""
    found, asked = dict[_Asked, _Found](), list(questions)
    while True:
        with suppress(Later):
            return ask_each(asked, ask, found)
        rules.answer_all()


def _ask_boards(
    rules: GameRules, use: Use, boards: Sequence[Facts], shapes: frozenset[Signature]
) -> list[Answer | KbScoreError]:
    """Ask about several boards; what is so on all of them is in each answer."""
    plain = rules.program(use)
    lifted = plain.find_dependents(shapes | plain.inputs)
    try:
        rows = solve_boards(rules.program(use, shapes), boards).rows
        shared = {key: some for key, some in rows.items() if (key[0], key[1] - 1) not in lifted}
        apart = Answer({key: some for key, some in rows.items() if key not in shared})
        return [rules.accept(Answer({**shared, **a.rows})) for a in apart.split(len(boards))]
    except LimitError:
        raise
    except KbScoreError:
        # Who is to blame shows one by one.
        return [attempt(rules.ask, use, facts) for facts in boards]
