"""The example notebook: ``python -m tests.notebook`` runs it, and writes down what its cells show.

A cell shows what its last line returns, as Jupyter would, which itself is not needed.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "kb-score.ipynb"

# The ways in which a value may show itself, and what Jupyter calls them.
_WAYS = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}


def read_cells(path: Path = NOTEBOOK) -> list[dict[str, Any]]:
    """Read the code cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run_cells(cells: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Run cells in one namespace; for each, yield what it shows by the kind of the content."""
    names: dict[str, Any] = {}
    for cell in cells:
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop()
        assert isinstance(last, ast.Expr), "a cell ends with what it shows"
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        shown = {"text/plain": repr(value)}
        for way, kind in _WAYS.items():
            if hasattr(value, way):
                shown[kind] = getattr(value, way)()
        yield shown


def read_outputs(cell: dict[str, Any]) -> dict[str, str]:
    """Read what a cell shows in the file."""
    (output,) = cell["outputs"]
    return {kind: "".join(lines) for kind, lines in output["data"].items()}


@contextmanager
def beside_the_notebook() -> Iterator[None]:
    """Work in the notebook's folder, as Jupyter does."""
    before = Path.cwd()
    os.chdir(NOTEBOOK.parent)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Write what the cells show into the notebook."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with beside_the_notebook():
        for number, (cell, shown) in enumerate(zip(cells, run_cells(cells), strict=True), 1):
            data = {kind: text.splitlines(keepends=True) for kind, text in shown.items()}
            output = {"output_type": "execute_result", "execution_count": number}
            cell |= {
                "execution_count": number,
                "outputs": [{**output, "data": data, "metadata": {}}],
            }
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
