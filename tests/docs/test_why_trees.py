"""docs/why_trees.md: its commands print its trees, and there is one for each code and each card."""

import re

import pytest

from tests.helpers import ASP, ROOT
from tools.write_trees import PAGE, ask, list_cases

CASES = list(list_cases(PAGE.read_text(encoding="utf-8")))
# The section of the page for each row of the codes in docs/file-formats.md, without its marks.
SECTIONS = {
    "kingdom-builder, score": "Kingdom Builder: findings of a board",
    "kingdom-builder, check of claims": "Kingdom Builder: claims",
    "kingdom-builder, check of a game, and legal": "Kingdom Builder: a game",
    "kingdom-builder, check of a game": "Kingdom Builder: a game",
    "search-party": "Search party",
    "slime": "Slime: records",
    "slime, legal": "Slime: why an answer is a pass",
    "rabbits": "Rabbits: records",
    "rabbits, legal": "Rabbits: why a move is skipped",
}


def names_of(section: str) -> list[str]:
    return [case.name for case in CASES if case.section == section]


def codes_told() -> dict[str, set[str]]:
    """The codes of docs/file-formats.md, by the section that has a tree for each of them."""
    text = (ROOT / "docs" / "file-formats.md").read_text(encoding="utf-8")
    table = text.partition("\n## Codes\n")[2].partition("\n\nA turn")[0]
    found: dict[str, set[str]] = {}
    for who, codes in re.findall(r"^\| (.*?) \| (`.*) \|$", table, re.MULTILINE):
        section = SECTIONS[who.replace("`", "")]
        found.setdefault(section, set()).update(re.findall(r"`([a-z-]+)`", codes))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("section", dict.fromkeys(case.section for case in CASES))
def test_each_command_prints_the_tree_below_it(
    section: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for case in CASES:
        if case.section == section:
            assert ask(case.command) == case.shown, "python -m tools.write_trees writes it anew"


@pytest.mark.parametrize("section", dict.fromkeys(SECTIONS.values()))
def test_there_is_a_tree_for_each_code(section: str) -> None:
    names = names_of(section)

    assert sorted(names) == sorted(codes_told()[section])


@pytest.mark.parametrize("game", ["kingdom_builder", "rabbits", "search_party", "slime"])
def test_the_codes_of_the_rules_are_those_that_are_told(game: str) -> None:
    # A code of several words is a text that looks like no other text in the rules.
    texts = (path.read_text(encoding="utf-8") for path in (ASP / game).rglob("*.lp"))
    codes = {code for text in texts for code in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text)}
    title = game.replace("_", " ")
    told = [all_ for section, all_ in codes_told().items() if section.lower().startswith(title)]

    assert codes <= set().union(*told)


@pytest.mark.parametrize(
    ("folder", "section"),
    [("cards", "Kingdom Builder: cards"), ("deeds", "Kingdom Builder: cards that pay in a game")],
)
def test_there_is_a_tree_for_each_card(folder: str, section: str) -> None:
    files = (ASP / "kingdom_builder" / folder).glob("*.lp")
    cards = [
        card
        for path in files
        for card in re.findall(r"^(?:card|deed)\((\w+),", path.read_text(), re.MULTILINE)
    ]

    assert cards
    assert sorted(names_of(section)) == sorted(cards)


def test_a_tree_begins_with_its_code_or_card() -> None:
    others = [(c.section, c.name) for c in CASES if c.name not in c.shown.splitlines()[1]]

    # Here the rules derive something else, and the page says what to ask for.
    assert others == [
        ("Kingdom Builder: claims", "wrong-claim"),
        ("Slime: why an answer is a pass", "after-end"),
        ("Rabbits: why a move is skipped", "after-end"),
    ]
