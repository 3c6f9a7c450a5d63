"""Checks of users' rules, after clingo's own: what would change our rules, or do nothing.

What plain clingo accepts is accepted here with the same meaning, except what docs/change-a-rule.md
lists as refused. A warning is about rules that are used all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from clingo.ast import ASTType

from kb_score.engine.docs import Former
from kb_score.engine.messages import raise_all
from kb_score.engine.program import BEFORE, Program, Statement
from kb_score.engine.scan import STRING, Atom, Signature, scan, split_rule
from kb_score.errors import RuleError, describe_list, guess
from kb_score.resources import COMMON, rule_file_name

_MAX_DOUBTS = 20
_ALLOWED = {ASTType.Rule, ASTType.Definition, ASTType.Defined, ASTType.Program}
_IN_COPIES = _ALLOWED | {ASTType.ShowSignature, ASTType.Minimize}
_IN_GAMES = _ALLOWED | {ASTType.ShowSignature}
_ONLY = "only rules, facts and #const statements are allowed"
_ONLY_IN_GAMES = "only rules, facts, parts, #const and #show statements are allowed"
_BASE = "#program base."
# The predicate of forbidden actions.
_FORBIDS = {("forbidden", 4): 1}

# A call of a function, but not the level of a preference.
_CALL = re.compile(rf"{STRING}|(?<![\w)])@(\w+)")
# A division, except by a number above 0: clingo divides constants before anything can stop it.
_DIVISION = re.compile(rf"{STRING}|([/\\])(?![1-9])")
_VARIABLE = re.compile(rf"{STRING}|\b([A-Z]\w*'*)")
# A string, or a word that is neither the name of a predicate with arguments nor one of clingo's.
_WORD = re.compile(rf"({STRING})|(?<![#@\w'])(?!not\b)(_*[a-z][\w']*)(?![\w'(/])")


@dataclass(frozen=True, slots=True)
class UsersRules:
    """A user's rules beside those of the game.

    Attributes:
        shipped: All our rules of the game.
        ours: Our rules without those that the user's files replace.
        users: The user's rules, including copies of ours.
        given: The predicates that the user's rules may read although no rule derives them.
        names: The names of our files.
        points: The extension points: predicates of ours that users' rules may derive.
        documented: The predicates that our files document, by the names of the files.
    """

    shipped: Program
    ours: Program
    users: Program
    given: Set[Signature]
    names: Set[str]
    points: Set[Signature]
    documented: Mapping[str, Set[Signature]]
    former: Mapping[Signature, Former]

    @property
    def known(self) -> frozenset[Signature]:
        """The predicates that something gives."""
        theirs = self.users.derived | self.users.defined | self.given
        return self.shipped.inputs | self.ours.derived | theirs

    def is_copy(self, statement: Statement) -> bool:
        """Return whether a statement is in a file that replaces one of ours."""
        return statement.path.name in self.names

    def check(self) -> None:
        """Raise a RuleError that lists the first faults."""
        raise_all(self._find_faults())

    def _find_faults(self) -> Iterator[RuleError]:
        shipped = self.shipped
        own = Program(tuple(_list_own(shipped)))
        for statement in self.users.statements:
            allowed = _IN_COPIES if self.is_copy(statement) else _ALLOWED
            if statement.kind not in allowed:
                yield _refuse_kind(statement, _ONLY)
                continue
            # A copy of a file that all games share may have the parts of any game.
            parts = shipped.parts if _is_shared(statement.path) else own.parts
            yield from _check_part(statement, parts)
            yield from _check_terms(statement)
        yield from self._find_constants()
        yield from _find_outside(self.users, own.parts, shipped.parameters)
        yield from self._find_former()
        yield from self._find_heads()
        actions = _list_own_actions(shipped)
        if actions:
            yield from find_unknown_actions(self.users, actions)
        yield from self._find_unknown()
        yield from self._find_missing()

    def _find_constants(self) -> Iterator[RuleError]:
        """Find constants that change a constant or a word of our rules."""
        ours = {_name(s) for s in self.shipped.statements if s.kind == ASTType.Definition}
        words: set[str] | None = None
        for statement in self.users.statements:
            if statement.kind != ASTType.Definition or self.is_copy(statement):
                continue
            name = _name(statement)
            if name in ours:
                hint = "a ruling is set with --const NAME=VALUE"
                yield statement.error(f"redefinition of constant {name}", hint)
                continue
            if words is None:
                words = _list_words(self.shipped)
            if name in words:
                yield statement.error(f"our rules use {name} as a word", "rename the constant")

    def _find_former(self) -> Iterator[RuleError]:
        """Find predicates that our rules had before, and that have another name or meaning now."""
        own = self.users.derived
        for statement in self.users.statements:
            for atom in statement.atoms:
                former = self.former.get(atom.signature)
                # A helper of the user's may have any other of these names.
                if former and (former.is_extension_point or atom.signature not in own):
                    name, arity = atom.signature
                    message = f"{name}/{arity} is no longer a predicate of this game"
                    yield statement.error(message, f"write {former.now}", atom.begin)

    def _find_heads(self) -> Iterator[RuleError]:
        """Find rules that derive a predicate of ours which is no extension point.

        A user's predicate that happens to have the name of one of ours would change what our rules
        derive. A file that replaces one of ours may derive what that file derives, and what it
        documents.
        """
        derived: dict[Signature, Statement] = {}
        for statement in self.ours.statements:
            for head in statement.heads:
                derived.setdefault(head, statement)
        inputs = self.shipped.inputs
        replaceable = {file: set(known) for file, known in self.documented.items()}
        for statement in self.shipped.statements:
            replaceable.setdefault(statement.path.name, set()).update(statement.heads)
        # Of each file, the first rule that derives a predicate is enough.
        first: dict[tuple[Path, Signature], Statement] = {}
        for statement in self.users.statements:
            allowed = self.points | replaceable.get(statement.path.name, set())
            for signature in sorted(statement.heads - allowed):
                first.setdefault((statement.path, signature), statement)
        for (_, (name, arity)), statement in first.items():
            message = f"{name}/{arity} is an input of our rules, provided by a file or a bot"
            if (name, arity) in derived:
                ours = derived[name, arity]
                place = f"{rule_file_name(ours.path)}:{ours.location.begin.line}"
                message = f"our rules already derive {name}/{arity}, in {place}"
            elif (name, arity) not in inputs:
                continue
            hint = f"choose another name, such as my_{name}: yours would change our rules"
            if name == "illegal":
                hint = "derive forbidden/4 instead, to say what is not allowed in this game"
            yield _error_at(statement, (name, arity), message, hint)

    def _find_unknown(self) -> Iterator[RuleError]:
        """Find predicates in a user's rules that nothing defines."""
        known = self.known
        for statement in self.users.statements:
            for atom in statement.atoms:
                if atom.signature not in known and atom.signature not in self.former:
                    name, arity = atom.signature
                    hint = _suggest(atom.signature, known)
                    yield statement.error(f"nothing defines {name}/{arity}", hint, atom.begin)

    def _find_missing(self) -> Iterator[RuleError]:
        """Find what our files read, and what files that replace ours no longer derive."""
        known = self.known
        open_in_own = Program(tuple(_list_own(self.ours))).defined
        names = {name for name, _ in self.users.derived}
        for statement in self.ours.statements:
            missing = statement.body - known
            if not missing:
                continue
            # What only files shared by all games declare as #defined must still be derived.
            optional = self.ours.defined if _is_shared(statement.path) else open_in_own
            for name, arity in sorted(missing - optional):
                place = f"{statement.path.name}:{statement.location.begin.line}"
                message = f"your rules replace ours, but do not derive {name}/{arity}, "
                yield RuleError(f"{message}which {place} uses{guess(name, names, ': ')}")

    def find_doubts(self, decided: Mapping[str, str]) -> list[str]:
        """Return a message for each probable mistake, up to 20.

        The values of constants that the user has decided are words that rules may have.
        """
        copies = [s for s in self.users.statements if self.is_copy(s)]
        new = [s for s in self.users.statements if not self.is_copy(s)]
        # Words in the files that all games share do not show which words a game uses.
        ours = [*_list_own(self.ours), *copies]
        doubts = chain(self._find_unused(), _find_doubtful_terms(ours, new, decided))
        messages = list(map(str, islice(doubts, _MAX_DOUBTS + 1)))
        if len(messages) > _MAX_DOUBTS:
            messages[-1] = f"there are more than {_MAX_DOUBTS} warnings: these are the first"
        return messages

    def _find_unused(self) -> Iterator[RuleError]:
        """Find predicates that a user's rules derive and no rule reads."""
        known = self.shipped.inputs | self.shipped.derived
        states = {(name.removeprefix(BEFORE), arity) for name, arity in self.users.used}
        read = known | self.users.defined | self.users.used | states
        reported = set[Signature]()
        for statement in self.users.statements:
            for signature in sorted(statement.heads - read - reported):
                reported.add(signature)
                name, arity = signature
                hint = _suggest(signature, known)
                yield _error_at(statement, signature, f"nothing uses {name}/{arity}", hint)


def find_game_faults(
    program: Program, shared: Program, points: Set[Signature], kinds: Set[str]
) -> Iterator[RuleError]:
    """Yield the faults in the rules of a user's game: what such rules cannot contain.

    Args:
        shared: The rules that such games share.
        points: The predicates of the shared rules that the rules of a game may add to.
        kinds: The stems of the files that may prefer one answer set to another.
    """
    for statement in program.statements:
        if statement.kind == ASTType.Minimize:
            if statement.path.stem not in kinds:
                hint = "only the rule file for a kind of record may rank explanations"
                yield _refuse_kind(statement, hint)
            continue
        if statement.kind not in _IN_GAMES:
            yield _refuse_kind(statement, _ONLY_IN_GAMES)
            continue
        yield from _check_terms(statement)
        for name, arity in sorted(statement.heads & (shared.derived - points)):
            message = f"{name}/{arity} is derived by the rules that all games share"
            yield statement.error(message, "choose another name")
    yield from _find_outside(program, program.parts, program.parameters)


def find_unknown_actions(
    rules: Program, actions: Mapping[Signature, str], having: Mapping[Signature, int] = _FORBIDS
) -> Iterator[RuleError]:
    """Yield errors at rules that derive something about an action which no answer can have.

    Args:
        actions: The actions of answers as text, such as ``go(P,D)``, by name and arity.
        having: The predicates that are about actions, and which of their arguments the action is.
    """
    for statement in rules.statements:
        for atom in statement.atoms:
            place = having.get(atom.signature)
            if not atom.is_derived or place is None:
                continue
            for action in _list_actions(atom, place):
                if action.signature not in actions:
                    name, arity = action.signature
                    hint = f"the actions are {describe_list(list(actions.values()))}"
                    message = f"no answer has an action {name}/{arity}"
                    begin = statement.text.index(name, atom.begin_of(place))
                    yield statement.error(message, hint, begin)


def _list_own_actions(shipped: Program) -> dict[Signature, str]:
    """List the actions that our rules read from forbidden/4; none if they read any term."""
    found: dict[Signature, str] = {}
    for statement in shipped.statements:
        for atom in statement.atoms:
            if atom.signature in _FORBIDS and not atom.in_head:
                for action in _list_actions(atom, _FORBIDS[atom.signature]):
                    if action.arguments:
                        words = ",".join(action.arguments)
                        found.setdefault(action.signature, f"{action.name}({words})")
    return found


def _list_actions(atom: Atom, place: int) -> list[Atom]:
    """List the actions that an atom has as an argument; each alternative of a pool."""
    term = atom.arguments[place]
    if term.startswith("("):
        term = term[1:-1]
    # A head of several atoms reads like a pool of terms.
    return scan(f"{term}.")


def _refuse_kind(statement: Statement, hint: str) -> RuleError:
    """Return the error for a statement of a kind that is not allowed."""
    word, *_ = statement.text.split(maxsplit=1)
    if statement.kind in (ASTType.ShowSignature, ASTType.ShowTerm):
        word, hint = "#show", "kb-score decides what is shown"
    elif statement.kind == ASTType.Minimize:
        word = "a preference (#minimize, #maximize or :~)"
    return statement.error(f"{word} is not allowed in your rules", hint)


def _check_part(statement: Statement, known: Set[str]) -> Iterator[RuleError]:
    """Yield an error at a part that no file of the game has."""
    if statement.kind == ASTType.Program and statement.text not in known:
        others = ", ".join(sorted(known - {_BASE}))
        hint = f"the parts of this game are {others}" if others else "the rules here have no parts"
        yield statement.error(f"no file of this game has a part {statement.text}", hint)


def _check_terms(statement: Statement) -> Iterator[RuleError]:
    """Yield errors at calls of functions, and at constants that clingo cannot compute."""
    if statement.kind == ASTType.Definition:
        if any(found[1] for found in _DIVISION.finditer(statement.text)):
            yield statement.error("a #const can only be divided by a number above 0")
        return
    for found in _CALL.finditer(statement.text):
        if found[1]:
            hint = "rules here cannot call functions"
            yield statement.error(f"@{found[1]} calls a function", hint, found.start())


def _find_outside(users: Program, parts: Set[str], parameters: Set[str]) -> Iterator[RuleError]:
    """Find rules outside the parts that use a part's parameter, which is just a word there."""
    known = sorted(parts - {_BASE})
    of_turns = [part for part in known if "step(" in part or "turn(" in part]
    above = of_turns[0] if of_turns else " or ".join(known)
    is_outside = True
    for statement in users.statements:
        if statement.kind == ASTType.Program:
            is_outside = "(" not in statement.text
        elif statement.kind == ASTType.Rule and is_outside:
            for word, offset in _words_in(statement.text):
                if word in parameters:
                    message = f"{word} is used in a rule outside any part"
                    yield statement.error(message, f"write {above} above the rule", offset)
                    break


def _find_doubtful_terms(
    ours: Sequence[Statement], users: Sequence[Statement], decided: Mapping[str, str]
) -> Iterator[RuleError]:
    """Find words and strings that can never hold, and variables that occur once."""
    words = set(decided.values())
    for statement in ours:
        words.update(word for word, _ in _words_in(statement.text))
        if statement.allowed is not None:
            words.update(statement.allowed.words)
    for statement in users:
        head, _ = split_rule(statement.text)
        words.update(word for word, _ in _words_in(head))
    for statement in users:
        # A fact has no variables and no conditions, and there may be thousands of facts.
        _, body = split_rule(statement.text)
        if statement.kind == ASTType.Rule and (body or statement.guides):
            yield from _find_lone_variables(statement, words)
            yield from _find_unknown_words(statement, words)
            yield from _find_strings(statement, ours, words)


def _find_lone_variables(rule: Statement, words: Set[str]) -> Iterator[RuleError]:
    """Yield a warning for each variable that occurs once."""
    found = [one for one in _VARIABLE.finditer(rule.text) if one[1]]
    counts = Counter(one[1] for one in found)
    for one in found:
        name = one[1]
        if counts[name] == 1:
            hint = guess(name, sorted(words), "", cutoff=0.7) if len(name) > 2 else ""
            message = f"the variable {name} is used only once"
            yield rule.error(message, hint or "write _ for any value", one.start())


def _find_unknown_words(rule: Statement, words: Set[str]) -> Iterator[RuleError]:
    """Yield a warning for each word that occurs nowhere else."""
    predicates = {atom.begin for atom in rule.atoms if not atom.arguments}
    for word, offset in _words_in(rule.text):
        if word not in words and offset not in predicates:
            message = f"no fact or rule gives {word}: this can never hold"
            hint = guess(word, sorted(words), "", cutoff=0.7)
            yield rule.error(message, hint, offset)


def _find_strings(
    rule: Statement, ours: Iterable[Statement], words: Set[str]
) -> Iterator[RuleError]:
    """Yield a warning for each string where our rules have only words."""
    for place, text in _strings_in(rule):
        word = text[1:-1]
        signature, _ = place
        if word not in words or signature in rule.heads:
            continue
        asked = [s for s in ours if signature in s.heads | s.body]
        if asked and not any(place == other for s in asked for other, _ in _strings_in(s)):
            message = f"{text} is a string, not a word: this can never hold"
            yield rule.error(message, f"did you mean {word}?", rule.text.index(text))


def _strings_in(statement: Statement) -> Iterator[tuple[tuple[Signature, int], str]]:
    """Yield the strings that are whole arguments, with their predicates and indices."""
    for atom in statement.atoms:
        for index, argument in enumerate(atom.arguments):
            if argument.startswith('"'):
                yield (atom.signature, index), argument


def _words_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words in a statement, and their offsets."""
    for found in _WORD.finditer(text):
        if found[2]:
            yield found[2], found.start(2)


def _list_words(program: Program) -> set[str]:
    """List the words in the rules of a program."""
    words: set[str] = set()
    for statement in program.statements:
        words.update(word for word, _ in _words_in(statement.text))
    return words


def _name(definition: Statement) -> str:
    """Return the name of a constant."""
    name: str = definition.tree.name
    return name


def _list_own(program: Program) -> list[Statement]:
    """List the statements that are in no file that all games share, and in no copy of one."""
    shared = {path for path in {s.path for s in program.statements} if _is_shared(path)}
    return [statement for statement in program.statements if statement.path not in shared]


def _is_shared(path: Path) -> bool:
    """Return whether a file is one that all games share, or a copy of one."""
    return path.parent.name == COMMON


def _error_at(statement: Statement, head: Signature, message: str, hint: str) -> RuleError:
    """Return the error for a rule at the atom that it derives."""
    begin = next(atom.begin for atom in statement.atoms if atom.signature == head)
    return statement.error(message, hint, begin)


def _suggest(signature: Signature, known: Iterable[Signature]) -> str:
    """Return a hint that names predicates similar to an unknown one."""
    name, arity = signature
    arities = sorted(n for known_name, n in known if known_name == name)
    if arities:
        counts = " or ".join(map(str, arities))
        noun = "argument" if arities == [1] else "arguments"
        return f"{name} has {counts} {noun}, not {arity}"
    hint = guess(name, sorted({known_name for known_name, _ in known}), "")
    return f"{hint} `kb-score rules list` shows all predicates".strip()
