"""Whether `legal`, `legal --move`, `check` and random games agree, in all games.

    python -m tools.agreement [--positions 200] [GAME...]
    python -m tools.agreement --joined 200 [--seed 1]
    python -m tools.agreement --folders [NAME...]

Each game is looked at with our rules, and with rules of users that forbid, refuse and add. The
positions are those of random games. --joined draws that many folders of one to three rules
instead, and --folders takes the rule folders of tests and documents, all or those named; each
folder has ten positions. This takes minutes. The exit status is 1 if two verbs disagree.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from kb_score.errors import RuleError
from kb_score.resources import add_user_folders
from tests.games.test_agreement import LONG, VARIATIONS, compare_games, compare_lists
from tests.games.test_rule_folders import (
    FOLDERS,
    POSITIONS,
    compare_folder,
    compare_joined,
    join_rules,
)
from tests.helpers import ROOT

_AT_ONCE = 25  # positions of one seed


def main() -> int:
    """Compare the verbs, and print a line for each set of rules."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--joined", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", action="store_true")
    options = parser.parse_args()
    if options.folders:
        return compare_folders(options.games or FOLDERS)
    if options.joined:
        return compare_joined_rules(options.joined, options.seed)
    restore = add_user_folders([str(ROOT / "tests" / "fifth_game" / "lights")])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for subject, variation in VARIATIONS:
            if options.games and subject.folder not in options.games:
                continue
            rules = subject.find_rules(variation, Path(folder))
            started = time.process_time()
            for seed in range(1, -(-options.positions // _AT_ONCE) + 1):
                for compare in (compare_lists, compare_games):
                    try:
                        compare(subject, variation, rules, seed, _AT_ONCE, LONG)
                    except AssertionError as error:
                        failures += 1
                        print(f"{subject.folder}, {variation.name}, seed {seed}: {error}")
            seconds = time.process_time() - started
            print(f"{subject.folder}, {variation.name}: {seconds:.0f} s", flush=True)
    restore()
    print(f"{failures} disagreements")
    return 1 if failures else 0


def compare_joined_rules(number: int, first: int) -> int:
    """Compare the verbs by folders of joined rules, and print each disagreement."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + number):
            try:
                compare_joined(seed, Path(folder), POSITIONS)
            except AssertionError as error:
                failures += 1
                subject, files = join_rules(Random(seed))
                print(f"{subject.folder}, seed {seed}: {files}: {error}", flush=True)
    print(f"{number} folders, {failures} disagreements")
    return 1 if failures else 0


def compare_folders(names: list[str]) -> int:
    """Compare the verbs by rule folders of tests and documents, and print a line for each."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            started = time.process_time()
            said = "they agree"
            try:
                compare_folder(name, Path(folder) / name, POSITIONS)
            except RuleError as error:
                said = str(error)  # such as rules that leave nothing to do
            except AssertionError as error:
                failures += 1
                said = f"they disagree: {error}"
            print(f"{name}: {said} ({time.process_time() - started:.0f} s)", flush=True)
    print(f"{len(names)} folders, {failures} disagreements")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
