"""``kb-score rules``: the files that it shows and exports; tests/transcripts/cli/rules.md lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ASP, run


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param("miners", "cards/miners.lp", id="card"),
        pytest.param("near", "board.lp", id="predicate"),
        pytest.param("near/4", "board.lp", id="predicate-with-arity"),
        pytest.param("area(P,R,C,A)", "board.lp", id="predicate-as-listed"),
        pytest.param("lords_need_settlement", "cards/lords.lp", id="ruling"),
        pytest.param("valid.lp", "valid.lp", id="file"),
    ],
)
def test_show_prints_the_file_of_a_name(name: str, path: str) -> None:
    file = ASP / "kingdom_builder" / path

    ran = run("rules", "show", name)

    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"% {file}\n{file.read_text()}")


def test_export_copies_every_rule_file(tmp_path: Path) -> None:
    folder = tmp_path / "mine"

    ran = run("rules", "export", folder)

    assert ran.status == 0
    ours = {path.relative_to(ASP): path.read_text() for path in ASP.rglob("*.lp")}
    copies = {path.relative_to(folder): path.read_text() for path in folder.rglob("*.lp")}
    assert copies == ours


@pytest.mark.slow
def test_the_folder_of_the_rules_of_a_game_is_the_game() -> None:
    folder, named = run("rules", "test", ASP / "slime"), run("rules", "test", "slime")

    assert (folder.status, folder.err) == (0, "")
    assert folder.out == named.out
