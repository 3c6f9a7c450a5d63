"""What ``--rules`` does for every game: copies stand in for ours, other files are added."""

import re
from pathlib import Path

import pytest

from tests.games.contract import Example
from tests.games.examples import each_game, some_games
from tests.helpers import ASP, EXAMPLE, MEADOW, ROOT, SAFE, SESSION, STATION, Ran, add_rules, run

BOARDS = ROOT / "boards"


def check(game: Example, *options: object) -> Ran:
    return game.check("-", *options, given=game.cut)


def check_with(game: Example, folder: Path, text: str, name: str = "mine.lp") -> Ran:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return check(game, "--rules", folder)


@pytest.mark.slow
@each_game
def test_exported_rules_of_a_game_and_of_all_games_change_nothing(
    game: Example, tmp_path: Path
) -> None:
    copy = tmp_path / "rules"
    assert run("rules", "export", copy).status == 0

    assert check(game, "--rules", copy / game.folder) == check(game)
    assert check(game, "--rules", copy) == check(game)


@each_game
def test_a_folder_without_rules_of_the_game_is_refused(game: Example, tmp_path: Path) -> None:
    ran = check(game, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert "has no .lp file" in ran.err
    other = "slime" if game.folder != "slime" else "rabbits"
    ran = check_with(game, tmp_path, 'violation(1,"a","","b").\n', f"{other}/mine.lp")
    assert (ran.status, ran.out) == (2, "")
    assert f"has rules of other games, but none of {game.game}" in ran.err


@each_game
@pytest.mark.parametrize("who", ["", "someone"])
def test_a_violation_of_anybody_can_be_added(game: Example, who: str, tmp_path: Path) -> None:
    rule = f'violation(1,"too-dull",{who or chr(34) * 2},("so",it,is)) :- {game.holds}.\n'

    ran = check_with(game, tmp_path, rule)

    assert (ran.status, ran.err) == (1, "")
    first = ran.json[0]["violations"][0]
    assert (first["turn"], first["code"], first["who"]) == (1, "too-dull", who)
    assert first["detail"].endswith("so it is")


@some_games(lambda game: game.part)
def test_a_rule_about_a_turn_can_be_added(game: Example, tmp_path: Path) -> None:
    rule = f'#program {game.part}(t).\nviolation(t,"dull","","dull") :- turn(t).\n'

    ran = check_with(game, tmp_path, rule)

    found = ran.json[0]
    assert (ran.status, ran.err) == (1, "")
    assert [v["turn"] for v in found["violations"]] == [*range(1, found["result"]["turns"] + 1)]


# A rule, what is said of it, a hint, and whether the file cannot be used: if not, it is a warning.
SLIPS = {
    "body": (
        'violation(1,"a","","b") :- violatoin(_,_,_,_).',
        "mine.lp:1:28: nothing defines violatoin/4",
        "did you mean violation",
        True,
    ),
    "unsafe": ('violation(T,"a","","b") :- T > 1.', "unsafe", "positive condition", True),
    "call": (
        'violation(X,"a","","b") :- X = @now().',
        "mine.lp:1:32: @now calls a function",
        "rules here cannot call functions",
        True,
    ),
    "part": (
        '#program strep(t).\nviolation(t,"a","","b").',
        "mine.lp:1:1: no file of this game has a part #program strep(t).",
        "hint: the (parts of this game are|rules here have no)",
        True,
    ),
    "syntax": ("violation(1.", "syntax error", "", True),
    "choice": (
        '{ luck }.\nviolation(1,"unlucky","","") :- not luck.',
        "more than one answer set",
        "",
        True,
    ),
    "name": (
        'violatoin(1,"a","","b").',
        "mine.lp:1:1: nothing uses violatoin/4",
        "did you mean violation",
        False,
    ),
    "arguments": (
        'violation(1,"a","").',
        "mine.lp:1:1: nothing uses violation/3",
        "violation has (2 or )?4 arguments, not 3",
        False,
    ),
}


@each_game
@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_added_rules_is_an_error_or_a_warning(
    game: Example, slip: str, tmp_path: Path
) -> None:
    rule, message, hint, is_error = SLIPS[slip]

    ran = check_with(game, tmp_path, f"{rule}\n")

    assert (ran.status, ran.out) == ((2, "") if is_error else (0, check(game).out))
    assert (message if is_error else f"warning: {tmp_path / message}") in ran.err
    assert re.search(hint, ran.err)


@each_game
def test_a_copy_that_lacks_what_the_other_files_ask_for_is_told(
    game: Example, tmp_path: Path
) -> None:
    file, name = game.derived
    (path,) = (ASP / game.folder).rglob(file)
    text = re.sub(rf"\b{name}\(", f"{name}s(", path.read_text())

    ran = check_with(game, tmp_path, text, str(path.relative_to(ASP)))

    assert (ran.status, ran.out) == (2, "")
    assert "your rules replace ours, but do not derive" in ran.err
    assert f"{name}/" in ran.err
    assert f"did you mean {name}s?" in ran.err


def test_live_play_goes_by_added_rules_too(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text("#program step(t).\nfaultt(t) :- turn(t).\n")

    ran = run(
        "play", "search-party", ROOT / "boards/search_party/maps/meadow.txt",
        "--rules", tmp_path, "--", "true",
    )  # fmt: skip

    assert ran.out.startswith("map")
    assert "warning: " in ran.err
    assert "nothing uses faultt/1" in ran.err


@pytest.mark.slow
def test_ranking_goes_by_the_users_copy(tmp_path: Path) -> None:
    rank = (ASP / "search_party" / "driver" / "rank.lp").read_text()
    entries = sorted(p for p in (ROOT / "boards/search_party/entries").iterdir() if p.is_dir())
    command = ["rank", "search-party", *entries, "--maps", ROOT / "boards/search_party/maps"]
    ours = run(*command, "--format", "json")
    # The last shall be first.
    key, turned_key = "(Maps,-Turns,Costars,Extras))", "(-Maps,Turns,-Costars,-Extras))"
    assert len(ours.json) > 1
    assert f"standing(E,{key} :-" in rank
    (tmp_path / "driver").mkdir()
    (tmp_path / "driver" / "rank.lp").write_text(rank.replace(key, turned_key))

    turned = run(*command, "--format", "json", "--rules", tmp_path)

    assert [row["entry"] for row in turned.json] == [row["entry"] for row in ours.json][::-1]


SLIME = ("check", "slime", BOARDS / "slime/session.txt")
PARTY = ("check", "search-party", MEADOW, SAFE)
WORD, UNREAD = "our rules use .* as a word", "that kb-score cannot read| is expected"


@pytest.mark.parametrize(
    ("command", "rule", "message"),
    [
        (("score", EXAMPLE), '#const town = water. violation("x","k").', WORD),
        (SLIME, "#const spread = jump.", WORD),
        (PARTY, "#const t = 5.", WORD),
        (SLIME, 'violation(one,"a","","b").', UNREAD),
        (("check", "rabbits", STATION, SESSION), 'violation(1,2,"","b").', UNREAD),
        (PARTY, "result(3,4).", UNREAD),
    ],
    ids=["terrain", "kind", "parameter", "turn", "code", "key"],
)
def test_the_words_of_our_rules_and_of_outputs_stay_as_they_are(
    command: tuple[object, ...], rule: str, message: str, tmp_path: Path
) -> None:
    ran = run(*command, "--rules", add_rules(tmp_path, rule))

    assert (ran.status, ran.out) == (2, "")
    assert re.search(message, ran.err)
