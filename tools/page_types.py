"""The file web/data.d.ts: the data of each page as types of TypeScript.

    python -m tools.page_types

The types are written from those of Python's functions that make the data: a TypedDict becomes an
interface, and a NamedTuple a tuple. A key's comment stands above it or behind it.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (
    "kb_score/shell/pages.py",
    "kb_score/web/playground.py",
    "kb_score/web/kingdom_builder.py",
    "kb_score/web/sheet.py",
    "kb_score/web/tabletop.py",
    "kb_score/arena/contests/report.py",
)
PLAIN = {"str": "string", "int": "number", "float": "number", "bool": "boolean"}
GENERIC = {"Sequence": "Array", "Mapping": "Record"}


def write_types() -> str:
    """Return the text of data.d.ts."""
    written = ["// Written by python -m tools.page_types: change the Python sources instead.\n"]
    interfaces = {"TypedDict"}
    for source in SOURCES:
        written.append(f"// What {source} makes.\n")
        text = (ROOT / source).read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                written.append(_write_alias(node, lines))
            if isinstance(node, ast.ClassDef) and node.bases:
                bases = [ast.unparse(base) for base in node.bases]
                if bases == ["NamedTuple"]:
                    written.append(_write_tuple(node, lines))
                elif interfaces.issuperset(bases):
                    written.append(_write_interface(node, lines))
                    interfaces.add(node.name)
    return "\n".join(written)


def _write_alias(node: ast.AnnAssign, lines: list[str]) -> str:
    assert node.value is not None
    alias = f"{ast.unparse(node.target)} = {_write_kind(node.value)}"
    return f"{_write_comment(node, lines)}export type {alias};\n"


def _write_tuple(node: ast.ClassDef, lines: list[str]) -> str:
    """Return a NamedTuple as a tuple, from which values with a default may be missing."""
    keys = _write_keys(node, lines, ",")
    return f"{_write_docstring(node)}export type {node.name} = [\n{keys}];\n"


def _write_interface(node: ast.ClassDef, lines: list[str]) -> str:
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    extends = "" if bases == "TypedDict" else f"extends {bases} "
    keys = _write_keys(node, lines, ";")
    return f"{_write_docstring(node)}export interface {node.name} {extends}{{\n{keys}}}\n"


def _write_docstring(node: ast.ClassDef) -> str:
    docstring = ast.get_docstring(node) or ""
    return f"/** {' '.join(docstring.split())} */\n"


def _write_keys(node: ast.ClassDef, lines: list[str], end: str) -> str:
    written = ""
    for key in node.body:
        if isinstance(key, ast.AnnAssign):
            mark = "?" if key.value else ""
            written += _write_comment(key, lines)
            written += f"  {ast.unparse(key.target)}{mark}: {_write_kind(key.annotation)}{end}\n"
    return written


def _write_comment(node: ast.AnnAssign, lines: list[str]) -> str:
    """Return the comment above and behind a statement; empty if there is none."""
    first = node.lineno - 1
    start = first
    while lines[start - 1].lstrip().startswith("#"):
        start -= 1
    assert node.end_lineno is not None
    comments = [*lines[start:first], lines[node.end_lineno - 1][node.end_col_offset :]]
    words = " ".join(comment.strip(" #") for comment in comments).strip()
    indent = "  " if node.col_offset else ""
    return f"{indent}/** {words} */\n" if words else ""


def _write_kind(node: ast.expr) -> str:
    """Return the type of TypeScript for an annotation."""
    match node:
        case ast.Constant(value=None):
            return "null"
        case ast.Constant(value=value):
            return json.dumps(value)
        case ast.Name(id=name):
            return PLAIN.get(name, name)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return f"{_write_kind(left)} | {_write_kind(right)}"
        case ast.Subscript(value=ast.Name(id=name), slice=inside):
            inner = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            kinds = list(map(_write_kind, inner))
            if name == "Literal":
                return " | ".join(kinds)
            if name == "tuple":
                return f"[{', '.join(kinds)}]"
            if name in GENERIC:
                return f"{GENERIC[name]}<{', '.join(kinds)}>"
    raise TypeError(f"no type of TypeScript for {ast.unparse(node)}")


if __name__ == "__main__":
    (ROOT / "web" / "data.d.ts").write_text(write_types(), encoding="utf-8")
