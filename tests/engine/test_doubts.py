"""Warnings of what is hardly meant: what tests/transcripts/engine/doubts.md cannot hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from kb_score.engine.program import Origin, Program, read_program
from tests.helpers import EXAMPLE, add_rules, run


@pytest.mark.slow
def test_copies_of_our_rules_are_not_doubted(tmp_path: Path) -> None:
    run("rules", "export", tmp_path)

    for game in ("kingdom_builder", "rabbits", "search_party", "slime"):
        words = "list", "cards", "--game", game.replace("_", "-"), "--rules", tmp_path / game
        ran = run("rules", *words)

        assert (ran.status, ran.err) == (0, ""), game


def test_thousands_of_facts_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[Path]()

    def note(paths: Iterable[Path], origin: Origin) -> Program:
        read.extend(paths := list(paths))
        return read_program(paths, origin)

    monkeypatch.setattr("kb_score.engine.loading.read_program", note)
    facts = "".join(f"gold(zz,1,x{n},1). " for n in range(20))
    folder = add_rules(tmp_path, f'card(zz,12,"x"). {facts}')
    assert run("score", EXAMPLE, "--rules", folder).status == 0
    assert [path.name for path in read if path.name == "mine.lp"] == ["mine.lp"]
