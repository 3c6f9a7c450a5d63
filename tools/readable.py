#!/usr/bin/env python3
"""Measure how readable Python code is: `readable.py [--base COMMIT] [--worst N] FOLDER...`

Counted by file and in total:

  nodes    nodes of the syntax tree: how much the code says
  density  nodes per line of code (without blank lines, comments and docstrings): how tightly it is
           packed
  doc      share of all lines that are docstrings
  packed   `a, b = x, y` for unrelated values
  mult     a string, list or tuple multiplied by a condition
  nested   comprehensions with more than one `for`
  walrus   `:=`
  wording  phrases that read like a translation, in comments, docstrings and messages

For comparison, measured with the same program: clingraph 5.8, clorm 6.6, OpenSpiel's Python games
7.0, lark 8.3, kaggle-environments 8.9, python-chess 9.5. With --base, the figures at that commit
stand beside those of the working tree.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

WORDING = re.compile(
    r"\bso (?:many|much|long|large)\b(?! (?:that|as|if|in))|\b(?:which|this|that|it) is none\b"
    r"|\b(?:is|are) told\b|\bof (?:now|before)\b|\bbrings? along\b"
    r"|\bwhat is (?:told|said|asked|wanted|meant)\b|\bthere is not\b"
    r"|\bwho (?:has no|asks|listens|takes|notes|reads)\b"
    r"|\bcome[s]? of\b|\bwhat (?:came|comes) of\b",
    re.IGNORECASE,
)
LEADING = re.compile(
    r"^\s*(?:#|\"\"\"|f?\"|f?')\s*(?:Of|Who|Whoever|Nobody|That of|Those of|What of)\b"
)
SKIP = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines that docstrings occupy."""
    found = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS) and node.body and isinstance(node.body[0], ast.Expr):
            docstring = node.body[0]
            value = docstring.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found |= set(
                    range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1)
                )
    return found


def is_multiplied_text(node: ast.AST) -> bool:
    """Return whether a node multiplies a string or a list by something that is no plain number."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return False
    text = isinstance(node.left, (ast.List, ast.Tuple, ast.JoinedStr)) or (
        isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    )
    return text and isinstance(
        node.right, (ast.Compare, ast.UnaryOp, ast.BoolOp, ast.Name, ast.Attribute)
    )


def is_packed_assignment(node: ast.AST) -> bool:
    """Return whether a node is an assignment such as `a, b = x, y`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
        return False
    return isinstance(node.value, ast.Tuple)


def measure(text: str) -> Counter[str]:
    """Return the counts of one file's text."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    docs = docstring_lines(tree)
    code = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIP:
            code |= set(range(token.start[0], token.end[0] + 1))
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    lines = text.splitlines()
    return Counter(
        nodes=len(nodes),
        code=len(code - docs),
        docs=len(docs),
        lines=len(lines),
        packed=sum(map(is_packed_assignment, nodes)),
        mult=sum(map(is_multiplied_text, nodes)),
        nested=sum(isinstance(n, comprehensions) and len(n.generators) > 1 for n in nodes),
        walrus=sum(isinstance(n, ast.NamedExpr) for n in nodes),
        wording=sum(len(WORDING.findall(line)) + bool(LEADING.match(line)) for line in lines),
    )


def texts_of(folder: str, commit: str | None) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each Python file, of the working tree or of a commit."""
    if commit is None:
        for path in sorted(Path(folder).rglob("*.py")):
            yield str(path), path.read_text(encoding="utf-8")
        return
    for name in run_git("ls-tree", "-r", "--name-only", commit, "--", folder).split("\n"):
        if name.endswith(".py"):
            yield name, run_git("show", f"{commit}:{name}")


def run_git(*words: str) -> str:
    """Return what a git command prints."""
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def show(label: str, total: Counter[str]) -> None:
    """Print the figures of one tree."""
    density = total["nodes"] / max(total["code"], 1)
    share = 100 * total["docs"] / max(total["lines"], 1)
    rest = "  ".join(
        f"{key} {total[key]}" for key in ("packed", "mult", "nested", "walrus", "wording")
    )
    size = f"lines {total['lines']}  nodes {total['nodes']}"
    print(f"{label:24} {size}  density {density:.2f}  doc {share:.1f} %  {rest}")


def main() -> None:
    """Print the figures of the folders on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--base")
    parser.add_argument("--worst", type=int, default=10)
    given = parser.parse_args()
    for folder in given.folders:
        if given.base:
            before = [measure(text) for _, text in texts_of(folder, given.base)]
            show(f"{folder} at {given.base[:8]}", sum(before, Counter()))
        files = {name: measure(text) for name, text in texts_of(folder, None)}
        show(folder, sum(files.values(), Counter()))
        dense = sorted(files.items(), key=lambda item: -item[1]["nodes"] / max(item[1]["code"], 40))
        for name, counts in dense[: given.worst]:
            density = counts["nodes"] / max(counts["code"], 1)
            size = f"{counts['code']:4} lines of code  {counts['wording']:3} wording"
            print(f"    {density:5.1f}  {size}  {name}")


if __name__ == "__main__":
    main()
