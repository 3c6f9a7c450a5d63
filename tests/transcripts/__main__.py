"""Update what the commands of transcript files print: ``python -m tests.transcripts FILE...``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.transcripts import Case, matches, read_cases, run, write_path


def main() -> None:
    """Rewrite the outputs that have changed, and name the cases that they belong to."""
    os.environ["COLUMNS"] = "200"
    os.environ["PATH"] = write_path()
    for name in sys.argv[1:]:
        path = Path(name)
        text = path.read_text()
        for case in read_cases(path):
            new = rewrite(case)
            if new != case.text:
                sys.stdout.write(f"{path}: {case.name}\n")
                text = text.replace(f"## {case.name}\n{case.text}", f"## {case.name}\n{new}", 1)
        path.write_text(text)


def rewrite(case: Case) -> str:
    """Run the commands of a case; return its text with what they print now."""
    done = ""
    rest = case.text
    last = 0
    with tempfile.TemporaryDirectory() as folder:
        case.prepare(Path(folder))
        for command, shown, status in case.commands():
            old = f"$ {command}\n{shown}" + (f"[{status}]\n" if status else "")
            before, found, rest = rest.partition(old)
            assert found, f"{case.name}: $ {command}"
            printed, last = run(command, Path(folder), last)
            if not printed.endswith("\n") and printed:
                printed += "\n"
            new = f"$ {command}\n{printed}" + (f"[{last}]\n" if last else "")
            same = last == status and matches(printed, shown)
            done += before + (old if same else new)
    return done + rest


if __name__ == "__main__":
    main()
