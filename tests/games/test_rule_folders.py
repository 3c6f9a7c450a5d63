"""Users' rules mean the same in every verb: those of the tests and documents, and joined ones.

What ``legal`` lists is what ``legal --move`` accepts, and ``check`` finds nothing in a random game
but what the user's own rules call a violation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError, RuleError
from tests.games.test_agreement import (
    KINGDOM,
    LISTED,
    LONG,
    OTHERS,
    PARTY,
    RABBITS,
    SHORT,
    SLIME,
    Subject,
    Variation,
    draw_trials,
)
from tests.helpers import ROOT

SUBJECTS = (SLIME, PARTY, RABBITS, KINGDOM)
POSITIONS = 10
FEW = 2
# Rules that end every verb with a message: an impossible state, a sum of nothing.
STOPPED = {"beacons", "two-owners"}
# Rules about turns, outside of all parts.
POOL = {
    "slime": (
        'forbidden(T,go(R,C,R1,C1),"house-north",("nobody goes north",)) :- '
        "answer((R,C),(R1,C1),T), R1 < R.",
        'forbidden(T,go(R,C,R1,C1),"house-jump",("no jumps",)) :- turn(T), square((R,C)), '
        "square((R1,C1)), offset(R1-R,C1-C,2).",
        'forbidden(T,go(R,C,R,C1),"house-beside",("not beside a neighbour",)) :- '
        "before_holds((R,C1+1),O,T), mover(P,T), O != P, O != 0, square((R,C)), square((R,C1)).",
        "becomes(S,P,T) :- move(merge,_,_,T), mover(P,T), around(S,T), before_holds(S,O,T), "
        "O != P, O != 0.",
        "terminal(T) :- move(jump,_,_,T), mover(2,T).",
        "terminal(T) :- turn(T), did(P,spread,T), mover(P,T).",
        'violation(T,"house-pass",P,("no passes",)) :- mover(P,T), not moved(T), last(L), T <= L.',
        "reach(leap,3). onto(leap,empty).",
    ),
    "search_party": (
        'forbidden(T,go(P,D),"house-askew",(P,"goes askew")) :- before_alive(P,T), D = (1;3;7;9).',
        'forbidden(T,go(P,D),"house-star",(P,"goes first")) :- before_alive(P,T), star(P), '
        "direction(D,_).",
        'forbidden(T,go(P,5),"house-rest",(P,"rests")) :- before_alive(P,T), before_at(P,C,T), '
        "starting_cell(C).",
        'illegal(T,"house-still",P,("nobody stands still",)) :- move(P,5,T).',
    ),
    "rabbits": (
        'forbidden(T,move(C,C-1),"house-west",("nobody goes west",)) :- turn(T), way(C,_,C-1).',
        'forbidden(T,move(C,C+1),"house-east",("nobody goes east",)) :- turn(T), way(C,_,C+1).',
    ),
    "kingdom_builder": (
        'forbidden(T,build(mandatory,(R,C)),"house-odd",("no odd columns",)) :- mover(_,T), '
        "hex(R,C), C \\ 2 = 1.",
        'forbidden(T,build(mandatory,H),"house-near",("not beside others",)) :- '
        "mover(P,T), before_stands(Q,H1,T), Q != P, next_to(H1,H).",
        'forbidden(T,build(farm,(R,C)),"house-farm",("nobody uses a farm",)) :- mover(_,T), '
        "hex(R,C).",
        'illegal(T,"house-tower",P,("no towers in turn",T)) :- uses_tile(tower,T), mover(P,T).',
    ),
}
COMPARISONS = ("T <= 3", "T > 3", "T = 2", "T != 2", "T \\ 2 = 1", "4 < T", "T < 5, T != 1")


def list_folders() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the names and files of the rule folders in tests and documents."""
    for home in sorted((ROOT / "tests" / "edits").glob("*/rules")):
        files = sorted(home.rglob("*.lp"))
        yield home.parent.name, {str(path.relative_to(home)): path.read_text() for path in files}
    for path in sorted((ROOT / "tests" / "rules" / "corpus").glob("*/*.lp")):
        yield f"{path.parent.name}-{path.stem}", {path.name: path.read_text()}
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text()
        written = defaultdict[str, str](str)
        for rule, name in re.findall(r"^\$ echo '(.*)' >>? (\S+\.lp)$", text, re.MULTILINE):
            written[name] += f"{rule}\n"
        for name, rules in written.items():
            yield f"{page.stem}-{Path(name).stem}", {Path(name).name: rules.replace("'\"'\"'", "'")}
        for number, rules in enumerate(re.findall(r"^```prolog\n(.*?)^```", text, re.M | re.S)):
            yield f"{page.stem}-{number}", {"block.lp": rules}


def compare(subject: Subject, rules: GameRules, texts: str, seed: int, positions: int) -> None:
    """Compare the verbs in random games that are played by a user's rules."""
    variation = Variation("folder")
    codes = set(re.findall(r'violation\([^"]*"([^"]+)"', texts))
    turns = LONG if positions > FEW else SHORT
    if subject is KINGDOM and positions <= FEW:  # a turn takes ten times as long as in other games
        positions, turns = 1, 3
    for trial in draw_trials(subject, variation, rules, Random(seed), positions, turns):
        for answer in filter(None, (trial.draw_listed() for _ in range(LISTED))):
            assert not trial.judge(answer).reasons, trial.describe(answer)
        for answer in filter(None, (trial.draw_other() for _ in range(OTHERS))):
            assert trial.judge(answer).reasons, trial.describe(answer)
    record = subject.play(rules, variation, Random(seed), turns)
    found = subject.game.check(rules, subject.list_files(record)).violations
    assert {violation.code for violation in found} <= codes, (found, record)


def write_rules(subject: Subject, files: dict[str, str], home: Path) -> GameRules:
    """Write the rules of a folder, and check that the game accepts them."""
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    rules = GameRules(subject.folder, Changes((home,)))
    rules.read_parts()
    return rules


def join_rules(random: Random) -> tuple[Subject, dict[str, str]]:
    """Join one to three rules of a game, some in a part, and some that compare the turn."""
    subject = random.choice(SUBJECTS)
    files: dict[str, str] = {}
    pool = POOL[subject.folder]
    chosen = random.sample(pool, random.randint(1, min(3, len(pool))))
    for number, rule in enumerate(chosen):
        if " :- " in rule and random.random() < 0.5:
            rule = f"{rule.removesuffix('.')}, {random.choice(COMPARISONS)}."
        is_in_part = random.random() < 0.5 and not rule.startswith("violation")
        if " :- " in rule and is_in_part and subject in (SLIME, PARTY):
            rule = "#program step(t).\n" + re.sub(r"\bT\b", "t", rule)
        files[f"rule{number}.lp"] = f"{rule}\n"
    return subject, files


def compare_joined(seed: int, home: Path, positions: int) -> None:
    """Compare the verbs by joined rules."""
    subject, files = join_rules(Random(seed))
    rules = write_rules(subject, files, home / str(seed))
    try:
        compare(subject, rules, "".join(files.values()), seed, positions)
    except RuleError as error:
        # Joined rules may forbid all that a player can do: then every random game says so.
        if "no answer is legal" not in str(error):
            raise


def compare_folder(name: str, home: Path, positions: int) -> None:
    """Compare the verbs by a rule folder, in each game whose predicates it names."""
    files = dict(list_folders())[name]
    for subject in SUBJECTS:
        try:
            rules = write_rules(subject, files, home / subject.folder)
        except KbScoreError:
            continue  # these are rules of another game, or an example of a mistake
        ours, users = rules.read_parts()
        if not (ours.derived | ours.used).isdisjoint(users.derived | users.used):
            compare(subject, rules, "".join(files.values()), 1, positions)


FOLDERS = [name for name, _ in list_folders() if name not in STOPPED]


# `tools.agreement --folders` looks at all of them, with more positions.
@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS[::4])
def test_a_rule_folder_means_the_same_in_all_verbs(name: str, tmp_path: Path) -> None:
    compare_folder(name, tmp_path, FEW)


@pytest.mark.parametrize("seed", [1, 2, 4, 5, 160])
def test_joined_rules_mean_the_same_in_all_verbs(seed: int, tmp_path: Path) -> None:
    compare_joined(seed, tmp_path, FEW)
