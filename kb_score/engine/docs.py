"""The documentation in rule files: headers, predicates, rulings, words for atoms."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from clingo import Infimum, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, Location, parse_files

from kb_score.engine.program import Signature, collected_messages
from kb_score.engine.rulings import VALUES, AllowedValues, read_allowed_values
from kb_score.resources import COMMON, find_folder, name_rule_file

# The comment behind a rule that no example can use, which says why.
NO_EXAMPLE = re.compile(rb"[^\n]*% no example: \w")
_HEADING = re.compile(r"(-?[a-z_]\w*)(?:\(([^)]*)\))?(?::\s|\s*\n)(.*)", re.DOTALL)
_RULING = "% ruling: "
# The documentation of an extension point contains these words.
_EXTENSION_POINT = re.compile(r"\busers may add to it\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A documented predicate.

    Attributes:
        name: Its name.
        arguments: The names of its arguments.
        template: What its block says. The first sentence tells what an atom means, with its
            arguments in braces: ``Player {P} has {N:settlement}``; a number with a noun behind it
            counts things.
    """

    name: str
    arguments: tuple[str, ...]
    template: str

    @property
    def text(self) -> str:
        """What its block says, as people read it: ``Player P has N settlements``."""
        return _fill(self.template, {})

    @property
    def sentence(self) -> str:
        """The first sentence of the template, without the words that say who gives the atom."""
        text = _INPUT.sub("", self.template, count=1)
        found = _SENTENCE.match(text)
        return text if found is None else found[1]

    @property
    def signature(self) -> tuple[str, int]:
        """Its name and number of arguments."""
        return self.name, len(self.arguments)

    @property
    def is_input(self) -> bool:
        """Whether facts give it, so that there may be none."""
        return self.template.startswith("Input")

    @property
    def is_extension_point(self) -> bool:
        """Whether the rules of users may derive it, beside ours."""
        return _EXTENSION_POINT.search(self.template) is not None

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name}({','.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A disputed reading that ``--const`` can set."""

    name: str
    default: str
    text: str
    allowed: AllowedValues | None = None  # its values; None if the file does not list them


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The documentation in one rule file; the header is its first block."""

    path: Path
    header: str
    predicates: tuple[Predicate, ...]
    rulings: tuple[Ruling, ...]


def read_rule_files(paths: Iterable[Path]) -> tuple[RuleFile, ...]:
    """Read the documentation in rule files; a file is read again if it has changed."""
    return tuple(_read_file(path, path.stat().st_mtime_ns) for path in paths)


def read_contract() -> RuleFile:
    """Read the documentation of the predicates that all games agree on."""
    (file,) = read_rule_files([find_folder("asp") / COMMON / "contract.lp"])
    return file


def find_extension_points(paths: Iterable[Path]) -> frozenset[Signature]:
    """Find the predicates that users' rules may derive although our rules derive or read them.

    A documentation block of each says "users may add to it".
    """
    points = set[Signature]()
    for file in read_rule_files(paths):
        for predicate in file.predicates:
            if predicate.is_extension_point:
                points.add(predicate.signature)
    return frozenset(points)


def find_inputs(paths: Iterable[Path]) -> frozenset[Signature]:
    """Find the predicates whose documentation block in some files begins with "Input"."""
    inputs = set[Signature]()
    for file in read_rule_files(paths):
        inputs.update(predicate.signature for predicate in file.predicates if predicate.is_input)
    return frozenset(inputs)


def find_documented(paths: Iterable[Path]) -> dict[str, frozenset[Signature]]:
    """Find which predicates each file documents, by the names of the files."""
    documented: dict[str, frozenset[Signature]] = {}
    for file in read_rule_files(paths):
        signatures = [predicate.signature for predicate in file.predicates]
        documented[file.path.name] = frozenset(signatures)
    return documented


def find_renamed(folder: Path) -> dict[Signature, str]:
    """Find the former names of a game's predicates, and their present ones.

    Args:
        folder: The folder of the game's rules. Each row of its ``renamed.csv``, if it has one, is
            a former name and the present one, such as ``first_fault/2,first_flaw/2``.
    """
    path = folder / "renamed.csv"
    if not path.is_file():
        return {}
    renamed: dict[Signature, str] = {}
    _, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    for former, now in rows:
        name, _, arity = former.partition("/")
        renamed[name, int(arity)] = now
    return renamed


@lru_cache(maxsize=512)
def _read_file(path: Path, _stamp: int) -> RuleFile:
    """Read the documentation in a rule file; it is read again if it has changed."""
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_files([str(path)], nodes.append, logger=log)
    header = ""
    predicates = list[Predicate]()
    for number, block in enumerate(_list_blocks(nodes)):
        predicate = _read_predicate(block)
        if predicate is not None:
            predicates.append(predicate)
        elif number == 0:
            header = block
    return RuleFile(path, header, tuple(predicates), tuple(_list_rulings(nodes)))


def _list_blocks(nodes: Sequence[AST]) -> Iterator[str]:
    """Yield the texts of the documentation blocks, without the examples."""
    for node in nodes:
        comment = node.value.strip() if node.ast_type == ASTType.Comment else ""
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
    arguments = map(str.strip, inner.split(","))
    return Predicate(name, tuple(filter(None, arguments)), " ".join(text.split()))


def _list_rulings(nodes: Sequence[AST]) -> Iterator[Ruling]:
    """Yield the constants that a comment above them calls rulings."""
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
            allowed = read_allowed_values(node.value.removeprefix(VALUES))
        elif text:
            text += " " + node.value.lstrip("% ").strip()


_INPUT = re.compile(r"Input[^:.]*: ")
_SENTENCE = re.compile(r"(.*?)[.;](?= |$)")
# An argument in a template, perhaps with the noun that it counts.
_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_ONE = ("1", "-1")
_PARAMETER = re.compile(r"#program\s+[a-z_]\w*\(\s*([a-z_]\w*)\s*\)")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a rule stands: the file and the line from 1, with its text and the comment above it."""

    file: str
    line: int
    text: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Words:
    """The meanings of predicates, in words."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Read the documentation in some rule files."""
        self._known: dict[Signature, Predicate] = {}
        for file in read_rule_files(paths):
            for predicate in file.predicates:
                self._known[predicate.signature] = predicate

    def documented(self) -> list[Predicate]:
        """List the predicates that are documented."""
        return list(self._known.values())

    def say(self, signature: Signature, arguments: Sequence[Symbol | None]) -> str:
        """Return what an atom means in words; None stands for an open argument.

        The text is empty if the meaning is not documented.
        """
        predicate = self._known.get(signature)
        if predicate is None:
            return ""
        values: dict[str, str] = {}
        for name, value in zip(predicate.arguments, arguments, strict=True):
            if value is not None:
                values[name] = say_value(value)
        return _fill(predicate.sentence, values)

    def sentence(self, signature: Signature) -> str:
        """Find the template of what an atom means; empty if that is not documented."""
        predicate = self._known.get(signature)
        return "" if predicate is None else predicate.sentence


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Put values into a template; an argument without a value keeps its name."""

    def put(found: re.Match[str]) -> str:
        name, noun = found.groups()
        shown = values.get(name, name)
        if noun is None:
            return shown
        return f"{shown} {noun}" if shown in _ONE else f"{shown} {noun}s"

    return _PLACE.sub(put, template)


def say_value(value: Symbol) -> str:
    """Return a value in words: a text without its quotes; a tuple that holds one is a sentence."""
    if value.type == SymbolType.String:
        return value.string
    if value in (Infimum, Supremum):
        return "none"
    if value.type == SymbolType.Function:
        if not value.name and _is_sentence(value):
            words = " ".join(map(_say_part, value.arguments))
            return words.replace(" ,", ",").replace(" :", ":")
        if value.name and not value.arguments:
            return value.name.replace("_", "-")  # as records have it
    return str(value)


def _is_sentence(value: Symbol) -> bool:
    return any(part.type == SymbolType.String for part in value.arguments)


def _say_part(part: Symbol) -> str:
    is_tuple = part.type == SymbolType.Function and not part.name
    if not is_tuple or _is_sentence(part):
        return say_value(part)
    return ",".join(map(say_value, part.arguments))


def read_origin(location: Location) -> Origin:
    """Read the text of a rule in its file, and the comment above it."""
    begin = location.begin
    end = location.end
    file = Path(begin.filename)
    lines = _read_lines(file, file.stat().st_mtime_ns) if file.is_file() else []
    shown = lines[begin.line - 1 : end.line]
    if shown:
        # clingo counts columns in bytes.
        shown[-1] = shown[-1].encode()[: end.column - 1].decode()
        shown[0] = shown[0].encode()[begin.column - 1 :].decode()
    return Origin(
        file=name_rule_file(begin.filename),
        line=begin.line,
        text=" ".join(" ".join(shown).split()),
        note=_find_note(lines, begin.line),
    )


@lru_cache(maxsize=64)
def _read_lines(file: Path, _stamp: int) -> list[str]:
    """Read the lines of a rule file; it is read again if it has changed."""
    return file.read_text(encoding="utf-8").split("\n")


def read_parameter(location: Location) -> str:
    """Read the parameter of a ``#program`` line; empty if it has none."""
    found = _PARAMETER.match(read_origin(location).text)
    return found[1] if found else ""


def _find_note(lines: list[str], line: int) -> str:
    """Find the comment above the paragraph in which a rule stands."""
    above = lines[: line - 1]
    while above and above[-1].strip() and not above[-1].startswith("%"):
        above.pop()
    note = list[str]()
    while above and above[-1].startswith("% ") and "---" not in above[-1]:
        comment = above.pop()
        note.insert(0, comment[2:].strip())
    return " ".join(note)
