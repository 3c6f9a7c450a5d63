"""What every rule file and every grammar of the project keeps to."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pytest
from clingo.ast import AST, ASTType, Transformer, parse_files
from lark import Lark

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import read_former, read_rule_files
from kb_score.engine.program import read_program
from kb_score.engine.scan import Signature
from kb_score.grammar import write_atomic
from kb_score.resources import COMMON
from tests.helpers import ASP, ROOT, can_repeat_groups, run
from tools.write_defined import find_missing

GAMES = sorted(path for path in ASP.iterdir() if path.is_dir())
FILES = sorted(ASP.rglob("*.lp"))
# What all games agree on is documented there, for the files that give it and those that take it.
(CONTRACT,) = read_rule_files([ASP / COMMON / "contract.lp"])
AGREED = {predicate.signature for predicate in CONTRACT.predicates}
GRAMMARS = sorted((ROOT / "parsers").glob("*.lark"))

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ASP)))
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))


def nodes(path: Path) -> list[AST]:
    found: list[AST] = []
    messages: list[str] = []
    parse_files([str(path)], found.append, logger=lambda _, message: messages.append(message))
    assert messages == []
    return found


def game_files(game: Path) -> list[Path]:
    return list_rule_files(game.name)[0]


def test_there_are_rules_and_grammars_to_look_at() -> None:
    assert ASP / "kingdom_builder" in GAMES
    assert len(FILES) > 10
    assert ROOT / "parsers" / "kingdom_builder.lark" in GRAMMARS


@each_file
def test_a_rule_file_begins_with_a_block_that_says_what_it_is_about(path: Path) -> None:
    (file,) = read_rule_files([path])
    first = next(node for node in nodes(path) if node.ast_type != ASTType.Program)

    assert path.read_text(encoding="utf-8").startswith("%*! ")
    assert first.ast_type == ASTType.Comment
    assert first.value.endswith("*%")
    assert file.header


@each_file
def test_a_rule_file_holds_no_script_and_no_stray_blanks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert ASTType.Script not in {node.ast_type for node in nodes(path)}
    assert "\t" not in text
    assert text.endswith("\n")
    assert all(line == line.rstrip() for line in text.splitlines())


@each_game
def test_what_is_shown_is_said_where_it_is_given(game: Path) -> None:
    for path in game_files(game):
        kinds = [n.ast_type for n in nodes(path) if "%*! Example" not in str(n)]
        shown = [(n.name, n.arity) for n in nodes(path) if n.ast_type == ASTType.ShowSignature]

        assert ASTType.ShowTerm not in kinds
        assert len(set(shown)) == len(shown), path
        # The #show lines of a file stand together, at its end, before the examples.
        assert kinds[len(kinds) - len(shown) :] == [ASTType.ShowSignature] * len(shown), path


def test_games_that_share_a_predicate_say_the_same_of_it() -> None:
    said: dict[Signature, dict[str, str]] = {}
    for game in GAMES:
        for file in read_rule_files(game_files(game)):
            for predicate in file.predicates:
                texts = said.setdefault(predicate.signature, {})
                texts[game.name] = f"{predicate}: {predicate.text}"

    shared = {signature: texts for signature, texts in said.items() if len(texts) > 1}
    assert ("player", 1) in shared
    assert [texts for texts in shared.values() if len(set(texts.values())) > 1] == []


@each_game
def test_what_other_files_use_is_documented_once_where_it_is_given(game: Path) -> None:
    files = game_files(game)
    # Two files that are never used together may each give a predicate its own way.
    pages = [Counter(p.signature for p in file.predicates) for file in read_rule_files(files)]
    documented = {signature for page in pages for signature in page}
    programs = [read_program([path]) for path in files]
    asked = [frozenset[Signature]().union(*(s.body for s in p.statements)) for p in programs]

    assert [s for page in pages for s, number in page.items() if number > 1] == []
    for i, program in enumerate(programs):
        others = frozenset[Signature]().union(*asked[:i], *asked[i + 1 :], program.shown)
        assert (program.derived & others) - documented == set(), files[i]


@each_file
def test_a_file_lets_the_inputs_be_absent_that_it_asks_for(path: Path) -> None:
    # `python -m tools.write_defined` adds the lines `#defined`.
    assert find_missing(path) == []


@each_game
def test_a_name_has_one_meaning_at_one_arity(game: Path) -> None:
    files = read_rule_files(game_files(game))
    said: dict[Signature, set[str]] = {}
    for file in files:
        for predicate in file.predicates:
            said.setdefault(predicate.signature, set()).add(predicate.text)
    givers = Counter(signature for file in files for signature in heads(file.path))

    assert {signature for signature, texts in said.items() if len(texts) > 1} == set()
    # A helper of two files would be two things.
    assert {signature for signature, n in givers.items() if n > 1} - set(said) == set()


# A header says what a file takes from others and what it gives to them: predicates by name, or all
# those of other files, its inputs, and the predicates that its blocks document.
TILES = {"tiles", "deeds"}  # these say what they are about, and a tile is a few facts
NAMED = re.compile(r"([a-z_]\w*)/(\d)")
WHOLE = re.compile(r"(/\d of )?([\w*/]+\.lp)")


def read_header(text: str) -> tuple[str, str]:
    """Find what a header says of what the file takes, and what it gives."""
    said = next((p for p in text.split("\n\n") if re.search(r"\b(Takes|Gives) ", p)), "")
    takes, *gives = re.split(r"[;.] [Gg]ives ", " ".join(said.split()))
    return takes, " ".join(gives)


def named(text: str) -> set[Signature]:
    return {(name, int(arity)) for name, arity in NAMED.findall(text)}


def read_state(signature: Signature, derived: Collection[Signature]) -> Signature:
    """Return the predicate whose state before a step has another name, ``before_at`` of ``at``."""
    name, arity = signature
    state = (name.removeprefix("before_"), arity)
    return state if signature not in derived and state in derived else signature


def heads(path: Path) -> set[Signature]:
    """List what a file derives; of a choice, without the conditions."""
    statements = read_program([path]).statements
    return {signature for statement in statements for signature in statement.heads}


@each_game
def test_a_header_says_what_the_file_takes_from_others_and_gives_to_them(game: Path) -> None:
    files = read_rule_files(game_files(game))
    programs = {file.path: read_program([file.path]) for file in files}
    given = {path: heads(path) for path in programs}
    derived = frozenset[Signature]().union(*given.values())
    used = {
        path: {read_state(s, derived) for statement in program.statements for s in statement.body}
        for path, program in programs.items()
    }
    blocks = {file.path: {p.signature for p in file.predicates} for file in files}
    wrong = []
    for file in files:
        path, others = file.path, [other for other in programs if other != file.path]
        if path.parent.name in TILES or (path.parent.name == COMMON and game.name != COMMON):
            continue
        takes, gives = read_header(file.header)
        inputs = {p.signature for p in file.predicates if p.is_input}
        whole = [o for of, name in WHOLE.findall(takes) if not of for o in others if o.match(name)]
        known = named(takes).union(*(given[other] | blocks[other] for other in whole))
        known |= inputs if "its input" in takes else set()
        shown = {*programs[path].shown}
        told = named(gives) | (blocks[path] if "its blocks" in gives else set())
        # Others use what is documented here, or document what is given here, too.
        due = {
            s
            for s in given[path]
            for o in others
            if (s in used[o] - blocks[o] if s in blocks[path] else s in blocks[o])
        }
        wrong += [f"{path.name} takes {s}" for s in used[path] - given[path] - known - AGREED]
        wrong += [f"{path.name} takes {s}" for s in inputs & used[path] - known]
        open_ = programs[path].defined
        wrong += [f"{path.name} takes no {s}" for s in named(takes) - used[path] - shown - open_]
        wrong += [f"{path.name} gives {s}" for s in (due | shown & given[path]) - told - AGREED]
        wrong += [f"{path.name} gives no {s}" for s in named(gives) - given[path] - shown]

    assert wrong == []


@each_game
def test_every_documented_predicate_is_derived_or_asked_for(game: Path) -> None:
    program = read_program(game_files(game))
    used = {s for statement in program.statements for s in statement.heads | statement.body}

    for file in read_rule_files(game_files(game)):
        for predicate in file.predicates:
            assert predicate.text
            if predicate not in CONTRACT.predicates:
                assert predicate.signature in used, f"{predicate} in {file.path.name} is out of use"


def test_what_all_games_agree_on_is_used_and_said_in_no_other_place() -> None:
    program = read_program(FILES)
    # Some are for games of users alone.
    used = set(program.defined)
    for statement in program.statements:
        used |= statement.heads | statement.body
    others = read_rule_files(path for path in FILES if path != CONTRACT.path)
    said = {predicate.signature for file in others for predicate in file.predicates}

    assert used >= AGREED
    assert not AGREED & said


@each_game
def test_inputs_are_documented_as_inputs_and_nothing_else_is_left_open(game: Path) -> None:
    program = read_program(game_files(game))
    derived = {s for statement in program.statements for s in statement.heads}
    asked = {read_state(s, derived) for statement in program.statements for s in statement.body}
    inputs = {
        predicate.signature
        for file in read_rule_files(game_files(game))
        for predicate in file.predicates
        if predicate.is_input
    }

    # What games share asks for predicates of theirs, which some of them have not.
    shared = read_program((ASP / COMMON).glob("*.lp"))
    assert asked - derived - inputs - shared.defined == set()


KINGDOM_BUILDER = ASP / "kingdom_builder"
# The rules of boards; those of games are parts, which only the driver grounds.
OF_BOARDS = [
    "*.lp",
    "cards/*.lp",
    "record/c*.lp",
    "driver/bounds.lp",
    "picture/picture.lp",
    "../common/looks.lp",
    "rules/[ct]o*.lp",
]
FACTS = """\
size(2,4).
terrain(water,0,0). terrain(mountain,0,2). terrain(town,1,0). terrain(castle,1,2).
settlement(1,0,1). settlement(1,1,1). settlement(2,1,3).
"""


def clingo(facts: str, files: list[Path]) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "-", *map(str, files), "0"],
        input=facts,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(FACTS, id="all-kinds"),
        pytest.param("size(2,2).\n", id="empty-board"),
        pytest.param(FACTS + "players(4). chosen(miners).\n", id="players-and-cards"),
        pytest.param(
            FACTS + "claim(1,card). claimed_card(1,4). claimed_gold(1,1,9). claimed_gold(1,2,0).\n",
            id="claims",
        ),
    ],
)
def test_boards_of_kingdom_builder_ground_in_plain_clingo_without_a_message(facts: str) -> None:
    out, err = clingo(facts, [path for files in OF_BOARDS for path in KINGDOM_BUILDER.glob(files)])

    assert err == ""
    assert "Models       : 1\n" in out


CARD_FILES = sorted((ASP / "kingdom_builder" / "cards").glob("*.lp"))


each_card = pytest.mark.parametrize("card", CARD_FILES, ids=lambda path: str(path.stem))


@each_card
def test_the_predicates_of_a_card_carry_its_name_so_that_two_cards_cannot_meet(card: Path) -> None:
    derived = {head for statement in read_program([card]).statements for head in statement.heads}

    own = derived - {("card", 3), ("gold", 4)}
    assert {name for name, _ in own if not name.startswith(f"{card.stem}_")} == set()


@each_card
def test_a_game_may_have_any_one_card_alone(card: Path) -> None:
    files = [ASP / "kingdom_builder" / name for name in ("board.lp", "score.lp", "valid.lp")]

    out, err = clingo(FACTS, [*files, card])

    assert err == ""
    assert "Models       : 1\n" in out


@each_card
def test_a_card_states_itself_once_under_its_files_name(card: Path) -> None:
    text = card.read_text(encoding="utf-8")

    assert text.count("\ncard(") == 1
    assert f"\ncard({card.stem}, " in text


def first_rule(grammar: str) -> str:
    """Return the rule of a whole text: ``start``, or ``map`` if a grammar is only about maps."""
    return "start" if re.search(r"^start:", grammar, re.MULTILINE) else "map"


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: str(path.name))
def test_a_grammar_loads_strictly(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    Lark(text, parser="lalr", strict=True, start=first_rule(text))


SAMPLES = {
    "slime": "slime/session.txt",
    "search_party": "search_party/records/field/safe-session.txt",
    "rabbits_session": "rabbits/why/wrong-rabbits.session",
}


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: str(path.name))
def test_a_grammar_says_the_same_where_python_cannot_repeat_groups(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    # Lark joins all terminals to one expression.
    source = re.sub(r"\(\?P<\w+>", "(?:", source)
    atomic = write_atomic(source)

    assert not re.search(r"\)[+*]\+", atomic)
    parser = Lark(atomic, parser="lalr", strict=True, start=first_rule(source))
    if path.stem in SAMPLES:
        text = (ROOT / "boards" / SAMPLES[path.stem]).read_text()
        parsed = parser.parse(text)
        if can_repeat_groups():
            assert parsed == Lark(source, parser="lalr").parse(text)


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: str(path.name))
def test_a_grammar_begins_with_a_comment(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("// ")


@each_game
def test_the_readme_of_the_rules_is_what_rules_list_prints(game: Path) -> None:
    title = game.name.replace("_", "-")
    readme = (game.parent / "README.md").read_text()
    _, _, section = readme.partition(f"\n## {title}\n\n")

    listed = run("rules", "list", "--game", title, "--format", "markdown").out

    # Where this fails, the README lacks what the command prints.
    assert section.partition("\n\n## ")[0].rstrip() == listed.rstrip()


def test_the_readme_says_what_stands_for_a_predicate_that_a_game_had_before() -> None:
    with (KINGDOM_BUILDER / "former.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    readme = (ASP / "README.md").read_text(encoding="utf-8")
    known = {s for path in game_files(KINGDOM_BUILDER) for s in heads(path)}

    assert [row for row in rows if f"| `{row['before']}` | {row['now']} |\n" not in readme] == []
    assert known.isdisjoint(read_former("kingdom_builder"))


def test_rulings_of_the_games_are_listed_with_what_they_decide() -> None:
    found = {
        ruling.name
        for game in GAMES
        for file in read_rule_files(game_files(game))
        for ruling in file.rulings
    }

    assert found >= {"lords_need_settlement", "merchants_need_settlement", "collide_in_pairs"}


class Variables(Transformer):
    """Counts how often each variable of a statement occurs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def visit_Variable(self, variable: AST) -> AST:  # noqa: N802
        """Count a variable."""
        self.counts[variable.name] += 1
        return variable


@each_file
def test_a_variable_that_occurs_once_is_anonymous(path: Path) -> None:
    single: list[str] = []
    for statement in nodes(path):
        found = Variables()
        found.visit(statement)
        for name, count in found.counts.items():
            # Where `_` makes grounding slow, a name begins with it.
            if count == 1 and not name.startswith("_"):
                single.append(f"{name} in {statement}")

    assert single == []


def test_no_line_of_a_rule_file_is_too_long() -> None:
    long = [
        f"{path.name}:{i}"
        for path in ASP.rglob("*.lp")
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 110
    ]
    assert long == []
