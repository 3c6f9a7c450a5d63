"""Live play: what the challenge's controller says, its turns stepped by the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_score.games.referee import LiveGame
from kb_score.games.search_party.check import check_map
from kb_score.games.search_party.maps import read_map
from kb_score.games.search_party.records import read_answer, tidy_answer
from kb_score.games.search_party.rules import (
    PLAY,
    DoubtfulMove,
    InvalidMapRow,
    LivingRow,
    MayGoRow,
    NewlyRow,
    Repeated,
    StandingRow,
)
from kb_score.shell.watch import Board

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts

_DASHES = "-" * 40


class SearchParty(LiveGame):
    """One game as it is played.

    Attributes:
        open_cells: The number of open cells of the map.
    """

    def __init__(self, rules: GameRules, text: str, name: str) -> None:
        """Set everybody on the starting cell of a map.

        Raises:
            FormatError: The text is no map.
            InputError: The map is not valid for this game.
            RuleError: Something is wrong with the user's rules.
        """
        self._map = read_map(text, name)
        self._rows = [list(row) for row in self._map.blank_board().split()]
        self.open_cells, self._searched = sum(row.count(".") for row in self._rows), 0
        # A user's rules may ask at every turn for what is else worked out only where it matters.
        self._all = bool(rules.changes.folders)
        super().__init__(rules.program(PLAY), self._map.facts(), renewal=100)

    def step(self, facts: Facts) -> None:
        """Work out a turn; if no move is doubtful or repeated, nothing can be illegal."""
        self.live.play(["step", "judge"] if self._all else ["step"], facts)
        doubts = [*self.live.news(DoubtfulMove), *self.live.news(Repeated)]
        if doubts and not self._all:
            self.live.play(["judge"])

    def look(self) -> None:
        """Take in who is where, and what is newly searched."""
        check_map(self._map, self.live.news(InvalidMapRow))
        self._people = sorted(self.live.news(StandingRow))
        (self._living,) = self.live.news(LivingRow)
        newly = self.live.news(NewlyRow)
        self._searched += len(newly)
        for row in newly:
            x, y = self._map.place(row.cell)
            self._rows[y][x] = "o"

    def tell(self) -> str:
        """Write what the controller says before a turn, or when everything is searched."""
        if self.finished:
            costars, extras, _ = self._living
            return f"Finished in {self.turn} turns\n{self.turn} {costars} {extras}\n"
        places = ((row.person, self._map.place(row.cell)) for row in self._people)
        people = " ".join(f"{who}:{x},{y}" for who, (x, y) in places)
        board = map("".join, self._rows)
        return "\n".join((f"Turn {self.turn + 1}", f"{people}.", *board, _DASHES, ""))

    def read(self, line: str) -> Facts:
        """Read a line of moves."""
        moves, repeated = read_answer(line)
        return {"move": moves, "repeated": repeated}

    def repeat(self, line: str) -> str:
        """Write an answer as a record has it."""
        return tidy_answer(line)

    def places(self) -> dict[str, int]:
        """Tell the cell of everybody alive."""
        return {row.person: row.cell for row in self._people}

    @property
    def unsearched(self) -> int:
        """The number of open cells that are not searched."""
        return self.open_cells - self._searched

    def list_choices(self) -> list[MayGoRow]:
        """List the legal moves of everybody alive."""
        self.live.play(["choices"])
        return self.live.news(MayGoRow)

    def result(self) -> dict[str, int | bool]:
        """Make the result, with the keys that ``check`` uses."""
        costars, extras, _ = self._living
        counts = {"turns": self.turn, "costars": costars, "extras": extras}
        return {**counts, "finished": self.finished}

    def progress(self) -> str:
        """Say how much is searched, and how many are alive."""
        share = 100 * self._searched // self.open_cells
        return f"{super().progress()}, {share} % searched, {len(self._people)} alive"

    def board(self) -> Board:
        """Make the board that the bot is told, with the people on it; the star is in the middle."""
        rows = list(map("".join, self._rows))
        middle = (0, 0)
        # Of the people who share a cell the first by name is seen: the star is before all others.
        for row in reversed(self._people):
            x, y = self._map.place(row.cell)
            rows[y] = f"{rows[y][:x]}{row.person}{rows[y][x + 1 :]}"
            middle = y, x
        return Board(rows, middle)
