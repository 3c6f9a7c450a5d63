"""The lines `#defined` of rule files, written from their documentation.

    python -m tools.write_defined [FILE...]

A predicate whose block begins with "Input" may have no facts. Where a file asks for such a
predicate, plain clingo wants to be told so, or it warns. Each file of ``asp/`` gets the lines that
it lacks: behind the block, or, if the block stands in ``common/contract.lp``, behind the header.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from kb_score.engine.docs import find_inputs, read_contract, read_rule_files
from kb_score.engine.program import read_program
from kb_score.engine.scan import Signature
from kb_score.resources import find_folder

_ALWAYS_THERE = {("size", 2)}  # each game has a board


def find_missing(path: Path) -> list[Signature]:
    """List the inputs that a rule file asks for and has no line `#defined` for."""
    program = read_program([path])
    inputs = find_inputs([path, read_contract().path])
    missing = (inputs & program.used) - program.derived - program.defined
    return sorted(missing - _ALWAYS_THERE)


def write_missing(path: Path) -> None:
    """Add to a rule file the lines `#defined` that it lacks."""
    text = path.read_text(encoding="utf-8")
    (file,) = read_rule_files([path])
    own = {predicate.signature for predicate in file.predicates}
    for name, arity in reversed(find_missing(path)):
        line = f"#defined {name}/{arity}.\n"
        if (name, arity) in own:
            place = re.search(rf"%\*! {name}\b.*?\*%\n", text, re.DOTALL)
            assert place is not None
            # Blocks that follow each other without a blank line belong together.
            end = place.end()
            while text.startswith("%*! ", end):
                end = text.index("*%\n", end) + len("*%\n")
            text = text[:end] + line + text[end:]
        else:
            end = text.index("*%\n") + len("*%\n")
            text = f"{text[:end]}\n{line}{text[end:]}"
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Write the lines, and print the files that have changed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    for path in options.files or sorted(find_folder("asp").rglob("*.lp")):
        if find_missing(path):
            write_missing(path)
            print(path)


if __name__ == "__main__":
    main()
