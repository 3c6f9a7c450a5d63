"""The documentation in rule files: headers, predicates, rulings, words for atoms."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from clingo import Infimum, Number, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, Location

from kb_score.engine.program import BEFORE, parse_file
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.rulings import VALUES, AllowedValues, read_allowed_values
from kb_score.engine.scan import Signature
from kb_score.resources import COMMON, find_folder, is_shipped, rule_file_name

# The comment after a rule that no example can use, with the reason.
NO_EXAMPLE = re.compile(rb"[^\n]*% no example: \w")
_HEADING = re.compile(r"(-?[a-z_]\w*)(?:\(([^)]*)\))?(?::\s|\s*\n)(.*)", re.DOTALL)
_RULING = "% ruling: "
# How templates speak of T, and the predicate of common/numbered.lp that does so in all games.
_TURN, _STEP = "turn {T}", "step {T}"
_STEPS = ("step", 2)
# The file of a game with the predicates that it had before.
_FORMER = "former.csv"
# The documentation of an extension point contains these words.
_EXTENSION_POINT = re.compile(r"\busers may add to it\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A documented predicate.

    Attributes:
        template: The text of its block. The first sentence explains what an atom means, with its
            arguments in braces: ``Player {P} has {N:settlement}``; a number with a noun after it
            counts things.
    """

    name: str
    arguments: tuple[str, ...]
    template: str

    @property
    def text(self) -> str:
        """The text of its block without braces: ``Player P has N settlements``."""
        return _fill(self.template, {})

    @property
    def sentence(self) -> str:
        """The first sentence of the template, without the source of an input."""
        text = _INPUT.sub("", self.template, count=1)
        found = _SENTENCE.match(text)
        if found is None:
            return text
        return found[1]

    @property
    def signature(self) -> tuple[str, int]:
        """Its name and its number of arguments."""
        return self.name, len(self.arguments)

    @property
    def is_input(self) -> bool:
        """Whether facts give it, so that it may have no atoms."""
        return self.template.startswith("Input")

    @property
    def is_extension_point(self) -> bool:
        """Whether users' rules may derive it in addition to ours."""
        return _EXTENSION_POINT.search(self.template) is not None

    def __str__(self) -> str:
        """Return the predicate as an atom with the names of its arguments: ``gold(Card,P)``."""
        if not self.arguments:
            return self.name
        arguments = ",".join(self.arguments)
        return f"{self.name}({arguments})"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A disputed reading of the rules that ``--const`` can set.

    Attributes:
        name: The name of its constant.
        default: The value that the rule file sets.
        text: The comment that documents it.
        allowed: The values that it can have; None if the file does not list them.
    """

    name: str
    default: str
    text: str
    allowed: AllowedValues | None = None


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The documentation in one rule file, in the order of the file.

    The header is its first block, which is about the whole file; it is empty if there is none.
    """

    path: Path
    header: str
    predicates: tuple[Predicate, ...]
    rulings: tuple[Ruling, ...]


def read_rule_files(paths: Iterable[Path]) -> tuple[RuleFile, ...]:
    """Return the documentation in rule files; those that ship with kb-score are read once."""
    return tuple(_read_shipped(path) if is_shipped(path) else _read_file(path) for path in paths)


def read_contract() -> RuleFile:
    """Return the documentation of the predicates that all games share."""
    path = find_folder("asp") / COMMON / "contract.lp"
    (file,) = read_rule_files([path])
    return file


def find_extension_points(paths: Iterable[Path]) -> frozenset[Signature]:
    """Find the predicates that users' rules may derive although our rules derive or read them.

    The documentation block of such a predicate contains "users may add to it".
    """
    points: set[Signature] = set()
    for file in read_rule_files(paths):
        for predicate in file.predicates:
            if predicate.is_extension_point:
                points.add(predicate.signature)
    return frozenset(points)


def find_inputs(paths: Iterable[Path]) -> frozenset[Signature]:
    """Find the predicates in rule files whose documentation block begins with "Input"."""
    inputs: set[Signature] = set()
    for file in read_rule_files(paths):
        for predicate in file.predicates:
            if predicate.is_input:
                inputs.add(predicate.signature)
    return frozenset(inputs)


def list_predicates(paths: Iterable[Path]) -> list[Predicate]:
    """List the predicates that some rule files document."""
    return [predicate for file in read_rule_files(paths) for predicate in file.predicates]


def find_documented(paths: Iterable[Path]) -> dict[str, frozenset[Signature]]:
    """Return the predicates that each file documents, by the names of the files."""
    documented: dict[str, frozenset[Signature]] = {}
    for file in read_rule_files(paths):
        signatures = [predicate.signature for predicate in file.predicates]
        documented[file.path.name] = frozenset(signatures)
    return documented


@lru_cache(maxsize=512)
def _read_shipped(path: Path) -> RuleFile:
    """Return the documentation in a file that does not change; cached by its path."""
    return _read_file(path, shipped=True)


def _read_file(path: Path, *, shipped: bool = False) -> RuleFile:
    """Return the documentation in a rule file."""
    nodes = parse_file(path, is_shipped=shipped)
    header = ""
    predicates: list[Predicate] = []
    for number, block in enumerate(_list_blocks(nodes)):
        predicate = _read_predicate(block)
        if predicate is not None:
            predicates.append(predicate)
        elif number == 0:
            header = block
    rulings = _list_rulings(nodes)
    return RuleFile(path, header, tuple(predicates), tuple(rulings))


def _list_blocks(nodes: Sequence[AST]) -> Iterator[str]:
    """Yield the texts of the documentation blocks, without the examples."""
    for node in nodes:
        if node.ast_type != ASTType.Comment:
            continue
        comment = node.value.strip()
        if comment.startswith("%*!") and comment.endswith("*%"):
            block = comment.removeprefix("%*!").removesuffix("*%").strip()
            if not block.startswith("Example"):
                yield block


def _read_predicate(block: str) -> Predicate | None:
    """Read the documentation of a predicate; None for a block about something else."""
    found = _HEADING.fullmatch(block)
    if found is None:
        return None
    name, inner, text = found.groups(default="")
    words = map(str.strip, inner.split(","))
    arguments = tuple(filter(None, words))
    template = " ".join(text.split())
    return Predicate(name, arguments, template)


def _list_rulings(nodes: Sequence[AST]) -> Iterator[Ruling]:
    """Yield the constants that are marked as rulings by the comment above them."""
    text = ""
    allowed: AllowedValues | None = None
    for node in nodes:
        if node.ast_type != ASTType.Comment:
            if node.ast_type == ASTType.Definition and text:
                yield Ruling(node.name, str(node.value), text, allowed)
            text = ""
            allowed = None
        elif node.value.startswith(_RULING):
            text = node.value.removeprefix(_RULING).strip()
        elif node.value.startswith(VALUES):
            values = node.value.removeprefix(VALUES)
            allowed = read_allowed_values(values)
        elif text:
            more = node.value.lstrip("% ").strip()
            text = f"{text} {more}"


_INPUT = re.compile(r"Input[^:.]*: ")
_SENTENCE = re.compile(r"(.*?)[.;](?= |$)")
# An argument in a template, perhaps with the noun that it counts.
_PLACEHOLDER = re.compile(r"\{(\w+)(?::(\w+))?\}")
_ONE = ("1", "-1")
_PARAMETER = re.compile(r"#program\s+[a-z_]\w*\(\s*([a-z_]\w*)\s*\)")


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of a rule.

    Attributes:
        file: The name of the rule file, as messages show it.
        line: The line, from 1.
        text: The rule as it is written, on one line.
        note: The comment above the rule; empty if there is none.
    """

    file: str
    line: int
    text: str
    note: str = ""

    def __str__(self) -> str:
        """Return the place as messages show it: ``asp/slime/rules/rules.lp:12``."""
        return f"{self.file}:{self.line}"


class Former(NamedTuple):
    """What stands now for a predicate that one of our games had, and whether users derived it."""

    now: str
    is_extension_point: bool


def read_former(game: str) -> dict[Signature, Former]:
    """Return the predicates that one of our games had before."""
    path = find_folder("asp") / game / _FORMER
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        _read_heading(row["before"]): Former(row["now"], row["given by users"] == "yes")
        for row in rows
    }


def _read_heading(text: str) -> Signature:
    """Return the name and the number of arguments of a predicate such as ``stay(P,H,S1,S2)``."""
    name, _, arguments = text.partition("(")
    return name, len(arguments.split(","))


class Words:
    """The documented meanings of predicates."""

    def __init__(self, paths: Iterable[Path], *, has_steps: bool = False) -> None:
        """Read the documentation in rule files, of a game in which a turn may have steps."""
        files = read_rule_files(paths)
        known = [predicate for file in files for predicate in file.predicates]
        # What all games agree on calls T a turn; some games have steps, and say so of their own.
        if has_steps or any(_STEP in one.template for one in known if one.signature != _STEPS):
            known = [replace(one, template=one.template.replace(_TURN, _STEP)) for one in known]
        self._known = {predicate.signature: predicate for predicate in known}

    def documented(self) -> list[Predicate]:
        """List the documented predicates."""
        return list(self._known.values())

    def say(self, signature: Signature, arguments: Sequence[Symbol | None]) -> str:
        """Return what an atom means, in words; empty if the meaning is not documented.

        An argument that is None is open, and keeps its name.
        """
        predicate = self._known.get(signature)
        if predicate is None:
            return self._say_state(signature, arguments)
        values: dict[str, str] = {}
        for name, value in zip(predicate.arguments, arguments, strict=True):
            if value is not None:
                values[name] = say_value(value)
        return _fill(predicate.sentence, values)

    def _say_state(self, signature: Signature, arguments: Sequence[Symbol | None]) -> str:
        """Return what the state before a turn means: what it is after the turn before."""
        name, arity = signature
        state = (name.removeprefix(BEFORE), arity)
        *others, turn = arguments or (None,)
        if state not in self._known or turn is None or turn.type != SymbolType.Number:
            return ""
        return self.say(state, [*others, Number(turn.number - 1)])

    def sentence(self, signature: Signature) -> str:
        """Return the template for what an atom means; empty if that is not documented."""
        predicate = self._known.get(signature)
        if predicate is None:
            return ""
        return predicate.sentence


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Put values into a template; an argument without a value keeps its name."""

    def put(found: re.Match[str]) -> str:
        name, noun = found.groups()
        shown = values.get(name, name)
        if noun is None:
            return shown
        if shown in _ONE:
            return f"{shown} {noun}"
        return f"{shown} {noun}s"

    return _PLACEHOLDER.sub(put, template)


def say_value(value: Symbol) -> str:
    """Return a value in words.

    A string loses its quotes. A tuple that contains a string is a sentence, whose parts are joined.
    """
    if value.type == SymbolType.String:
        return value.string
    if value in (Infimum, Supremum):
        return "none"
    if value.type == SymbolType.Function:
        if not value.name and _is_sentence(value):
            words = " ".join(map(_write_part, value.arguments))
            return words.replace(" ,", ",").replace(" :", ":")
        if value.name and not value.arguments:
            return value.name.replace("_", "-")  # as records write it
    return str(value)


def _is_sentence(value: Symbol) -> bool:
    """Return whether a tuple contains a string."""
    return any(part.type == SymbolType.String for part in value.arguments)


def _write_part(part: Symbol) -> str:
    """Return a part of a sentence in words; a tuple without strings is joined with commas."""
    is_tuple = part.type == SymbolType.Function and not part.name
    if not is_tuple or _is_sentence(part):
        return say_value(part)
    values = map(say_value, part.arguments)
    return ",".join(values)


def read_origin(location: Location) -> Origin:
    """Return the place of a rule, with its text in the file and the comment above it."""
    begin = location.begin
    end = location.end
    file = Path(begin.filename)
    lines: list[str] = []
    if file.is_file():
        lines = _read_shipped_lines(file) if is_shipped(file) else _read_lines(file)
    shown = lines[begin.line - 1 : end.line]
    if shown:
        # clingo counts columns in bytes.
        last_line = shown[-1].encode()
        shown[-1] = last_line[: end.column - 1].decode()
        first_line = shown[0].encode()
        shown[0] = first_line[begin.column - 1 :].decode()
    words = " ".join(shown).split()
    return Origin(
        file=rule_file_name(begin.filename),
        line=begin.line,
        text=" ".join(words),
        note=_find_note(lines, begin.line),
    )


def _read_lines(file: Path) -> list[str]:
    """Return the lines of a rule file."""
    return read_rule_text(file).split("\n")


# Cached by path: these files do not change.
_read_shipped_lines = lru_cache(maxsize=256)(_read_lines)


def read_parameter(location: Location) -> str:
    """Return the name of the parameter of a ``#program`` line; empty if it has none."""
    origin = read_origin(location)
    found = _PARAMETER.match(origin.text)
    if found is None:
        return ""
    return found[1]


def _find_note(lines: list[str], line: int) -> str:
    """Return the comment above the paragraph that contains a rule; empty if there is none."""
    above = lines[: line - 1]
    while above and above[-1].strip() and not above[-1].startswith("%"):
        above.pop()
    note: list[str] = []
    while above and above[-1].startswith("% ") and "---" not in above[-1]:
        comment = above.pop()
        note.insert(0, comment[2:].strip())
    return " ".join(note)
