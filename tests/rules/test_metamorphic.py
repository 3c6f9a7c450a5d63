"""Changes of rule files that change no meaning change no output.

A copy of one of our files, and one whose statements are shuffled, whose comments are gone and whose
variables have other names, replaces our file at its path below the game's folder. What ``score``,
``check`` and ``legal`` print stays the same. So does it with all rulings at their defaults. The
small rule files of ``corpus/`` are what users write: rewritten they mean the same, and plain clingo
agrees on what that is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from kb_score.engine.changes import list_shipped
from kb_score.resources import COMMON
from tests.helpers import ASP, CARDS, ROOT, SMALL, SMALL_GOLD, Ran, run
from tests.oracles.kingdom_builder_game_examples import EXAMPLE as SHORT_GAME
from tests.rules.rewriting import rewrite
from tests.rules.test_plain_clingo import list_violations, rows, run_clingo

BOARDS = ROOT / "boards"
CORPUS = Path(__file__).parent / "corpus"
GAMES = ("kingdom_builder", "rabbits", "search_party", "slime")

CLAIMS = "lords: 24 12\nminers: 0 1\n"


# Small files of the tests, which stand in a folder of their own.
SMALL_FILES = {"board.txt": SMALL, "claims.txt": CLAIMS, "game.txt": SHORT_GAME}


@dataclass(frozen=True)
class Question:
    """A short command of a game.

    Attributes:
        words: The words after ``kb-score``; those of `SMALL_FILES` stand for these files.
        takes: The folders whose rules it takes, below the game's folder; "." is that itself.
    """

    words: tuple[object, ...]
    takes: tuple[str, ...]

    def ask(self, files: Path, *options: object) -> Ran:
        """Run the command, with more options; the small files lie in the given folder."""
        words = [files / str(word) if word in SMALL_FILES else word for word in self.words]
        return run(*words, "--format", "json", *options)


LANE = BOARDS / "search_party" / "why" / "lane.txt"
CORRIDOR = BOARDS / "rabbits" / "why" / "corridor.map"
SHORT_SLIME = BOARDS / "slime" / "why" / "session.txt"

PLAN = ("search-party", LANE, LANE.with_name("wrong-result.txt"))
STREAM = ("search-party", LANE, LANE.with_name("ghost.txt"))
SESSION = ("search-party", LANE, LANE.with_name("wrong-position.txt"))
SHORT_RUN = ("rabbits", CORRIDOR, CORRIDOR.with_name("wrong-score.session"))
RUN_LOG = ("rabbits", CORRIDOR.with_name("room.map"), CORRIDOR.with_name("no-explanation.log"))
TABLE = ("rabbits", BOARDS / "rabbits" / "small.map", BOARDS / "rabbits" / "small.table")
FRAMES = ("slime", SHORT_SLIME.with_name("no-explanation.txt"))

CARDS_OF_BOARDS = (".", "cards", "queenies", "common")
CARDS_OF_GAMES = (".", "cards", "queenies", "deeds", "tiles", "rules", "common")
TURNS = ("rules", "record", "picture", "common")
MOVES = ("rules", "record", "driver", "search")

# Short questions that together take most files of a game: each kind of record, and what is legal.
QUESTIONS: dict[str, tuple[Question, ...]] = {
    "kingdom_builder": (
        Question(("score", "board.txt", "--combinations"), CARDS_OF_BOARDS),
        Question(("check", "kingdom-builder", "board.txt", "claims.txt"), (".", "record")),
        Question(("check", "kingdom-builder", "game.txt"), (*CARDS_OF_GAMES, "record")),
        Question(
            ("legal", "kingdom-builder", "game.txt", "--turn", 3),
            (".", "tiles", "rules", "driver", "search"),
        ),
    ),
    "rabbits": (
        Question(("check", *TABLE), ("record",)),
        Question(("check", *RUN_LOG), TURNS),
        Question(("check", *SHORT_RUN), TURNS),
        Question(("legal", *SHORT_RUN, "--turn", 1), MOVES),
    ),
    "search_party": (
        Question(("check", *PLAN), TURNS),
        Question(("check", *STREAM), TURNS),
        Question(("check", *SESSION), TURNS),
        Question(("legal", *PLAN, "--turn", 1), MOVES),
    ),
    "slime": (
        Question(("check", "slime", SHORT_SLIME), TURNS),
        Question(("check", *FRAMES), TURNS),
        Question(("legal", "slime", SHORT_SLIME, "--turn", 1), MOVES),
    ),
}


@pytest.fixture(scope="session")
def small_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small files that questions are about."""
    folder = tmp_path_factory.mktemp("small")
    for name, text in SMALL_FILES.items():
        (folder / name).write_text(text)
    return folder


@cache
def ask_plainly(question: Question, files: Path) -> Ran:
    """Answer a question by our rules alone; once, for many tests compare with it."""
    ran = question.ask(files)
    assert ran.status in (0, 1)
    assert ran.out
    return ran


def place_of(path: Path) -> Path:
    """Return the path of one of our files below its game's folder."""
    game, *place = path.relative_to(ASP).parts
    return Path(COMMON, *place) if game == COMMON else Path(*place)


def list_rule_files(game: str) -> list[Path]:
    """List our rule files of a game, and those that all games share."""
    return list(list_shipped(game))


def write_at_its_place(path: Path, folder: Path, text: str) -> None:
    """Write a version of one of our files into a folder, where it replaces ours."""
    target = folder / place_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def assert_same(
    questions: tuple[Question, ...], files: Path, *options: object, may_note: bool = False
) -> None:
    """Check that options change no answer; notes on files whose text differs may be allowed."""
    for question in questions:
        ours = ask_plainly(question, files)
        ran = question.ask(files, *options)
        assert (ran.out, ran.status) == (ours.out, ours.status), ran.err
        assert list_messages(ran, may_note=may_note) == list_messages(ours, may_note=may_note)


def list_messages(ran: Ran, *, may_note: bool) -> list[str]:
    """List what standard error got, perhaps without notes."""
    lines = ran.err.splitlines()
    return [line for line in lines if not (may_note and line.startswith("note: "))]


# What all games share is copied for the rules of one game; games without Python share more.
ALL_FILES = sorted({path for game in GAMES for path in list_shipped(game)})


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL_FILES, ids=lambda path: str(path.relative_to(ASP)))
def test_an_unchanged_copy_of_one_file_changes_nothing(
    path: Path, small_files: Path, tmp_path: Path
) -> None:
    game = path.relative_to(ASP).parts[0]
    if game == COMMON:
        having = [name for name in ("slime", "search_party") if path in list_shipped(name)]
        game = having[0] if having else "kingdom_builder"
    write_at_its_place(path, tmp_path, path.read_text())
    folder = str(place_of(path).parent)
    asked = tuple(question for question in QUESTIONS[game] if folder in question.takes)

    # What takes no such file is not to mind it.
    assert_same(asked or QUESTIONS[game][:1], small_files, "--rules", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_all_files_rewritten_change_nothing(game: str, small_files: Path, tmp_path: Path) -> None:
    # Below a folder named after the game, as `rules export` writes them.
    for path in list_rule_files(game):
        folder = tmp_path if path.parent.name == COMMON else tmp_path / game
        write_at_its_place(path, folder, rewrite(path.read_text()))

    assert_same(QUESTIONS[game], small_files, "--rules", tmp_path, may_note=True)


_CONSTANT = re.compile(r"^#const (\w+) = (-?\w+)\.", re.MULTILINE)


def list_constants(game: str) -> list[str]:
    """List the constants of a game as words for ``--const``, with their defaults."""
    texts = [path.read_text() for path in list_rule_files(game)]
    return [f"{name}={value}" for text in texts for name, value in _CONSTANT.findall(text)]


@pytest.mark.parametrize("game", GAMES)
def test_constants_at_their_defaults_change_nothing(game: str, small_files: Path) -> None:
    constants = list_constants(game)
    assert constants

    options = [word for constant in constants for word in ("--const", constant)]

    assert_same(QUESTIONS[game], small_files, *options)


# ---------------------------------------------------------------------------- files of users

CORPUS_FILES = [
    pytest.param(path.parent.name, path, id=f"{path.parent.name}:{path.stem}")
    for path in sorted(CORPUS.rglob("*.lp"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "path"), CORPUS_FILES)
def test_a_users_file_means_the_same_when_it_is_rewritten(
    game: str, path: Path, small_files: Path, tmp_path: Path
) -> None:
    rewritten = tmp_path / path.name
    rewritten.write_text(rewrite(path.read_text()))

    # Two questions are enough: a turn of a game, and what is legal in it.
    for question in QUESTIONS[game][-2:]:
        ran = question.ask(small_files, "--rules", path)
        again = question.ask(small_files, "--rules", rewritten)

        assert ran.status in (0, 1), ran.err
        assert (again.out, again.status) == (ran.out, ran.status), again.err


WITH_EXAMPLES = [path for path in sorted(CORPUS.rglob("*.lp")) if "Example" in path.read_text()]
CARDS_AND_THE_LIKE = sorted((CORPUS / "kingdom_builder").glob("*.lp"))


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_of_a_users_file_hold(path: Path) -> None:
    ran = run("rules", "test", path)

    assert ran.status == 0, ran.out + ran.err


@pytest.mark.parametrize("path", CARDS_AND_THE_LIKE, ids=lambda path: path.stem)
def test_plain_clingo_scores_by_the_raw_files_of_ours_and_the_user(
    path: Path, small_files: Path
) -> None:
    """Here nothing of kb-score comes between the files and clingo but the facts of the board."""
    game = ASP / "kingdom_builder"
    files = [*game.glob("*.lp"), *(game / "cards").glob("*.lp"), path]
    facts = run("facts", small_files / "board.txt").out
    unused = "#defined uses/4. #defined mover/2. #defined turn/1. #defined players/1. "
    unused += "#defined claim/2.\n"

    atoms = run_clingo(facts + unused + "\n".join(file.read_text() for file in files))
    (printed,) = run("score", small_files / "board.txt", "--rules", path, "--format", "json").json

    scores = []
    for card, gold in printed["gold"].items():
        for player, paid in zip(printed["players"], gold, strict=True):
            scores.append([card, player, paid])
    assert rows(atoms, "score", 3) == sorted(scores, key=str)
    codes = sorted(found["code"] for found in printed["violations"])
    assert [code for code, _ in rows(atoms, "violation", 2)] == codes
    # The cards of ours pay what they always pay.
    assert {card: tuple(printed["gold"][card]) for card in CARDS} == SMALL_GOLD


@pytest.mark.parametrize(("game", "path"), CORPUS_FILES)
def test_plain_clingo_judges_by_a_users_file_as_check_does(
    game: str, path: Path, small_files: Path
) -> None:
    record = {
        "kingdom_builder": ("kingdom-builder", small_files / "game.txt"),
        "rabbits": SHORT_RUN,
        "search_party": PLAN,
        "slime": ("slime", SHORT_SLIME),
    }[game]
    (printed,) = run("check", *record, "--rules", path, "--format", "json").json

    program = run("facts", "--program", *record[1:], "--rules", path)
    atoms = run_clingo(program.out)

    result = dict(rows(atoms, "result", 2))
    assert result == {key: printed["result"][key] for key in result}
    assert list_violations(atoms) == sorted(
        ([found["turn"], found["code"]] for found in printed["violations"]), key=str
    )
