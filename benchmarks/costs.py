"""Costs that grow with the input: claims, frames and evidence, each at three sizes.

Run: ``python -m benchmarks.costs``.

A command takes its file in a process of its own. What it costs is compared with what it costs for a
small file, so that neither the start of Python nor that of clingo counts.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.measure import Row, print_rows

_EXAMPLE = str(Path(__file__).parent.parent / "boards" / "kingdom_builder" / "example.txt")
_RUN = """
import sys, time
from benchmarks.measure import own_peak_memory
from click.testing import CliRunner
from kb_score.cli import main
start = time.process_time()
assert CliRunner().invoke(main, sys.argv[1:]).exit_code < 2
print(time.process_time() - start, own_peak_memory())
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command takes: seconds of processor time, and the most memory it held, in MB."""

    seconds: float
    memory: float


def measure(words: list[str], text: str) -> Cost:
    """Run a command with a file behind its words."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "input.txt"
        path.write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", _RUN, *words, str(path)], check=True, stdout=subprocess.PIPE
        )
    seconds, memory = map(float, done.stdout.split())
    return Cost(seconds, memory)


def claims(count: int) -> str:
    """Write claims of one game of cards, all of them wrong."""
    return "1 4 7  1 2 3 4\n" * count


def frames(size: int, count: int) -> str:
    """Write frames of a game in which everybody passes."""
    middle = ["." * size] * (size - 2)
    rows = ["1" + "." * (size - 2) + "2", *middle, "3" + "." * (size - 2) + "4"]
    return ("\n".join(rows) + "\n\n") * count


def board(size: int) -> str:
    """Draw a board of settlements, one hex in five empty."""
    random = Random(1)
    return "".join(
        " ".join(random.choice("1234.") for _ in range(size)) + "\n" for _ in range(size)
    )


def main() -> None:
    """Measure and print the table."""
    rows = list[Row]()
    words = ["check", "kingdom-builder", _EXAMPLE]
    small = measure(words, claims(10))
    for count in (5_000, 10_000, 20_000):
        cost = measure(words, claims(count))
        each = f"{(cost.seconds - small.seconds) / count * 1e6:.0f} µs a claim"
        rows.append(Row(f"claims, {count:,}, as a table", cost.seconds, None, "linear", each))
    words = ["check", "slime"]
    small = measure(words, frames(3, 10))
    for size, count in ((3, 20_000), (3, 40_000), (3, 80_000), (32, 8), (64, 8), (128, 8)):
        text = frames(size, count)
        cost = measure(words, text)
        memory = (cost.memory - small.memory) * (1 << 20) / len(text)
        what = f"frames, {count:,} of {size}x{size}"
        note = f"{memory:.0f} bytes of memory a byte"
        rows.append(Row(what, cost.seconds, None, "100 at most", note))
    words = ["explain", "--format", "json"]
    small = measure(words, board(10))
    for size in (100, 200, 400):
        cost = measure(words, board(size))
        each = f"{(cost.seconds - small.seconds) / size**2 * 1e6:.0f} µs a hex"
        rows.append(Row(f"explain, {size}x{size} hexes", cost.seconds, None, "linear", each))
    print_rows("Costs that grow with the input", rows)


if __name__ == "__main__":
    main()
