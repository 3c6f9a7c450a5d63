"""The plain search party: expected values are worked out by hand from the English rules."""

from pathlib import Path
from random import Random

import pytest

from tests.oracles.search_party import (
    Game,
    IllegalMove,
    Map,
    check_plan,
    parse_map,
    parse_moves,
    write_map,
    write_moves,
)
from tests.oracles.search_party_bots import (
    random_game,
    random_map,
    reckless_game,
    safe_game,
    write_plan,
    write_session,
    write_stream,
)

MEADOW = "6 5 0 0\n......\n......\n..S...\n......\n......\n"
MEADOW_PLAN = "@4.\n@6.\n@6.\n@6.\n"
CORRIDOR = "......S......"
SPANS = ((1, 15), (1, 15), (0, 5), (0, 5))
DASHES = "-" * 40 + "\n"
SHARED_MAPS = Path(__file__).parents[2] / ".." / "shared" / "data" / "search_party"


def corridor(costars: int, extras: int) -> Map:
    """A row of 13 cells with the start in its middle; there people see two cells each way."""
    return parse_map(f"13 1 {costars} {extras}\n{CORRIDOR}\n")


def played(map_: Map, *lines: str) -> Game:
    game = Game(map_)
    for line in lines:
        game.step(parse_moves(line))
    return game


def some_map(seed: int) -> Map:
    rng = Random(seed)
    width, height, costars, extras = (rng.randint(*span) for span in SPANS)
    return random_map(rng, width, height, costars, extras, rng.choice((0.0, 0.3, 0.6, 1.0)))


def sees(one: tuple[int, int], other: tuple[int, int]) -> bool:
    dx, dy = abs(one[0] - other[0]), abs(one[1] - other[1])
    return dx <= 2 and dy <= 2 and (dx, dy) != (2, 2)


def test_sample_plan_of_the_challenge_finishes_in_four_turns() -> None:
    assert check_plan(parse_map(MEADOW), MEADOW_PLAN + "4 0 0\n") == (4, 0, 0, True, True)


def test_people_see_rows_of_three_five_five_five_and_three_cells() -> None:
    game = Game(parse_map("7 7 0 0\n" + ".......\n" * 3 + "...S...\n" + ".......\n" * 3))

    assert game.picture == (
        ".......",
        "..ooo..",
        ".ooooo.",
        ".ooooo.",
        ".ooooo.",
        "..ooo..",
        ".......",
    )
    assert len(game.searched) == 21


def test_obstacles_block_no_sight() -> None:
    assert Game(parse_map("5 1 0 0\nS#...\n")).picture == ("o#o..",)


@pytest.mark.parametrize(
    ("direction", "place"),
    [
        *[("7", (1, 1)), ("8", (2, 1)), ("9", (3, 1))],
        *[("4", (1, 2)), ("5", (2, 2)), ("6", (3, 2))],
        *[("1", (1, 3)), ("2", (2, 3)), ("3", (3, 3))],
    ],
)
def test_directions_are_those_of_a_number_pad(direction: str, place: tuple[int, int]) -> None:
    assert played(parse_map(MEADOW), f"@{direction}.").alive == {"@": place}


def test_diagonal_move_passes_between_two_obstacles() -> None:
    game = played(parse_map("4 4 0 0\n....\n.S#.\n.#..\n....\n"), "@3.")

    assert game.alive == {"@": (2, 2)}


def test_who_is_not_listed_stands_still() -> None:
    game = played(corridor(1, 1), "A4.")

    assert game.alive == {"@": (6, 0), "A": (5, 0), "a": (6, 0)}


def test_costars_who_part_die_in_the_same_turn() -> None:
    game = played(corridor(2, 0), "@4 A6 B6.", "@4 A6.", "@4 A6 B4.")

    assert game.alive == {"@": (3, 0)}


@pytest.mark.parametrize(
    ("crowd", "survivors"),
    [*[("A", 0), ("AB", 2), ("Aa", 2), ("AaBb", 4)], *[("a", 0), ("ab", 0), ("abc", 3)]],
)
def test_crowd_lives_without_the_star_if_all_see_a_costar_or_two_extras(
    crowd: str, survivors: int
) -> None:
    costars = sum(map(str.isupper, crowd))
    rightwards = write_moves(dict.fromkeys(crowd, "6"))

    game = played(corridor(costars, len(crowd) - costars), "@4.", rightwards, rightwards)

    assert sum(game.result()) == 3 + survivors


def test_extra_who_sees_two_dying_extras_lives_one_turn_longer() -> None:
    # The extras stand on 6, 8 and 9, the star on 3: only b sees two others.
    game = played(corridor(0, 3), "@4 b6 c6.", "@4 b6 c6.", "@4 c6.")
    assert game.alive == {"@": (3, 0), "b": (8, 0)}

    game.step({})
    assert game.alive == {"@": (3, 0)}


def test_people_about_to_die_still_search() -> None:
    game = played(corridor(1, 0), "@4 A6.", "@4 A6.")

    assert game.alive == {"@": (4, 0)}
    assert game.picture == ("..ooooooooo..",)


@pytest.mark.parametrize(
    ("line", "code", "who"),
    [
        ("@6.", "onto-obstacle", "@"),
        ("A4.", "off-map", "A"),
        ("a9.", "off-map", "a"),
        ("@0.", "bad-direction", "@"),
        ("@x.", "bad-direction", "@"),
        ("B5.", "unknown-person", "B"),
        ("*5.", "unknown-person", "*"),
        pytest.param("@3 A4 a4.", "off-map", "A", id="the-first-counts"),
    ],
)
def test_illegal_move_changes_nothing(line: str, code: str, who: str) -> None:
    game = Game(parse_map("4 2 1 1\nS#..\n....\n"))

    with pytest.raises(IllegalMove) as caught:
        game.step(parse_moves(line))

    assert (caught.value.code, caught.value.who) == (code, who)
    assert game.turn == 0
    assert set(game.alive.values()) == {(0, 0)}


def test_the_dead_cannot_even_stand_still() -> None:
    game = played(corridor(1, 0), "@4 A6.", "@4 A6.")

    with pytest.raises(IllegalMove) as caught:
        game.step(parse_moves("A5."))

    assert (caught.value.code, caught.value.who) == ("dead-person", "A")


@pytest.mark.parametrize(("line", "who"), [(".", ""), ("@5.", "@")])
def test_nothing_may_follow_the_end(line: str, who: str) -> None:
    game = played(parse_map(MEADOW), "@4.", "@6.", "@6.", "@6.")
    assert game.finished

    with pytest.raises(IllegalMove) as caught:
        game.step(parse_moves(line))

    assert (caught.value.code, caught.value.who) == ("after-end", who)


def test_nobody_moves_twice_in_a_turn() -> None:
    with pytest.raises(IllegalMove) as caught:
        parse_moves("@5 A4 @5.")

    assert (caught.value.code, caught.value.who) == ("moved-twice", "@")


def test_map_of_one_cell_is_over_after_no_turn() -> None:
    map_ = parse_map("1 1 2 1\nS")

    assert Game(map_).finished
    assert check_plan(map_, "0 2 1\n") == (0, 2, 1, True, True)
    assert check_plan(map_, ".\n0 2 1\n") == (0, 2, 1, True, False)
    assert write_stream(map_, []) == write_session(map_, []) == "Finished in 0 turns\n0 2 1\n"


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        pytest.param(MEADOW_PLAN, (4, 0, 0, True, True), id="claims-nothing"),
        pytest.param(MEADOW_PLAN + "5 0 0", (4, 0, 0, True, False), id="wrong-turns"),
        pytest.param(MEADOW_PLAN + "4 1 0", (4, 0, 0, True, False), id="wrong-costars"),
        pytest.param(MEADOW_PLAN + ".\n4 0 0", (4, 0, 0, True, False), id="after-the-end"),
        pytest.param("", (0, 0, 0, False, True), id="empty"),
        pytest.param("@4.\n@6.\n", (2, 0, 0, False, True), id="stops-early"),
        pytest.param("@4.\n1 0 0\n", (1, 0, 0, False, False), id="claims-before-the-end"),
        pytest.param("@4.\n@7.\n@4.\n@6.\n", (2, 0, 0, False, False), id="leaves-the-map"),
        pytest.param("@4.\n@5 @5.\n", (1, 0, 0, False, False), id="moves-twice"),
        pytest.param("@4.\r\n@6.\r\n", (2, 0, 0, False, True), id="carriage-returns"),
    ],
)
def test_plan_is_judged_by_its_moves_and_its_claim(
    plan: str, verdict: tuple[int, int, int, bool, bool]
) -> None:
    assert check_plan(parse_map(MEADOW), plan) == verdict


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("4 0 0\n@5.", "follow the result"),
        ("@55.", "a person and a direction"),
        *[(text, "full stop") for text in ("@5", "hello", "4 0", "-1 0 0")],
    ],
)
def test_text_that_is_no_plan_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_plan(parse_map(MEADOW), text)


@pytest.mark.parametrize("line", [".", "@9 A2 a2 B7."])
def test_moves_read_back_as_written(line: str) -> None:
    assert write_moves(parse_moves(line)) == line


@pytest.mark.parametrize(
    "text", ["3 2 1 0\n.S.\n..#", "3 2 1 0\n.S.\n..#\n", "3 2 1 0\r\n.S.\r\n..#\r\n"]
)
def test_map_reads_with_any_line_ends(text: str) -> None:
    map_ = parse_map(text)

    assert map_ == Map(3, 2, 1, 0, (".S.", "..#"))
    assert (map_.start, map_.cast, len(map_.open_cells)) == ((1, 0), ("@", "A"), 5)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        *[(text, "expected columns, rows") for text in ("", "2 1 0\nS.")],
        *[(text, "does not fit") for text in ("2 2 0 0\nS.", f"257 1 0 0\nS{'.' * 256}")],
        *[(text, "row 0 is not 2") for text in ("2 1 0 0\nS..", "2 1 0 0\nSo")],
        *[(text, "exactly one S") for text in ("2 1 0 0\n..", "2 1 0 0\nSS")],
        ("2 1 27 0\nS.", "at most 26"),
    ],
)
def test_text_that_is_no_map_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_map(text)


def test_stream_begins_like_the_sample_of_the_challenge() -> None:
    rows = "##...##\n#.....#\n.......\n..S....\n.......\n#......\n##.....\n###....\n"

    assert write_stream(parse_map("7 8 2 0\n" + rows), []) == (
        "Turn 1\n@:2,3 A:2,3 B:2,3.\n"
        "##...##\n#ooo..#\nooooo..\nooooo..\nooooo..\n#ooo...\n##.....\n###....\n" + DASHES
    )


def test_records_tell_a_short_game_as_the_challenge_asks() -> None:
    map_ = parse_map("5 1 1 0\nS....\n")
    turns = [{"@": "6", "A": "5"}, {"@": "6"}]
    first = "Turn 1\n@:0,0 A:0,0.\nooo..\n" + DASHES
    second = "Turn 2\n@:1,0 A:0,0.\noooo.\n" + DASHES
    end = "Finished in 2 turns\n2 1 0\n"

    assert write_plan(map_, turns) == "@6 A5.\n@6.\n2 1 0\n"
    assert write_plan(map_, turns, claim=False) == "@6 A5.\n@6.\n"
    assert write_stream(map_, turns) == first + second + end
    assert write_session(map_, turns) == first + "@6 A5.\n" + second + "@6.\n" + end
    assert write_session(map_, turns[:1]) == first + "@6 A5.\n" + second


@pytest.mark.parametrize("seed", range(20))
def test_random_map_is_connected_and_reads_back(seed: int) -> None:
    map_ = some_map(seed)
    reached, ahead = {map_.start}, [map_.start]
    while ahead:
        x, y = ahead.pop()
        beside = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        ahead += (beside & map_.open_cells) - reached
        reached |= beside & map_.open_cells

    assert reached == map_.open_cells
    assert parse_map(write_map(map_)) == map_


@pytest.mark.parametrize("seed", range(20))
def test_every_turn_is_what_the_rules_say_word_by_word(seed: int) -> None:
    map_, bot = some_map(seed), (random_game, reckless_game)[seed % 2]
    game, turns = Game(map_), bot(map_, Random(seed), 30)
    searched = {cell for cell in map_.open_cells if sees(map_.start, cell)}
    for moves in turns:
        pad = {who: divmod(int(digit) - 1, 3) for who, digit in moves.items()}
        there = {
            who: (x + pad[who][1] - 1, y + 1 - pad[who][0]) if who in pad else (x, y)
            for who, (x, y) in game.alive.items()
        }
        searched |= {
            cell for cell in map_.open_cells if any(sees(place, cell) for place in there.values())
        }
        in_sight = {
            who: [other for other in there if other != who and sees(there[who], there[other])]
            for who in there
        }
        dead = {who for who in there if who.isupper() and not in_sight[who]} | {
            who
            for who in there
            if who.islower() and len(in_sight[who]) < 2 and all(map(str.islower, in_sight[who]))
        }
        game.step(moves)

        assert game.alive == {who: there[who] for who in there if who not in dead}
        assert game.searched == searched
        assert game.finished == (searched == map_.open_cells)


@pytest.mark.parametrize("costars", [0, 1, 2, 3, 26])
@pytest.mark.parametrize("extras", [0, 1, 2, 3, 4, 5, 26])
def test_safe_game_searches_everything_and_loses_nobody(costars: int, extras: int) -> None:
    rng = Random(costars * 100 + extras)
    map_ = random_map(rng, 25, 20, costars, extras, 0.3)

    turns = safe_game(map_, rng)

    verdict = (len(turns), costars, extras, True, True)
    assert check_plan(map_, write_plan(map_, turns)) == verdict


def test_reckless_game_finishes_and_loses_several_people_at_once() -> None:
    map_ = random_map(Random(3), 40, 40, 6, 6, 0.2)
    turns = reckless_game(map_, Random(3), 10_000)
    game = Game(map_)
    losses = []
    for moves in turns:
        before = len(game.alive)
        game.step(moves)
        losses.append(before - len(game.alive))

    assert game.finished
    assert max(losses) > 1


def test_games_repeat_with_the_same_seed_and_stop_in_time() -> None:
    map_ = random_map(Random(5), 30, 30, 3, 3, 0.2)

    assert random_game(map_, Random(7), 9) == random_game(map_, Random(7), 9)
    assert len(random_game(map_, Random(7), 9)) == len(reckless_game(map_, Random(7), 9)) == 9


@pytest.mark.skipif(not SHARED_MAPS.is_dir(), reason="the challenge's maps are not beside the tree")
@pytest.mark.parametrize("number", range(1, 6))
def test_challenge_map_is_searched_without_a_loss(number: int) -> None:
    map_ = parse_map((SHARED_MAPS / f"map{number}.txt").read_text(encoding="ascii"))

    turns = safe_game(map_, Random(number))

    verdict = (len(turns), map_.costars, map_.extras, True, True)
    assert check_plan(map_, write_plan(map_, turns)) == verdict
