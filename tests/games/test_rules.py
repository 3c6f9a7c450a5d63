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
def test_exported_rules_change_nothing(game: Example, tmp_path: Path) -> None:
    copy = tmp_path / "rules"
    assert run("rules", "export", copy).status == 0

    ran = check(game, "--rules", copy / game.folder)

    assert (ran.status, ran.err) == (0, "")
    assert ran.out == check(game).out


@pytest.mark.slow
@each_game
def test_a_folder_may_hold_the_rules_of_all_games(game: Example, tmp_path: Path) -> None:
    copy = tmp_path / "rules"
    assert run("rules", "export", copy).status == 0

    ran = check(game, "--rules", copy)

    assert (ran.status, ran.err) == (0, "")
    assert ran.out == check(game).out


@each_game
def test_a_folder_with_rules_of_other_games_alone_is_refused(game: Example, tmp_path: Path) -> None:
    other = "slime" if game.folder != "slime" else "rabbits"
    (tmp_path / other).mkdir()
    (tmp_path / other / "mine.lp").write_text('violation(1,"a","","b").\n')

    ran = check(game, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert f"has rules of other games, but none of {game.game}" in ran.err


@each_game
def test_a_folder_without_rules_is_told(game: Example, tmp_path: Path) -> None:
    ran = check(game, "--rules", tmp_path)

    assert ran.status == 2
    assert "has no .lp file" in ran.err


@each_game
def test_a_violation_can_be_added(game: Example, tmp_path: Path) -> None:
    ran = check_with(game, tmp_path, f'violation(1,"too-dull","",("so",it,is)) :- {game.holds}.\n')

    assert (ran.status, ran.err) == (1, "")
    first = ran.json[0]["violations"][0]
    assert (first["turn"], first["code"], first["who"]) == (1, "too-dull", "")
    assert first["detail"].endswith("so it is")


@some_games(lambda game: game.part)
def test_a_rule_about_a_turn_can_be_added(game: Example, tmp_path: Path) -> None:
    rule = f'#program {game.part}(t).\nviolation(t,"dull","","dull") :- turn(t).\n'

    ran = check_with(game, tmp_path, rule)

    found = ran.json[0]
    assert (ran.status, ran.err) == (1, "")
    assert [v["turn"] for v in found["violations"]] == [*range(1, found["result"]["turns"] + 1)]


@each_game
@pytest.mark.parametrize(
    ("rule", "message", "hint"),
    [
        pytest.param(
            'violation(1,"a","","b") :- violatoin(_,_,_,_).',
            "mine.lp:1:28: nothing defines violatoin/4",
            "did you mean violation",
            id="body",
        ),
        pytest.param(
            'violation(T,"a","","b") :- T > 1.', "unsafe", "positive condition", id="unsafe"
        ),
        pytest.param(
            'violation(X,"a","","b") :- X = @now().',
            "mine.lp:1:32: @now calls a function",
            "rules here cannot call functions",
            id="call",
        ),
        pytest.param(
            '#program strep(t).\nviolation(t,"a","","b").',
            "mine.lp:1:1: no file of this game has a part #program strep(t).",
            "hint: the (parts of this game are|rules here have no)",
            id="part",
        ),
        pytest.param("violation(1.", "syntax error", "", id="syntax"),
    ],
)
def test_a_slip_in_added_rules_is_told(
    game: Example, rule: str, message: str, hint: str, tmp_path: Path
) -> None:
    ran = check_with(game, tmp_path, rule + "\n")

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert re.search(hint, ran.err)


@each_game
@pytest.mark.parametrize(
    ("rule", "message", "hint"),
    [
        pytest.param(
            'violatoin(1,"a","","b").',
            "mine.lp:1:1: nothing asks for violatoin/4",
            "did you mean violation",
            id="name",
        ),
        pytest.param(
            'violation(1,"a","").',
            "mine.lp:1:1: nothing asks for violation/3",
            "violation has (2 or )?4 arguments, not 3",
            id="arguments",
        ),
    ],
)
def test_a_helper_that_no_rule_reads_leads_to_a_warning(
    game: Example, rule: str, message: str, hint: str, tmp_path: Path
) -> None:
    ran = check_with(game, tmp_path, rule + "\n")

    assert (ran.status, ran.out) == (0, check(game).out)
    assert f"warning: {tmp_path / message}" in ran.err
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


@each_game
def test_added_rules_leave_nothing_to_choose(game: Example, tmp_path: Path) -> None:
    rules = '{ luck }.\nviolation(1,"unlucky","","") :- not luck.\n'

    ran = check_with(game, tmp_path, rules)

    assert (ran.status, ran.out) == (2, "")
    assert "more than one answer set" in ran.err


@each_game
def test_whoever_a_violation_names_is_told(game: Example, tmp_path: Path) -> None:
    ran = check_with(game, tmp_path, 'violation(1,"odd",someone,"nineteenth").\n')

    assert (ran.status, ran.err) == (1, "")
    assert ran.json[0]["violations"][0]["who"] == "someone"


def test_live_play_goes_by_added_rules_too(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text("#program step(t).\nfaultt(t) :- turn(t).\n")

    ran = run(
        "play", "search-party", ROOT / "boards/search_party/maps/meadow.txt",
        "--rules", tmp_path, "--", "true",
    )  # fmt: skip

    assert ran.out.startswith("map")
    assert "warning: " in ran.err
    assert "nothing asks for faultt/1" in ran.err


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


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (("score", EXAMPLE), '#const town = water. violation("x","k").'),
        (("check", "slime", BOARDS / "slime/session.txt"), "#const spread = jump."),
        (("check", "search-party", MEADOW, SAFE), "#const t = 5."),
    ],
    ids=["terrain", "kind", "parameter"],
)
def test_a_constant_cannot_change_the_words_of_our_rules(
    command: tuple[object, ...], rule: str, tmp_path: Path
) -> None:
    ran = run(*command, "--rules", add_rules(tmp_path, rule))

    assert (ran.status, ran.out) == (2, "")
    assert "our rules use" in ran.err
    assert "as a word" in ran.err


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (("check", "slime", BOARDS / "slime/session.txt"), 'violation(one,"a","","b").'),
        (("check", "rabbits", STATION, SESSION), 'violation(1,2,"","b").'),
        (("check", "search-party", MEADOW, SAFE), "result(3,4)."),
    ],
    ids=["turn", "code", "key"],
)
def test_rules_that_derive_what_nobody_can_read_are_told(
    command: tuple[object, ...], rule: str, tmp_path: Path
) -> None:
    ran = run(*command, "--rules", add_rules(tmp_path, rule))

    assert ran.status == 2
    assert "that kb-score cannot read" in ran.err or " is expected" in ran.err
