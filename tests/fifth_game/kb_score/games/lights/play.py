"""Lights as it is played: a bot is told the grid, and answers with a press."""

from kb_score.engine.run import GameRules
from kb_score.engine.terms import Facts
from kb_score.games.lights.records import read_facts, read_press
from kb_score.games.lights.rules import PLAY, LitRow
from kb_score.games.referee import LiveGame
from kb_score.grammar import parse


class LightsGame(LiveGame):
    """A game of Lights."""

    def __init__(self, rules: GameRules, text: str, name: str) -> None:
        facts = read_facts(text, name)
        self._rows, self._columns = (range(int(str(n))) for n in facts["size"][0])
        super().__init__(rules.program(PLAY), facts)

    def look(self) -> None:
        """Note which lights are on."""
        self._lit = {(row, column) for row, column, _ in self.live.news(LitRow)}

    def tell(self) -> str:
        """Write the grid, and an empty line."""
        grid = [["*" if (r, c) in self._lit else "." for c in self._columns] for r in self._rows]
        return "".join("".join(row) + "\n" for row in grid) + "\n"

    def read(self, line: str) -> Facts:
        """Read a press."""
        (token,) = parse("lights", line, name="the answer", start="answer").children
        return {"press": [read_press(token, line, "the answer")]}

    def result(self) -> dict[str, object]:
        """Count the lights that are on."""
        return {"turns": self.turn, "lights": len(self._lit), "finished": self.finished}
