"""Questions to the rules of a game, with what a user changes about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from kb_score.engine.changes import (
    NO_CHANGES,
    Changes,
    find_replaced,
    list_rule_files,
    list_shipped,
)
from kb_score.engine.loading import (
    Source,
    Use,
    find_source,
    lift,
    load,
    load_whole,
    read_ours,
    read_parts,
)
from kb_score.engine.program import Limits, Program, Signature
from kb_score.engine.solve import AnswerSetError, find_conflict, find_origin, only_one, solve_each
from kb_score.engine.supervisor import LimitError
from kb_score.engine.terms import (
    Answer,
    Facts,
    Numbered,
    Value,
    join_boards,
    join_turns,
    shapes_of,
    write_facts,
)
from kb_score.errors import RuleError, visible
from kb_score.resources import COMMON, name_rule_file

T = TypeVar("T")


# A fact that rules may not say, as a term, and the words of a sentence that tells why.
class MisuseRow(NamedTuple):
    fact: Value
    detail: Value


# A fact that is hardly meant, likewise.
class DoubtRow(NamedTuple):
    fact: Value
    detail: Value


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the rules, with the program that was grounded, and the answer."""

    use: Use
    program: Program
    facts: Facts
    answer: Answer

    def __str__(self) -> str:
        """The whole program, as text for clingo."""
        return f"{write_facts(self.facts)}{self.program}"


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules of a game, with the changes of a user.

    All questions raise `AnswerSetError` if there is no answer set, or more than one although the
    rules should decide everything, and `RuleError` if something is wrong with the user's rules.

    Attributes:
        game: The game's folder in asp/.
        changes: The user's changes.
        listener: Called with each question and its answer; None if nobody listens.
        warn: Called with what the rules find doubtful in those of the user.
        absent: Predicates that nobody reads.
    """

    game: str
    changes: Changes = NO_CHANGES
    listener: Callable[[Asked], object] | None = None
    warn: Callable[[str], object] | None = field(default=None, compare=False)
    absent: tuple[str, ...] = ()

    @property
    def source(self) -> Source:
        """The rule files, with the user's as they are now."""
        return find_source(self.game, self.changes)

    def ask(
        self,
        use: Use,
        facts: Facts,
        *,
        turns: Numbered | None = None,
        parts: Sequence[tuple[str, int]] = (),
    ) -> Answer:
        """Put a question to the rules, about facts without a turn.

        Args:
            use: Which rules are asked.
            facts: What the question is about.
            turns: The facts of turn T are rows at index T of these.
            parts: The parts of the program that are grounded, each for one turn.
        """
        program = self.program(use)
        best = use.models == "best"
        facts = join_turns(facts, turns or {})
        options = list(use.options) or [f"--models={0 if best else 2}"]

        def solve(program: Program) -> list[Answer]:
            return solve_each(program, facts, options, parts=parts, best=best, exact=use.exact)

        found = solve(program)
        if use.models == "only" and len(found) != 1:
            raise find_conflict(program, solve, several=bool(found))
        answer = self.accept(only_one(found[-1:]))
        # What is grounded part by part is no program that plain clingo runs.
        if self.listener is not None and not parts:
            self.listener(Asked(use, program, facts, answer))
        return answer

    def ask_each(self, use: Use, facts: Facts) -> list[Answer]:
        """List the answer sets that clingo gives with the options of a use."""
        return solve_each(self.program(use), facts, list(use.options))

    def ask_boards(self, use: Use, boards: Sequence[Facts]) -> list[Answer]:
        """Put a question about one board to the rules, for several boards in one grounding."""
        shapes = frozenset[Signature]().union(*map(shapes_of, boards))
        program = self.program(use, shapes)
        answer = only_one(solve_each(program, join_boards(boards), ["--models=2"]))
        shared = {*self.program(use).shown} & {*program.shown}
        return list(map(self.accept, answer.split(len(boards), shared)))

    def accept(self, answer: Answer) -> Answer:
        """Check that the rules find no misuse; the error names the rule that says the fact."""
        if misuses := answer.read(MisuseRow):
            raise self._find_origin(*min(misuses, key=str))
        if self.warn is not None:
            for doubt in sorted(answer.read(DoubtRow), key=str):
                self.warn(str(self._find_origin(*doubt)))
        return answer

    def _find_origin(self, fact: Value, detail: Value) -> RuleError:
        words = detail if isinstance(detail, tuple) else (detail,)
        _, users = self.read_parts()
        own = tuple(file.path for file in self.source.own)
        return find_origin(read_ours(own) + users, fact, " ".join(map(str, words)))

    def program(self, use: Use, boards: Collection[Signature] | None = None) -> Program:
        """Load and lift the rules of a use, perhaps for many boards with such facts."""
        if self.absent:
            use = replace(use, absent=(*use.absent, *self.absent))
        if boards is None:
            return load(self.source, use)
        return lift(self.source, use, frozenset(boards))

    def whole_program(self, use: Use) -> Program:
        """Load and lift the rules of a use, those on which no answer depends included."""
        return load_whole(self.source, use)

    def find_warnings(self) -> list[str]:
        """List what in a user's rules can be run but is hardly meant; what is wrong is raised."""
        ours, users = list_rule_files(self.game, self.changes)
        if not users:
            return []
        # What only a user's rules need is loaded for them.
        from kb_score.engine.docs import read_rule_files
        from kb_score.engine.lint import find_unused, find_warnings

        self.read_parts()
        source = self.source
        all_ours = list_shipped(self.game)
        copies = find_replaced(self.game, self.changes)
        new = source.read_users(path for path in users if path not in copies)
        copied = source.read_users(copies)
        # What reads the looks of all games says nothing of words.
        own = tuple(path for path in ours if path.parent.name != COMMON)
        decided = dict(self.changes.constants)
        unused = find_unused(read_ours(all_ours), copied + new)
        files = read_rule_files(all_ours)
        return [*unused, *find_warnings(read_ours(own) + copied, new, files, decided)]

    def find_notes(self) -> list[str]:
        """List which of our files a user's files replace, as messages; not unchanged copies."""
        copies = find_replaced(self.game, self.changes)
        return [
            f"{visible(str(path))} replaces {name_rule_file(ours)}"
            for path, ours in copies.items()
            if path.read_bytes() != ours.read_bytes()
        ]

    def has_user_files(self) -> bool:
        """Return whether a user has added or replaced rule files."""
        return bool(list_rule_files(self.game, self.changes)[1])

    def read_parts(self) -> tuple[Program, Program]:
        """Read all our rules, and the user's, and check them; no ruling is set."""
        return read_parts(self.source)


_MOST_CACHED = 64


def cache_by_rules(find: Callable[[GameRules], T]) -> Callable[[GameRules], T]:
    """Cache what a function finds out about rules, as long as a user's files stay as they are.

    The function is called with rules that nobody listens to: a listener wants to hear of questions
    about boards and games.
    """

    @lru_cache(maxsize=_MOST_CACHED)
    def find_once(rules: GameRules, _source: Source) -> T:
        return find(rules)

    def cached(rules: GameRules) -> T:
        return find_once(replace(rules, listener=None), rules.source)

    return cached


__all__ = ["NO_CHANGES", "Answer", "AnswerSetError", "Asked", "Changes", "GameRules"]
__all__ += ["LimitError", "Limits", "Use", "cache_by_rules"]
