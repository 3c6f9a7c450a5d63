"""Lifted rules as people can read them: in their files, with their comments and line breaks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType, parse_files

from kb_score.engine.lift import lift_to_turns
from kb_score.engine.program import read_program

if TYPE_CHECKING:
    from collections.abc import Collection

# What a program leaves out of its statements.
_ASIDE = (ASTType.Defined, ASTType.Comment)


def write_lifted(path: Path, parts: Collection[str]) -> str:
    """Write a rule file with some parts lifted to all turns; see `kb_score.engine.lift`.

    Statements that say the same as before keep their text, and so do comments.
    """
    text = path.read_text(encoding="utf-8")
    if not parts:
        return text
    program = read_program([path], ours=True)
    before = [statement.node for statement in program.statements]
    after = [statement.node for statement in lift_to_turns(program, parts).statements]
    changed = {
        _begin(old): str(new)
        for old, new in zip(before, after, strict=True)
        if str(old) != str(new)
    }
    # clingo ends a line at a line feed alone.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    pieces, at = list[str](), (1, 1)
    for node in _list_nodes(path):
        begin, end = _begin(node), (node.location.end.line, node.location.end.column)
        # The part that each file begins with stands nowhere.
        if begin == end:
            continue
        pieces.append(_cut(lines, at, begin))
        is_kept = node.ast_type in _ASIDE or begin not in changed
        pieces.append(_cut(lines, begin, end) if is_kept else changed[begin])
        at = end
    return "".join([*pieces, _cut(lines, at, (len(lines) + 1, 1))])


def _list_nodes(path: Path) -> list[AST]:
    """List everything in a file in the order of its places."""
    nodes: list[AST] = []
    parse_files([str(path)], nodes.append)
    return sorted(nodes, key=_begin)


def _begin(node: AST) -> tuple[int, int]:
    begin = node.location.begin
    return begin.line, begin.column


def _cut(lines: list[str], begin: tuple[int, int], end: tuple[int, int]) -> str:
    """Cut out the text between two places, line and column from 1; columns count bytes."""
    (first, left), (last, right) = begin, end
    shown = [line.encode() for line in lines[first - 1 : last]]
    if last <= len(lines):
        shown[-1] = shown[-1][: right - 1]
    if shown:
        shown[0] = shown[0][left - 1 :]
    return b"".join(shown).decode()
