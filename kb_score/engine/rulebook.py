"""The documentation in rule files: their headers, their predicates, their rulings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType, parse_files

from kb_score.engine.messages import collected_messages
from kb_score.resources import find_folder

if TYPE_CHECKING:
    pass

_BLOCK = re.compile(r"%\*!\s*(.*?)\s*\*%", re.DOTALL)
_HEADING = re.compile(r"(-?[a-z_]\w*)\(([^)]*)\)$|([a-z_]\w*)$")
_RULING = "% ruling: "


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

    def __str__(self) -> str:
        return f"{self.name}({','.join(self.arguments)})" if self.arguments else self.name


@dataclass(frozen=True, slots=True)
class Ruling:
    """A disputed reading that ``--const`` can set."""

    name: str
    default: str
    text: str


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The documentation in one rule file; the header is its first block."""

    path: Path
    header: str
    predicates: tuple[Predicate, ...]
    rulings: tuple[Ruling, ...]


def read_rule_files(paths: Iterable[Path]) -> tuple[RuleFile, ...]:
    """Read the documentation in rule files."""
    return tuple(map(_read, paths))


def list_game_folders() -> list[Path]:
    """List the folders of ``asp/``, one for each game, in alphabetical order."""
    return sorted(path for path in find_folder("asp").iterdir() if path.is_dir())


def _read(path: Path) -> RuleFile:
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_files([str(path)], nodes.append, logger=log)
    comments = (node.value.strip() for node in nodes if node.ast_type == ASTType.Comment)
    blocks = [found[1] for found in map(_BLOCK.fullmatch, comments) if found]
    predicates = [_predicate(block) for block in blocks]
    header = blocks[0] if blocks and predicates[0] is None else ""
    return RuleFile(path, header, tuple(filter(None, predicates)), tuple(_rulings(nodes)))


def _predicate(block: str) -> Predicate | None:
    heading, _, text = block.partition("\n")
    found = _HEADING.match(heading.strip())
    if found is None:
        return None
    arguments = tuple(a.strip() for a in (found[2] or "").split(",") if a.strip())
    return Predicate(found[1] or found[3], arguments, " ".join(text.split()))


def _rulings(nodes: list[AST]) -> Iterator[Ruling]:
    text = ""
    for node in nodes:
        if node.ast_type == ASTType.Comment:
            if node.value.startswith(_RULING):
                text = node.value.removeprefix(_RULING).strip()
            elif text:
                text += " " + node.value.lstrip("% ").strip()
        else:
            if node.ast_type == ASTType.Definition and text:
                yield Ruling(node.name, str(node.value), text)
            text = ""
