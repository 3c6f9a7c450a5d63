"""Write what the sessions have to do anew, as they do it now.

python -m tests.golden [NAME...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden.expected import find_expected, write_expected
from tests.golden.sessions import SESSIONS, run_session


def main(names: list[str]) -> None:
    """Write the files of the sessions that are named, or of all, and remove those of no session."""
    for name in names or SESSIONS:
        with TemporaryDirectory() as folder:
            write_expected(name, run_session(SESSIONS[name], Path(folder)))
    for path in find_expected():
        if path.stem not in SESSIONS:
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
