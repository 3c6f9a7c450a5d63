"""Mutants change one line each, and what they make of Python can be run."""

from __future__ import annotations

import ast

import pytest

from tests.helpers import ROOT
from tools.mutants import draw, list_tests


@pytest.mark.parametrize("folder", ["asp", "kb_score"])
def test_each_mutant_changes_one_line(folder: str) -> None:
    mutants = draw(folder, 40, 1)

    assert len(mutants) == len({(mutant.path, mutant.line) for mutant in mutants}) == 40
    assert mutants == draw(folder, 40, 1)
    for mutant in mutants:
        sound = (ROOT / mutant.path).read_text()
        changed = mutant.apply(sound)
        pairs = zip(sound.split("\n"), changed.split("\n"), strict=True)
        assert sum(old != new for old, new in pairs) == 1
        assert mutant.path.endswith(".lp") or ast.parse(changed)
        assert any((ROOT / name).exists() for name in list_tests(mutant.path))
