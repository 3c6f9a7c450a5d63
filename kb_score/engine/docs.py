"""The documentation in rule files: headers, predicates, rulings, words for atoms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from clingo import Infimum, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, Location, parse_files

from kb_score.engine.program import Signature, collected_messages
from kb_score.engine.rulings import VALUES, AllowedValues, read_allowed_values
from kb_score.resources import COMMON, list_folders, name_rule_file

# What stands behind a rule that no example can use, and why.
NO_EXAMPLE = re.compile(rb"[^\n]*% no example: \w")
_HEADING = re.compile(r"(-?[a-z_]\w*)(?:\(([^)]*)\))?(?::\s|\s*\n)(.*)", re.DOTALL)
_RULING = "% ruling: "
# What the documentation of an extension point says.
_EXTENSION_POINT = re.compile(r"\busers may add to it\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A documented predicate: its name, the names of its arguments, and the meaning of an atom."""

    name: str
    arguments: tuple[str, ...]
    text: str

    @property
    def signature(self) -> tuple[str, int]:
        """Its name and number of arguments."""
        return self.name, len(self.arguments)

    @property
    def is_extension_point(self) -> bool:
        """Whether the rules of users may derive it, beside ours."""
        return _EXTENSION_POINT.search(self.text) is not None

    def __str__(self) -> str:
        return f"{self.name}({','.join(self.arguments)})" if self.arguments else self.name


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
    return tuple(_read(path, path.stat().st_mtime_ns) for path in paths)


def find_extension_points(paths: Iterable[Path]) -> frozenset[Signature]:
    """Find the predicates that users' rules may derive although our rules derive or read them.

    A documentation block of each says "users may add to it".
    """
    points = set[Signature]()
    for file in read_rule_files(paths):
        points.update(p.signature for p in file.predicates if p.is_extension_point)
    return frozenset(points)


def find_documented(paths: Iterable[Path]) -> dict[str, frozenset[Signature]]:
    """Find which predicates each file documents, by the names of the files."""
    return {
        file.path.name: frozenset(predicate.signature for predicate in file.predicates)
        for file in read_rule_files(paths)
    }


def list_game_folders() -> list[Path]:
    """List the folders of ``asp/``, one for each game, in alphabetical order."""
    folders = list[Path]()
    for home in list_folders("asp"):
        folders += (path for path in home.iterdir() if path.is_dir() and path.name != COMMON)
    return sorted(folders)


@lru_cache(maxsize=512)
def _read(path: Path, _stamp: int) -> RuleFile:
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_files([str(path)], nodes.append, logger=log)
    blocks = list[str]()
    for node in nodes:
        comment = node.value.strip() if node.ast_type == ASTType.Comment else ""
        if comment.startswith("%*!") and comment.endswith("*%"):
            block = comment.removeprefix("%*!").removesuffix("*%").strip()
            if not block.startswith("Example"):
                blocks.append(block)
    predicates = list(map(_read_predicate, blocks))
    header = blocks[0] if blocks and predicates[0] is None else ""
    return RuleFile(path, header, tuple(filter(None, predicates)), tuple(_list_rulings(nodes)))


def _read_predicate(block: str) -> Predicate | None:
    """Read the documentation of a predicate; None for a block about something else."""
    found = _HEADING.fullmatch(block)
    if found is None:
        return None
    arguments = filter(None, map(str.strip, (found[2] or "").split(",")))
    return Predicate(found[1], tuple(arguments), " ".join(found[3].split()))


def _list_rulings(nodes: list[AST]) -> Iterator[Ruling]:
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
# A noun that a number may count.
_COUNTED = r"( (?!(?:is|has|was|as|this|times)\b)[a-z]+s\b)?"
# What stands before a variable is a noun that it names, but for these words and what ends in s.
_NO_NOUN = (
    "[Aa]|about|[Aa]fter|along|[Aa]nd?|are|[Aa]t|[Bb]efore|behind|beside|bring|but|by|called|each"
    "|first|for|[Ff]rom|got|if|[Ii]n|it|made|many|most|much|not|of|[Oo]n|or|over|print|save|see"
    "|show|than|that|[Tt]he|these|took|to|under|were|when|where|[Ww]ith"
)
_NOUN = (
    r"(?:\b(?:[Tt]his much|[Tt]hese|[Tt]his|[Tt]he|an?) )?"
    rf"(?:\b(?!(?:{_NO_NOUN})\b)([A-Za-z][a-z]*[a-rt-z]) )?"
)
# The questions that a variable may be called by.
_QUESTIONS = {"Who": "somebody", "Why": "something", "How": "something"}
_SENTENCE = re.compile(r"(.*?)[.;](?= |$)")
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
    """What predicates mean, in words."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Read the documentation in some rule files."""
        self._known: dict[Signature, Predicate] = {}
        for file in read_rule_files(paths):
            self._known.update((predicate.signature, predicate) for predicate in file.predicates)

    def documented(self) -> list[Predicate]:
        """List the predicates that are documented."""
        return list(self._known.values())

    def say(self, signature: Signature, arguments: Sequence[Symbol | None]) -> str:
        """Return what an atom means in words; None stands for an open argument.

        The text is empty if the meaning is not documented.
        """
        predicate = self._known.get(signature)
        sentence = self.sentence(signature)
        if predicate is None or not sentence:
            return ""
        values = dict(zip(predicate.arguments, arguments, strict=True))
        sentence = _leave_open(sentence, [name for name in values if values[name] is None])
        known = {name: say_value(value) for name, value in values.items() if value is not None}
        return _put_values(sentence, known)

    def sentence(self, signature: Signature) -> str:
        """Find the sentence about a predicate, with the names of its arguments; perhaps empty."""
        predicate = self._known.get(signature)
        if predicate is None:
            return ""
        text = _INPUT.sub("", predicate.text, count=1)
        found = _SENTENCE.match(text)
        return found[1] if found else text


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
    if part.type == SymbolType.Function and not part.name and not _is_sentence(part):
        return ",".join(map(say_value, part.arguments))
    return say_value(part)


def _leave_open(text: str, names: Sequence[str]) -> str:
    """Replace "player P" by "some player", and the like, where a variable has no value."""
    if not names:
        return text

    def put(found: re.Match[str]) -> str:
        noun = found[1]
        name = found[2]
        counted = found[3] or ""
        some = "Some" if found.start() == 0 and found[0][0].isupper() else "some"
        if noun:
            return f"{some} {noun.lower()}{counted}"
        if counted:
            return f"{some}{counted}"
        if found.string[found.start() - 1 : found.start()] in ("(", ","):
            return "_"
        if name in _QUESTIONS:
            return _QUESTIONS[name]
        return f"{some} {name.lower()}" if re.fullmatch("[A-Z][a-z]+", name) else f"{some}thing"

    # The hex (R,C) is some hex, P settlements are some settlements, and Offset is some offset.
    name = "|".join(sorted(names, key=len, reverse=True))
    open_ = rf"(\((?:{name})(?:,(?:{name}))*\)|\b(?:{name})\b)"
    return re.sub(rf"(?!^A ){_NOUN}{open_}{_COUNTED}", put, text)


def _put_values(text: str, values: Mapping[str, str]) -> str:
    """Replace variables by their values, with what each is where the text needs that."""
    if not values:
        return text

    def put(found: re.Match[str]) -> str:
        variable = found[2]
        value = values[variable]
        name = variable.lower() if len(variable) > 1 else variable
        counted = found[3] or ""
        if found[1] == "this ":
            return f"{name} {value}{counted}"
        # Numbers are called N, or by a word.
        if value in ("1", "-1") and (variable == "N" or len(variable) > 2):
            name = name.removesuffix("s")
            counted = counted.removesuffix("s")
        return f"{value} {name}{counted}" if found[1] else f"{value}{counted}"

    # "Card pays player P this much Gold" says "6 gold", "this Line" says "line 6"; A may be a word.
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    return re.sub(rf"(?!^A )\b(this much |these |this )?({names})\b{_COUNTED}", put, text)


def read_origin(location: Location) -> Origin:
    """Read the text of a rule in its file, and the comment above it."""
    file = Path(location.begin.filename)
    lines = _read_lines(file, file.stat().st_mtime_ns) if file.is_file() else []
    begin = location.begin
    end = location.end
    shown = lines[begin.line - 1 : end.line]
    if shown:
        # clingo counts columns in bytes.
        shown[-1] = shown[-1].encode()[: end.column - 1].decode()
        shown[0] = shown[0].encode()[begin.column - 1 :].decode()
    text = " ".join(" ".join(shown).split())
    return Origin(name_rule_file(begin.filename), begin.line, text, _find_note(lines, begin.line))


@lru_cache(maxsize=64)
def _read_lines(file: Path, _stamp: int) -> list[str]:
    """Read the lines of a rule file; it is read again if it has changed."""
    return file.read_text(encoding="utf-8").split("\n")


def read_parameter(location: Location) -> str:
    """Read the parameter of a ``#program`` line; empty if it has none."""
    found = _PARAMETER.match(read_origin(location).text)
    return found[1] if found else ""


def _find_note(lines: Sequence[str], line: int) -> str:
    """Find the comment above the paragraph in which a rule stands."""
    above = min(line - 2, len(lines) - 1)
    while above >= 0 and lines[above].strip() and not lines[above].startswith("%"):
        above -= 1
    note: list[str] = []
    while above >= 0 and lines[above].startswith("% ") and "---" not in lines[above]:
        note.insert(0, lines[above][2:].strip())
        above -= 1
    return " ".join(note)
