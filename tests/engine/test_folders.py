"""Folders of rules that users may write: what is used, warned of and refused, one case each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, ROOT, run

CARD = 'card(scouts,50,"1 gold for each of your settlements").\n'
HEAD = "gold(scouts,P,hex(R,C),1)"
BODY = "settlement(P,R,C)"
GOOD = f"{CARD}{HEAD} :- {BODY}.\n"
MINERS = (ROOT / "asp/kingdom_builder/cards/miners.lp").read_text()

# The text of the only file, the gold of the four players, and the beginning of the warning.
USED = {
    "a card": (GOOD, "40 39 37 40", ""),
    "a byte order mark": (f"\ufeff{GOOD}", "40 39 37 40", ""),
    "old line ends": (f"% cards\n{GOOD}".replace("\n", "\r"), "40 39 37 40", ""),
    "Windows line ends": (GOOD.replace("\n", "\r\n"), "40 39 37 40", ""),
    "a text like a rule": (
        f'card(scouts,50,"a :- b, C"). kind(1,odd,"x :- y").\n{HEAD} :- {BODY}, kind(P,odd,_).\n',
        "40 0 0 0",
        "",
    ),
    "no payment": (CARD, "0 0 0 0", ""),
    "200 brackets": (
        f"{GOOD}x({'(' * 200}1{')' * 200}).\ny :- x(_).\n",
        "40 39 37 40",
        "4:1: noth",
    ),
    "a product beyond 32 bits, which clingo cuts off": (
        f"{CARD}gold(scouts,P,x,70000*70000) :- player(P).\n",
        "605032704 605032704 605032704 605032704",
        "",
    ),
    "an unused predicate": (
        f"{GOOD}shepherd(P) :- player(P).\n",
        "40 39 37 40",
        "3:1: nothing uses shepherd/1",
    ),
    "a lone variable": (
        f"{CARD}{HEAD} :- {BODY}, settlement(P,R1,C).\n",
        "40 39 37 40",
        "2:62: the variable R1 is used only once",
    ),
    "a sum without its variable": (
        f"{CARD}gold(scouts,P,x,N) :- player(P), N = #sum {{ 1 : {BODY} }}.\n",
        "1 1 1 1",
        "2:62: the variable R is used only once",
    ),
    "a word that nothing gives": (
        f"{CARD}{HEAD} :- {BODY}, terrain(watter,R,C).\n",
        "0 0 0 0",
        "2:57: no fact or rule gives watter",
    ),
    "a string for a word": (
        f'{CARD}{HEAD} :- {BODY}, terrain("water",R,C).\n',
        "0 0 0 0",
        '2:57: "water" is a string, not a word',
    ),
}

# The text of the file, and the beginning of the message after the name of the file.
REFUSED = {
    "no full stop": (f"{CARD}{HEAD} :- {BODY}\n", "2:47: syntax error, unexpected EOF"),
    "a capital predicate": (f"{CARD}G{HEAD[1:]} :- {BODY}.\n", "2:5: syntax error, unexpected ("),
    "a mistake after an umlaut": (
        'card(scouts,50,"üü"). x :- y z.\n',
        "1:30: syntax error, unexpe",
    ),
    "an unsafe variable": (
        f"{CARD}gold(scouts,P,hex(R,C),N) :- {BODY}.\n",
        "2:24: unsafe variables in: 'N'",
    ),
    "an unknown predicate": (f"{HEAD} :- setlement(P,R,C).\n", "1:30: nothing defines setlement/3"),
    "an unknown one in a choice": ("{ pick(X) : typo(X) }.\n", "1:13: nothing defines typo/1"),
    "a wrong arity": (f"{HEAD} :- settlement(P,R,C,_).\n", "1:30: nothing defines settlement/4"),
    "a wrong arity in a head": (f"{CARD}gold(scouts,1,1).\n", "2:1: gold/3 has no meaning here"),
    "a head of ours": ("land(K,R,C) :- terrain(K,R,C).\n", "1:1: our rules already derive land/3"),
    "an input": ("settlement(1,0,0).\n", "1:1: our rules already derive settlement/3"),
    "#show": (f"{CARD}#show gold/4.\n", "2:1: #show is not allowed in your rules"),
    "#include": ('#include "x.lp".\n', "1:1: a rule file cannot include another one"),
    "#script": ("#script (python)\nprint(1)\n#end.\n", "1:1: #script is not allowed"),
    "#external": ("#external lucky(1).\n", "1:1: #external is not allowed"),
    "a preference": (":~ player(P). [1,P]\n", "1:1: a preference (#minimize, #maximize or :~) is"),
    "a theory": ("#theory t { }.\n", "1:1: #theory is not allowed"),
    "a function": (f"{CARD}gold(scouts,P,x,@f(P)) :- player(P).\n", "2:17: @f calls a function"),
    "an unknown part": ("#program foo(t).\nx(t).\n", "1:1: no file of this game has a part"),
    "a ruling": (
        "#const most_settlements = 3.\n",
        "1:1: redefinition of constant most_settlements",
    ),
    "a word of ours": ("#const water = 3.\n", "1:1: our rules use water as a word"),
    "several answer sets": (
        f"{CARD}{{ lucky(P) }} :- player(P).\ngold(scouts,P,luck,1) :- lucky(P).\n",
        "2:1: the rules have more than one answer set",
    ),
    "a constraint": (f"{CARD}:- player(_).\n", "2:1: the rules have no answer set"),
    "a loop": (f"{CARD}p :- not p.\n", "2:1: the rules have no answer set"),
    "a number": (f"{CARD}gold(scouts,P,x,99999999999) :- player(P).\n", "2:17: 99999999999 does"),
    "a letter": (f"{CARD}gold(scouts,P,größe,1) :- player(P).\n", "2:17: unexpected 'ö' in a rule"),
    "an escape": ('card(scouts,50,"1\\ta").\n', "1:18: unexpected \\t in a string"),
    "100000 brackets": (f"x({'(' * 100000}1{')' * 100000}).\n", "1:1001: a term is nested deeper"),
    "two cards of a name": (f'{CARD}card(scouts,51,"again").\n', "1:1: there are two cards with"),
    "a word for points": (f"{CARD}gold(scouts,P,x,much) :- player(P).\n", "2:17: the points of a"),
    "a word for a number": ('card(scouts,fifty,"x").\n', "1:13: the number of card scouts must be"),
    "gold for no card": (
        "gold(scouts,P,x,1) :- player(P).\n",
        "1:1: gold for scouts, but there is",
    ),
}


def add(folder: Path, text: str | bytes, name: str = "mine.lp") -> Path:
    """Write the only file of a folder of rules."""
    path = folder / "rules" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / "rules"


def read_gold(table: str, card: str) -> str:
    """Read the gold of a card's row."""
    (row,) = [line.split()[1:] for line in table.splitlines() if line.startswith(card)]
    return " ".join(row)


@pytest.mark.parametrize("case", USED)
def test_it_is_used(case: str, tmp_path: Path) -> None:
    text, gold, warning = USED[case]
    folder = add(tmp_path, text)

    ran = run("score", EXAMPLE, "--rules", folder, "--cards", "scouts")

    assert ran.status == 0
    assert read_gold(ran.out, "scouts") == gold
    shown = f"warning: {folder / 'mine.lp'}:{warning}"
    assert ran.err.startswith(shown) if warning else not ran.err


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused(case: str, tmp_path: Path) -> None:
    text, message = REFUSED[case]
    folder = add(tmp_path, text)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder / 'mine.lp'}:{message}" in ran.err


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD.encode("utf-16"), "1:1: a rule file cannot be UTF-16"),
        (f"{GOOD}% größe\n".encode("latin-1"), "3:5: byte 0xf6 is not text"),
    ],
)
def test_a_file_that_is_not_utf8_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    folder = add(tmp_path, data)

    assert run("score", EXAMPLE, "--rules", folder).err.startswith(
        f"{folder / 'mine.lp'}:{message}"
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("miners.lp", MINERS, "move it to {}/cards/miners.lp to replace that file"),
        ("my_miners.lp", MINERS, "my_miners.lp:8:1: redefinition of constant miners_on_mountain"),
        ("board.lp", "x.\n", "your rules replace ours, but do not derive around/4"),
    ],
)
def test_a_copy_has_to_stand_where_ours_does(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    folder = add(tmp_path, text, name)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert ran.status == 2
    assert message.format(folder) in ran.err


def test_a_changed_copy_replaces_ours(tmp_path: Path) -> None:
    folder = add(tmp_path, MINERS.replace("hex(R,C), 1)", "hex(R,C), 2)"), "cards/miners.lp")

    ran = run("score", EXAMPLE, "--rules", folder, "--cards", "4")

    assert read_gold(ran.out, "miners") == "8 24 22 8"
    assert "miners.lp replaces asp/kingdom_builder/cards/miners.lp" in ran.err


@pytest.mark.parametrize(
    ("ruling", "message"),
    [
        ("most_settlements=abc", "most_settlements must be a number from 1 to 1000, not 'abc'"),
        ("most_setlements=3", "there is no ruling or constant 'most_setlements'"),
    ],
)
def test_a_ruling_has_its_values(ruling: str, message: str) -> None:
    ran = run("score", EXAMPLE, "--const", ruling)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def list_documented() -> list[str]:
    """List the examples of what docs/change-a-rule.md lists as refused."""
    text = (ROOT / "docs/change-a-rule.md").read_text()
    _, _, rest = text.partition("| refused | for example |\n| --- | --- |\n")
    table, _, _ = rest.partition("\n\n")
    return [row.split("|")[2].strip().strip("`") for row in table.splitlines()]


@pytest.mark.parametrize("example", list_documented())
def test_what_the_document_lists_is_refused(example: str, tmp_path: Path) -> None:
    folder = add(tmp_path, f"{example}\n")

    ran = run("check", "slime", ROOT / "boards/slime/session.txt", "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{folder / 'mine.lp'}:1:")
