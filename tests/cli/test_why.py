"""``--why`` on a terminal, and atoms of any size; tests/transcripts/cli/why.md has the rest."""

from __future__ import annotations

import pytest

from tests.helpers import EXAMPLE, run, run_on_terminal

_BARE = str.maketrans("│├└─", "    ")


@pytest.mark.slow
def test_the_lines_of_a_tree_fit_a_terminal() -> None:
    words = "explain", EXAMPLE, "--why", "gold(lords,1,quadrant(1),6)", "--depth", 2
    shown = run_on_terminal(*words, width=70).splitlines()
    plain = run(*words).out.splitlines()

    assert all(len(line) < 70 for line in shown)
    assert len(shown) > len(plain)
    assert [line.lstrip("│├└─ ") for line in shown] != shown
    assert "".join("".join(shown).translate(_BARE).split()) == (
        "".join("".join(plain).translate(_BARE).split())
    )


@pytest.mark.parametrize("option", ["--why", "--why-not"])
@pytest.mark.parametrize(
    ("atom", "message"),
    [
        pytest.param("player(" * 2000 + ")" * 2000, "nested deeper than 1000 levels", id="nested"),
        pytest.param("f(" * 10_000 + ")" * 10_000, "", id="deep"),
        pytest.param(f"f({'a,' * 10_000}b)", "", id="wide"),
        pytest.param("g" * 10_000, "", id="name"),
    ],
)
def test_the_message_about_a_huge_atom_is_short(option: str, atom: str, message: str) -> None:
    ran = run("explain", EXAMPLE, option, atom)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{option}: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 500
