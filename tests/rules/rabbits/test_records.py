"""What asp/rabbits says of records, on a few facts: tables, totals, frames, pictures, windows."""

from __future__ import annotations

from collections.abc import Sequence

from kb_score.engine.rules import GameRules, Use
from kb_score.engine.terms import Facts, Name
from kb_score.games.rabbits.records import read_map
from kb_score.games.rabbits.rules import BLAME, MAP, PRINTED, TABLE, TOTALS, Left
from kb_score.games.schema import ViolationRow, read_drawing, read_result, write_sentence

RULES = GameRules("rabbits")
# A start, an exit, and a crusher behind a wall: rows of 7, so that the crusher's cell is 15.
STATION = read_map("#######\n#s   e#\n#c#####\n#######\n", "map").facts()


def table(*rows: tuple[int, int, int], total: int, **more: Sequence[tuple[int, ...]]) -> list[str]:
    """Say what is wrong with a score table."""
    facts: Facts = {
        "row": [(line, *row) for line, row in enumerate(rows, 1)],
        "claimed_result": [(Name("saved"), total)],
        **more,
    }
    return [write_sentence(detail) for _, _, detail in RULES.ask(TABLE, facts)["mistake"]]


def test_the_scores_of_a_table_add_up() -> None:
    assert table((1, 9, 3), (2, 9, 4), total=7) == []
    assert table((1, 9, 3), (2, 9, 4), total=8) == ["the scores add up to 7, not 8"]


def test_the_rows_of_a_table_are_numbered() -> None:
    assert table((1, 9, 3), (3, 9, 4), total=7) == ["row 2 is labelled run 3"]


def test_a_table_has_as_many_rows_as_runs_were_asked_for() -> None:
    planned = [(60, 2)]

    assert table((1, 9, 3), (2, 9, 4), total=7, planned=planned) == []
    assert table((1, 9, 3), total=3, planned=planned) == [
        "the table has 1 rows, but 2 runs were asked for"
    ]


def total(claimed: int, *, reachable: bool, unexplained: bool = False) -> tuple[object, list[str]]:
    """Return what was saved, and what is wrong with the total of a log that allows 2 to 6."""
    answer = RULES.ask(
        TOTALS,
        {
            "run_turns": [(1, 5), (2, 5)],
            "unexplained": [(2,)] if unexplained else [],
            "saved_range": [(2, 6)],
            "reachable": [()] if reachable else [],
            "claimed_result": [(Name("saved"), claimed)],
        },
    )
    result = dict(answer["result"])
    assert result["finished"] == ("no" if unexplained else "yes")
    assert (result["turns"], result["runs"]) == (10, 2)
    found = [(row.turn, row.code, write_sentence(row.detail)) for row in answer.read(ViolationRow)]
    assert all((turn, code) == (10, "wrong-score") for turn, code, _ in found)
    return result.get("saved"), [detail for _, _, detail in found]


def test_a_total_that_explanations_reach_is_what_was_saved() -> None:
    assert total(4, reachable=True) == (4, [])


def test_a_total_that_none_reaches_is_wrong() -> None:
    message = "a total of {} cannot be reached: the frames allow 2 to 6"

    assert total(7, reachable=False) == (None, [message.format(7)])
    assert total(3, reachable=False) == (
        None,
        [f"{message.format(3)}, but not every number in between"],
    )


def test_nothing_is_said_against_the_total_where_a_run_has_no_explanation() -> None:
    assert total(7, reachable=False, unexplained=True) == (None, [])
    assert total(4, reachable=True, unexplained=True) == (None, [])


def blame(*frames: tuple[list[int], list[int]], misdrawn: list[tuple[int, int]]) -> Facts:
    """Make the facts of the frames of a run, each the cells of rabbits and of crushers."""
    return {
        **STATION,
        "window_start": [(1,)],
        "window_end": [(len(frames),)],
        "last_turn": [(len(frames),)],
        "opens": [(1,)],
        "earlier": [(0,)],
        "rabbit_shown": [(cell, t) for t, (some, _) in enumerate(frames, 1) for cell in some],
        "crusher_shown": [(cell, t) for t, (_, some) in enumerate(frames, 1) for cell in some],
        "misdrawn": misdrawn,
    }


def test_the_first_frame_that_cannot_follow_is_blamed_with_as_few_robots_as_possible() -> None:
    # No rabbit appears, for the crusher sees the start; it goes up, then the second frame is wrong.
    answer = RULES.ask(BLAME, blame(([], [15]), ([10], [8]), ([11, 12], [9]), misdrawn=[]))

    assert answer["fails"] == [(2,)]
    assert answer["blamed"] == [("rabbit", 3, 1)]
    (found,) = answer.read(ViolationRow)
    assert found[:3] == (1, "no-explanation", (3, 1))
    assert read_drawing(answer).highlights == {(1, 3)}
    assert read_drawing(answer).cells[1, 3] == "o"


def test_a_frame_that_does_not_show_the_map_is_blamed_for_that_alone() -> None:
    answer = RULES.ask(BLAME, blame(([], [15]), ([10], [8]), misdrawn=[(3, 2), (4, 2)]))

    assert sorted(answer["blamed"]) == [("cell", 3, 0), ("cell", 4, 0)]
    (found,) = answer.read(ViolationRow)
    assert found[:3] == (2, "no-explanation", "")


# The crusher sees the start, so that no rabbit appears; it can only go up.
TURN: Facts = {
    **STATION,
    "opens": [(1,)],
    "window_start": [(1,)],
    "window_end": [(1,)],
    "last_turn": [(3,)],
    "turnsleft": [(3, 1)],
    "act": [(0, 15, "movesto", 8, 1)],
    "answered": [(1,)],
}


def test_what_a_window_has_come_to_goes_on_in_the_next() -> None:
    first = RULES.ask(PRINTED, TURN)
    assert first.read(Left) == [("crusher", 8, 0, 1)]

    so_far = [(Name(key), number) for key, number in first["so_far"]]
    facts = {
        **TURN,
        "opens": [],
        "window_start": [(2,)],
        "window_end": [(2,)],
        "turnsleft": [(2, 2)],
        "act": [(0, 8, "movesto", 9, 2)],
        "before": so_far,
        "ends": [(8, 1)],
        "heading": [(8, 0, 1)],
    }
    second = RULES.ask(PRINTED, facts)

    assert second.read(ViolationRow) == []
    assert read_result(second, "turns", "runs", "saved", "finished") == {
        "turns": 2,
        "runs": 1,
        "saved": 0,
        "finished": True,
    }


def test_a_run_that_the_record_does_not_tell_of_to_its_end_is_not_finished() -> None:
    def finished(**more: Sequence[tuple[int, ...]]) -> object:
        answer = RULES.ask(PRINTED, {**TURN, "stops": [(1,)], **more})
        return read_result(answer, "finished")["finished"]

    assert not finished()
    assert finished(closed=[(1,)])
    assert finished(last_turn=[(1,)], turnsleft=[(1, 1)])
    assert not finished(last_turn=[(1,)], turnsleft=[(1, 1)], answered=[])
    assert not finished(closed=[(1,)], act=[])


def test_what_crushers_cannot_have_done_breaks_a_run_off() -> None:
    answer = RULES.ask(PRINTED, {**TURN, "act": []})

    assert answer["broken_off"] == [()]
    assert [row[:3] for row in answer.read(ViolationRow)] == [(1, "illegal-crusher", (1, 2))]
    assert read_result(answer)["turns"] == 0


def test_the_first_turn_with_a_violation_is_pictured() -> None:
    assert RULES.ask(PRINTED, TURN)["pictured"] == []

    answer = RULES.ask(PRINTED, {**TURN, "listed": [(8, 1), (10, 1)]})
    drawing = read_drawing(answer)

    assert answer["pictured"] == [(1,)]
    assert drawing.highlights == {(1, 1), (1, 3)}
    rows = ["".join(drawing.cells[row, column] for column in range(7)) for row in range(4)]
    assert rows == ["#######", "#X   e#", "#c#####", "#######"]


def test_starts_without_a_way_out_are_cut_off() -> None:
    station = read_map("#####\n#s#e#\n#s  #\n#####\n#s###\n#####\n", "map")

    assert RULES.ask(MAP, station.facts())["cut_off"] == [(21,)]


def test_every_use_names_files_that_are_there() -> None:
    from kb_score.games.rabbits import rules

    uses = [use for use in vars(rules).values() if isinstance(use, Use)]
    assert len(uses) > 8
    assert all(RULES.program(use).shown for use in uses)
