"""Questions to the rules of a game, including a user's changes to the rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import ParamSpec, TypeVar

from kb_score.engine.changes import NO_CHANGES, Changes, find_replaced, list_shipped
from kb_score.engine.loading import Rulebook, Use, load, load_for_boards, open_book
from kb_score.engine.program import Limits, Program
from kb_score.engine.scan import Atom, Signature, is_word
from kb_score.engine.solve import AnswerSetError, find_conflict, find_origin, only_one, solve_each
from kb_score.engine.supervisor import LimitError
from kb_score.engine.terms import Answer, Facts, Term, Value, join_boards, shapes_of, write_facts
from kb_score.errors import KbScoreError, RuleError, visible
from kb_score.resources import find_rule_folder, rule_file_name

T = TypeVar("T")
P = ParamSpec("P")


# A fact that rules may not derive, as a term, and the words of a sentence with the reason; and one
# that is probably a mistake.
_MISUSE = ("misuse", 2)
_DOUBT = ("doubt", 2)
# The options of clingo for the answer sets that a use looks for.
_OPTIONS = {
    "only": ("--models=2",),
    "best": ("--models=0",),
    "brave": ("--models=0", "--enum-mode=brave"),
    "free": ("--models=2",),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the rules; the program is that which was grounded, without the facts."""

    use: Use
    program: Program
    facts: Facts
    answer: Answer

    def __str__(self) -> str:
        """Return the whole program, as text for clingo."""
        facts = write_facts(self.facts)
        return f"{self.program.declarations}{facts}{self.program}"


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules of a game, by its folder in asp/, with a user's changes.

    A user's files are read once: rules that are made after a file has changed have its new text.
    All questions raise `AnswerSetError` if there is no answer set, or more than one although the
    rules should decide everything, `RuleError` if something is wrong with the user's rules, and
    `LimitError` if they take more time or memory than is allowed.

    Attributes:
        listener: A function that receives each question with its answer; None for no function.
        warn: A function that receives what the rules find doubtful in the user's rules; None for no
            function.
        book: The rules as they have been read; by default, they are read anew.
    """

    game: str
    changes: Changes = NO_CHANGES
    listener: Callable[[Asked], object] | None = None
    warn: Callable[[str], object] | None = field(default=None, compare=False)
    book: Rulebook = field(default=None, compare=False, repr=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Open the book, unless it is that of rules from which these are made."""
        known = self.book
        if known is None or (known.game, known.folders) != (self.game, self.changes.folders):
            book = open_book(self.game, self.changes.folders)
            object.__setattr__(self, "book", book)

    def __reduce__(self) -> tuple[Callable[..., GameRules], tuple[object, ...]]:
        """Let another process read the rules, once for all its tasks."""
        return _reopen, (self.game, self.changes, self.listener, self.warn)

    def ask(self, use: Use, facts: Facts, *, parts: Sequence[tuple[str, int]] = ()) -> Answer:
        """Ask the rules about facts, and return the answer.

        The parts of the program are grounded for one turn each.
        """
        program = self.program(use)
        best = use.models == "best"
        options = _OPTIONS[use.models]

        found = solve_each(program, facts, options, parts=parts, best=best, exact=use.exact)
        if not found or (len(found) > 1 and use.models in ("only", "free")):
            raise find_conflict(program, found)
        answer = self.accept(found[-1])
        # Plain clingo cannot run a program that is grounded part by part.
        if self.listener is not None and not parts:
            asked = Asked(use, program, facts, answer)
            self.listener(asked)
        return answer

    def search(self, use: Use, facts: Facts, *options: str) -> list[Answer]:
        """Return the answer sets that clingo finds with some options, such as ``--models=0``."""
        return solve_each(self.program(use), facts, options)

    def ask_boards(self, use: Use, boards: Sequence[Facts]) -> list[Answer | KbScoreError]:
        """Ask rules that are written for one board about each of several, in one grounding.

        The error of a board is in its place. A LimitError is raised: it ends all questions.
        """
        answers = catch(self._ask_together, use, boards) if len(boards) > 1 else None
        if not isinstance(answers, list):
            # Which board fails shows only when they are asked one by one.
            return [catch(self.ask, use, facts) for facts in boards]
        if self.listener is not None:
            program = self.program(use)
            for facts, answer in zip(boards, answers, strict=True):
                self.listener(Asked(use, program, facts, answer))
        return [*answers]

    def _ask_together(self, use: Use, boards: Sequence[Facts]) -> list[Answer]:
        """Return the answers about boards, whose numbers become arguments of the rules."""
        shapes = frozenset[Signature]().union(*map(shapes_of, boards))
        program = self.program(use, shapes)
        joined = join_boards(boards)
        answer = only_one(solve_each(program, joined, ["--models=2"]))
        unlifted = self.program(use)
        shared = set(unlifted.shown).intersection(program.shown)
        answers = answer.split(len(boards), shared)
        return list(map(self.accept, answers))

    def accept(self, answer: Answer) -> Answer:
        """Check an answer for misuse, warn about what is doubtful in it, and return it.

        A misuse is a RuleError at the rule that derives the fact.
        """
        misuses = sorted(answer.rows.get(_MISUSE, ()), key=str)
        if misuses:
            # One that a user's rule derives tells more than one that follows from it.
            _, users = self.read_parts()
            names = {name for name, _ in users.derived}
            terms = [(fact, detail) for fact, detail in misuses if isinstance(fact, Term)]
            of_users = [(fact, detail) for fact, detail in terms if fact.name in names]
            fact, detail = (of_users or misuses)[0]
            raise self._find_origin(fact, detail)
        if self.warn is not None:
            for fact, detail in sorted(answer.rows.get(_DOUBT, ()), key=str):
                self.warn(str(self._find_origin(fact, detail)))
        return answer

    def _find_origin(self, fact: Value, detail: Value) -> RuleError:
        """Return the error for a fact, which points to the rule that derives it."""
        words = detail if isinstance(detail, tuple) else (detail,)
        message = " ".join(map(str, words))
        _, users = self.read_parts()
        own = self.book.read_ours(self.book.own)
        return find_origin(own + users, fact, message)

    def program(self, use: Use, boards: Collection[Signature] | None = None) -> Program:
        """Load and lift the rules of a use.

        If the predicates of the facts of many boards are given, the rules are lifted to boards.
        """
        self.book.check(self.changes)
        if boards is None:
            return load(self.book, use, self.changes)
        return load_for_boards(self.book, use, self.changes, frozenset(boards))

    def whole_program(self, use: Use) -> Program:
        """Load and lift all rules of a use, including those on which no answer depends."""
        self.book.check(self.changes)
        return self.book.decide(self.book.assemble(use), self.changes)

    def find_warnings(self) -> list[str]:
        """Return messages about probable mistakes in a user's rules."""
        if not self.has_user_files():
            return []
        self.book.check(self.changes)
        return self.book.users_rules.find_doubts(dict(self.changes.constants))

    def find_notes(self) -> list[str]:
        """Return messages about files, cards and the like of ours that a user's rules change."""
        copies = find_replaced(self.game, self.changes)
        return [*self._find_replacements(copies), *self._find_additions(copies)]

    def _find_additions(self, copies: Collection[Path]) -> Iterator[str]:
        """Yield a message for each user's rule that adds to what our rules say of one name."""
        if not self.has_user_files():
            return
        # Only a user's rules need this module.
        from kb_score.engine.docs import find_extension_points

        ours, users = self.read_parts()
        points = find_extension_points(list_shipped(self.game))
        # Names that are none of ours: parameters of parts, and what a user's rules state alone.
        users_names = set(users.parameters)
        shared: dict[tuple[str, str], str] = {}
        for statement in users.statements:
            head = statement.head
            if head is None or head.signature not in points or statement.path in copies:
                continue
            name = _name_head(head)
            if name not in _name_heads(ours, head.signature):
                users_names.add(name)
                continue
            file = visible(rule_file_name(statement.path))
            place = f"{file}:{statement.location.begin.line}"
            shared.setdefault((name, head.name), place)
        for (name, predicate), place in shared.items():
            if name and name not in users_names:
                yield f"{place}: this changes {name}, for which our rules give {predicate}, too"

    def _find_replacements(self, copies: Mapping[Path, Path]) -> list[str]:
        """Return a message for each of our files that a user's changed copy replaces."""
        notes: list[str] = []
        for path, ours in copies.items():
            if path.read_bytes() != ours.read_bytes():
                note = f"{visible(str(path))} replaces {rule_file_name(ours)}"
                notes.append(note)
        return notes

    def has_user_files(self) -> bool:
        """Return whether a user has added or replaced rule files."""
        _, users = self.book.files
        return bool(users)

    def read_parts(self) -> tuple[Program, Program]:
        """Return all our rules and the user's, which are checked; no ruling is set."""
        self.book.check(self.changes)
        return self.book.read_parts()


def _reopen(
    game: str,
    changes: Changes,
    listener: Callable[[Asked], object] | None,
    warn: Callable[[str], object] | None,
) -> GameRules:
    """Return rules that come from another process."""
    book = _open_for_tasks(game, changes.folders, find_rule_folder(game))
    return GameRules(game, changes, listener, warn, book)


@lru_cache(maxsize=8)
def _open_for_tasks(game: str, folders: tuple[Path, ...], _home: Path) -> Rulebook:
    return open_book(game, folders)


def _name_heads(program: Program, signature: Signature) -> set[str]:
    """Return the names, such as lords, for which rules give a predicate."""
    heads = (s.head for s in program.statements if signature in s.heads)
    return {_name_head(head) for head in heads if head is not None}


def _name_head(head: Atom) -> str:
    """Return the first argument of a head if it is a name, such as lords; empty otherwise."""
    return head.arguments[0] if head.arguments and is_word(head.arguments[0]) else ""


def catch(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | KbScoreError:
    """Call a function, and return its error instead of raising it.

    A LimitError is raised: the rules would reach the limit again for the next board.
    """
    try:
        return function(*args, **options)
    except LimitError:
        raise
    except KbScoreError as error:
        return error


def cache_by_rules(find: Callable[[GameRules], T]) -> Callable[[GameRules], T]:
    """Cache the results of a function of rules by their book and the user's changes.

    The function receives rules without a listener: listeners only receive questions about boards
    and games.
    """

    @lru_cache(maxsize=64)
    def find_once(rules: GameRules, _book: Rulebook) -> T:
        return find(rules)

    def cached(rules: GameRules) -> T:
        return find_once(replace(rules, listener=None), rules.book)

    return cached


__all__ = [
    "NO_CHANGES",
    "Answer",
    "AnswerSetError",
    "Asked",
    "Changes",
    "GameRules",
    "LimitError",
    "Limits",
    "Rulebook",
    "Use",
    "cache_by_rules",
    "catch",
]
