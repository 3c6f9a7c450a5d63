"""All benchmarks, or those that are named: ``python -m benchmarks [kingdom_builder ...]``."""

import subprocess
import sys
from pathlib import Path

_NO_BENCHMARKS = {"__init__", "__main__", "boards", "measure"}


def list_benchmarks() -> list[str]:
    """List the benchmarks by name, in alphabetical order."""
    names = {path.stem for path in Path(__file__).parent.glob("*.py")}
    return sorted(names - _NO_BENCHMARKS)


def main() -> None:
    """Run them one after another, each in a process of its own."""
    known = list_benchmarks()
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"there is no benchmark {name!r}: known are {', '.join(known)}")
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
        print(flush=True)


if __name__ == "__main__":
    main()
