"""Maps of stations: what is refused, and what is warned of."""

from pathlib import Path

import pytest

from tests.games.rabbits.helpers import SESSION, turns, write
from tests.helpers import SILENT, run


@pytest.mark.parametrize(
    ("station", "message"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("####\n#sx#\n####\n", "unexpected 'x'", id="symbol"),
        pytest.param("####\n#se#\n###\n", "this row has 3 cells, the first one has 4", id="ragged"),
        pytest.param("####\n#se \n####\n", "this row has 3 cells", id="open-edge-stripped"),
        pytest.param("####\nse #\n####\n", "walls # all along its edge", id="open-edge"),
        pytest.param("####\n#s #\n####\n", "no exit 'e'", id="no-exit"),
        pytest.param("####\n# e#\n####\n", "no rabbit start 's'", id="no-start"),
        pytest.param("####\n#\0e#\n####\n", "is not text", id="binary"),
        pytest.param("#" * 100_000 + "x", "unexpected 'x'", id="huge-line"),
    ],
)
def test_a_map_that_cannot_be_used_is_refused(tmp_path: Path, station: str, message: str) -> None:
    ran = run("check", "rabbits", *write(tmp_path, station, SESSION))

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert max(map(len, ran.err.splitlines())) < 300


def test_a_start_without_a_way_out_is_a_warning(tmp_path: Path) -> None:
    paths = write(tmp_path, "#####\n#s#e#\n#####\n", turns("crusher\nrabbits 1,1\nmove\n"))
    ran = run("check", "rabbits", *paths)

    assert ran.status == 0
    assert "warning" in ran.err
    assert "1,1" in ran.err


def test_a_station_that_is_too_large_to_work_with_is_refused(tmp_path: Path) -> None:
    station, edge = tmp_path / "station.map", "#" * 600
    inside = "#" + " " * 598 + "#"
    station.write_text("\n".join([edge, f"#se{inside[3:]}", *[inside] * 500, edge]) + "\n")

    ran = run("play", "rabbits", station, *SILENT)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{station}: the map has more than 250000 cells\n"
