"""What rule files say about themselves: their headers, their predicates, their rulings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clingo.ast import AST, ASTType, parse_files

from kb_score.messages import collected_messages
from kb_score.program import Signature
from kb_score.resources import find_folder

_BLOCK = re.compile(r"%\*!\s*(.*?)\s*\*%", re.DOTALL)
_HEADING = re.compile(r"(-?[a-z_]\w*)\(([^)]*)\)$|([a-z_]\w*)$")
_RULING = "% ruling: "


@dataclass(frozen=True, slots=True)
class Predicate:
    """A documented predicate.

    Attributes:
        name: Its name.
        arguments: The names of its arguments.
        text: What an atom of it means.
        path: The file that documents it.
    """

    name: str
    arguments: tuple[str, ...]
    text: str
    path: Path

    @property
    def signature(self) -> Signature:
        """Its name and number of arguments."""
        return self.name, len(self.arguments)

    def __str__(self) -> str:
        return f"{self.name}({','.join(self.arguments)})" if self.arguments else self.name


@dataclass(frozen=True, slots=True)
class Ruling:
    """A disputed reading that ``--const`` decides.

    Attributes:
        name: The constant.
        default: Its value unless it is set.
        text: What it decides.
        path: The file that it stands in.
    """

    name: str
    default: str
    text: str
    path: Path


@dataclass(frozen=True, slots=True)
class RuleFile:
    """What one rule file says about itself.

    Attributes:
        path: The file.
        header: Its first block: what it is about, what it takes and gives.
        predicates: The predicates that it documents, in order.
        rulings: The rulings in it, in order.
    """

    path: Path
    header: str
    predicates: tuple[Predicate, ...]
    rulings: tuple[Ruling, ...]


def read_rule_files(paths: Iterable[Path]) -> tuple[RuleFile, ...]:
    """Read what rule files say about themselves.

    Raises:
        RuleError: A file cannot be parsed.
    """
    return tuple(map(_read, paths))


def list_game_folders() -> list[Path]:
    """List the folders of ``asp/``, one a game, in alphabetical order."""
    return sorted(path for path in find_folder("asp").iterdir() if path.is_dir())


def _read(path: Path) -> RuleFile:
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_files([str(path)], nodes.append, logger=log)
    blocks = list(_blocks(nodes))
    header = blocks[0] if blocks and _predicate(blocks[0], path) is None else ""
    predicates = (_predicate(block, path) for block in blocks)
    return RuleFile(
        path, header, tuple(p for p in predicates if p is not None), tuple(_rulings(nodes, path))
    )


def _blocks(nodes: Iterable[AST]) -> Iterator[str]:
    for node in nodes:
        if node.ast_type == ASTType.Comment and (block := _BLOCK.fullmatch(node.value.strip())):
            yield block[1]


def _predicate(block: str, path: Path) -> Predicate | None:
    heading, _, text = block.partition("\n")
    found = _HEADING.match(heading.strip())
    if found is None:
        return None
    arguments = tuple(a.strip() for a in (found[2] or "").split(",") if a.strip())
    return Predicate(found[1] or found[3], arguments, " ".join(text.split()), path)


def _rulings(nodes: list[AST], path: Path) -> Iterator[Ruling]:
    text = ""
    for node in nodes:
        if node.ast_type == ASTType.Comment:
            if node.value.startswith(_RULING):
                text = node.value.removeprefix(_RULING).strip()
            elif text:
                text += " " + node.value.lstrip("% ").strip()
        else:
            if node.ast_type == ASTType.Definition and text:
                yield Ruling(node.name, str(node.value), text, path)
            text = ""
