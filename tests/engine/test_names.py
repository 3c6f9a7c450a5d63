"""Names that users may add to; see tests/transcripts/engine too."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import find_extension_points
from kb_score.engine.program import read_program
from kb_score.engine.scan import Signature
from tests.helpers import ASP, run


@pytest.mark.parametrize("game", ["kingdom_builder", "rabbits", "search_party", "slime"])
def test_what_users_may_add_to_is_listed(game: str) -> None:
    listed = run(
        "rules", "list", "extension-points", "--game", game.replace("_", "-"), "--format", "json"
    ).json
    ours, _ = list_rule_files(game)

    names = {row["predicate"].partition("(")[0] for row in listed}

    # What games share is listed by itself.
    points = {name for name, _ in find_extension_points(ours)}
    assert {"violation", "result", "look"} <= names <= points
    only_elsewhere = {"illegal", "figure", "terminal"}
    assert points - names <= {"cell", "highlight", "redraw", *only_elsewhere}


def test_the_extension_points_that_documents_name_are_there() -> None:
    rows = run("rules", "list", "extension-points", "--format", "json").json
    names = {row["predicate"].partition("(")[0] for row in rows}

    assert names.issuperset(
        ("gold", "card", "tile", "ground", "close", "move", "offset", "option", "illegal")
    )
    assert names.issuperset(("forbidden", "violation", "result", "terminal", "allots", "look"))
    assert names.issuperset(("buildable", "ground_symbol", "claim_kind"))


def test_a_file_modelled_on_a_card_or_tile_may_derive_what_that_one_adds_to() -> None:
    home = ASP / "kingdom_builder"
    files = sorted(home.rglob("*.lp"))
    places = dict[Signature, set[Path]]()
    for path in files:
        for statement in read_program([path], "shipped").statements:
            for head in statement.heads:
                places.setdefault(head, set()).add(path)
    models = {"cards", "deeds", "queenies", "tiles"}

    added_to = {
        head
        for head, paths in places.items()
        if len(paths) > 1 and any(path.parent.name in models for path in paths)
    }

    assert ("gold", 4) in added_to
    assert added_to <= find_extension_points(files)
