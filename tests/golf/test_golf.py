"""The golfed programs: their bytes are those of golf/README.md, their totals those of kb-score.

They rely on the challenge's input, so the random boards are of its kind: 20x20, four players with
1 to 40 settlements each, two castles and a town or two towns and a castle in each quadrant, and no
hex beside two of them.
"""

import contextlib
import io
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import clingo
import pytest

import kb_score
from tests.helpers import EXAMPLE, ROOT

GOLF = ROOT / "golf"
README = (GOLF / "README.md").read_text(encoding="utf-8")
GOALS = {"posted.lp": 202, "table.lp": 442, "posted.py": 316, "table.py": 633}
CARDS = (
    "castles",
    "discoverers",
    "knights",
    "fishermen",
    "miners",
    "lords",
    "farmers",
    "hermits",
    "citizens",
)
GAMES = tuple(product((1, 2), (3, 4, 5, 6), (7, 8)))
HEXES = tuple(product(range(20), range(20)))
RANDOM_BOARDS = 60
FEW = 10

Hex = tuple[int, int]
Facts = tuple[tuple[int, ...], ...]


def around(place: Hex) -> set[Hex]:
    """The neighbours of a hex, on the board or not."""
    row, column = place
    west = column - 1 + row % 2
    return {
        (row, column - 1),
        (row, column + 1),
        *((row + down, west + east) for down in (-1, 1) for east in (0, 1)),
    }


def place_locations(rng: random.Random) -> dict[Hex, str]:
    """Put three towns and castles into each quadrant, no hex beside two of them."""
    found: dict[Hex, str] = {}
    taken: set[Hex] = set()
    for south, east in product((0, 10), (0, 10)):
        for kind in rng.choice(("TTC", "TCC")):
            free = [
                (row, column)
                for row in range(south, south + 10)
                for column in range(east, east + 10)
                if (row, column) not in taken
            ]
            place = rng.choice(free)
            found[place] = kind
            near = {place} | around(place)
            taken |= near.union(*map(around, near))
    return found


def draw_board(rng: random.Random) -> str:
    """Draw a board of the challenge's kind; some have scattered settlements, some large groups."""
    board = place_locations(rng)
    free = {place for place in HEXES if place not in board}
    for kind, most in (("W", 20), ("M", 12)):
        for place in rng.sample(sorted(free), rng.randint(0, most)):
            board[place] = kind
            free.remove(place)
    clustered = rng.random()
    for player in "1234":
        beside: set[Hex] = set()
        for _ in range(rng.choice((1, 3, 10, rng.randint(1, 40)))):
            beside &= free
            place = rng.choice(sorted(beside if beside and rng.random() < clustered else free))
            board[place] = player
            free.remove(place)
            beside |= around(place)
    return "\n".join(
        " " * (row % 2) + " ".join(board.get((row, column), ".") for column in range(20))
        for row in range(20)
    )


@cache
def boards() -> tuple[str, ...]:
    """The example and the random boards."""
    rng = random.Random(12)
    drawn = (draw_board(rng) + "\n" for _ in range(RANDOM_BOARDS))
    return (EXAMPLE.read_text(encoding="utf-8"), *drawn)


@cache
def scores() -> tuple[kb_score.Scores, ...]:
    """What kb-score says of each board."""
    parsed = [kb_score.parse_board(text) for text in boards()]
    found = tuple(kb_score.score_many(parsed, combinations=True))
    good = [each for each in found if isinstance(each, kb_score.Scores)]
    assert len(good) == len(found)
    return tuple(good)


def expected_table(index: int) -> list[tuple[int, ...]]:
    """The totals of a board in the sixteen games, a row each."""
    combinations = scores()[index].combinations
    assert combinations is not None
    totals = {each.cards: each.total for each in combinations}
    return [totals[game] for game in GAMES]


def to_facts(text: str) -> str:
    """A board as the posted answer has it: b(X,Y,V), X the character's place in its line."""
    return "".join(
        f"b({x},{y},{symbol})." if symbol.isdigit() else f'b({x},{y},"{symbol}").'
        for y, line in enumerate(text.splitlines())
        for x, symbol in enumerate(line)
        if symbol not in " ."
    )


def solve(program: str, text: str) -> list[clingo.Symbol]:
    """The atoms that a program shows of a board, in its only answer set."""
    control = clingo.Control(["0", "--warn=none"])
    control.add("base", [], to_facts(text) + program)
    control.ground([("base", [])])
    models: list[list[clingo.Symbol]] = []
    result = control.solve(on_model=lambda model: models.append([*model.symbols(shown=True)]))
    assert result.exhausted
    assert len(models) == 1
    return models[0]


def numbers(atoms: list[clingo.Symbol], name: str, arity: int) -> Facts:
    """The arguments of the atoms of a predicate, in order."""
    return tuple(
        sorted(
            tuple(argument.number for argument in atom.arguments)
            for atom in atoms
            if atom.match(name, arity)
        )
    )


def by_player(totals: tuple[int, ...]) -> Facts:
    """Gold with the number of its player."""
    return tuple(enumerate(totals, start=1))


def by_game(index: int) -> Facts:
    """The totals of a board as table.lp gives them."""
    return tuple(
        (*game, player, gold)
        for game, totals in zip(GAMES, expected_table(index), strict=True)
        for player, gold in by_player(totals)
    )


def run_python(source: str, texts: tuple[str, ...]) -> Iterator[list[int]]:
    """The numbers that a Python program prints for each text on its standard input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        code = compile(source, "<golf>", "exec")
    for text in texts:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, {"open": lambda number, text=text: io.StringIO(text)})
        yield [int(number) for number in re.findall(r"-?\d+", printed.getvalue())]


def read(name: str) -> str:
    """A program of the folder."""
    return (GOLF / name).read_text(encoding="utf-8")


def readable(name: str) -> str:
    """The ungolfed reading of a program in golf/README.md."""
    section = README.split(f"\n## {name}\n")[1].split("\n## ")[0]
    found = re.findall(r"^```(?:prolog|python)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def listed_bytes() -> dict[str, int]:
    """The bytes that the tables of golf/README.md give to its programs."""
    rows = re.findall(r"^\| \[(\S+)\]\((\S+)\) \|.*\| (\d+) \|$", README, re.MULTILINE)
    assert len({path for _, path, _ in rows}) == len(rows)
    return {path: int(size) for _, path, size in rows}


def test_the_tables_list_every_program_with_its_bytes() -> None:
    programs = [*GOLF.glob("**/*.lp"), *GOLF.glob("*.py")]

    assert listed_bytes() == {
        path.relative_to(GOLF).as_posix(): len(path.read_bytes()) for path in programs
    }


@pytest.mark.parametrize("name", GOALS)
def test_a_program_has_fewer_bytes_than_its_goal(name: str) -> None:
    assert len((GOLF / name).read_bytes()) < GOALS[name]


@pytest.mark.slow
def test_the_random_boards_are_of_the_challenges_kind() -> None:
    assert len(set(boards())) == RANDOM_BOARDS + 1
    assert all(each.players == (1, 2, 3, 4) and not each.violations for each in scores())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "predicate", "count"),
    [
        pytest.param(read("posted.lp"), "s", RANDOM_BOARDS + 1, id="golfed"),
        pytest.param(readable("posted.lp"), "total", FEW, id="readable"),
    ],
)
def test_posted_lp_scores_cards_1_3_and_7(program: str, predicate: str, count: int) -> None:
    for index, text in enumerate(boards()[:count]):
        found = numbers(solve(program, text), predicate, 2)
        assert found == by_player(expected_table(index)[0]), text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "predicate", "count"),
    [
        pytest.param(read("table.lp"), "t", RANDOM_BOARDS + 1, id="golfed"),
        pytest.param(readable("table.lp"), "total", FEW, id="readable"),
    ],
)
def test_table_lp_shows_the_sixteen_games_and_nothing_else(
    program: str, predicate: str, count: int
) -> None:
    for index, text in enumerate(boards()[:count]):
        atoms = solve(program, text)
        assert len(atoms) == 64
        assert numbers(atoms, predicate, 5) == by_game(index), text


@pytest.mark.parametrize("name", ["posted.py", "table.py"])
@pytest.mark.parametrize("reading", ["golfed", "readable"])
def test_a_python_program_prints_the_totals(name: str, reading: str) -> None:
    program = read(name) if reading == "golfed" else readable(name)
    games = 1 if name == "posted.py" else 16
    for index, found in enumerate(run_python(program, boards())):
        rows = expected_table(index)[:games]
        assert found == [gold for row in rows for gold in row], boards()[index]


@pytest.mark.parametrize("name", ["posted.py", "table.py"])
def test_a_python_program_reads_the_standard_input(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", GOLF / name],
        input=boards()[0].rstrip("\n"),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.stderr == ""
    assert re.findall(r"\d+", done.stdout)[:4] == ["52", "46", "43", "62"]


@pytest.mark.parametrize("card", CARDS)
def test_the_rule_of_a_card_pays_what_kb_score_pays(card: str) -> None:
    program = read(f"cards/{card}.lp")
    for index, text in enumerate(boards()[:FEW]):
        found = numbers(solve(program, text), "s", 2)
        assert found == by_player(scores()[index].gold[card]), text


def test_the_readme_shows_the_rules_of_the_cards_as_they_lie_in_their_files() -> None:
    section = README.split("\n## One card at a time\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"^```prolog\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)

    assert block == "".join(f"% {card}\n{read(f'cards/{card}.lp')}\n" for card in CARDS)


def test_the_readmes_programs_are_the_files() -> None:
    for name in GOALS:
        section = README.split(f"\n## {name}\n")[1].split("\n## ")[0]
        (block,) = re.findall(r"^```text\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL)
        assert block == read(name)
