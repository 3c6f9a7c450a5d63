"""The fewest turns in which everybody survives a search: plans, and bounds that none can beat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from kb_score.engine.aside import Deadline, TimeUp
from kb_score.engine.run import LimitError
from kb_score.engine.solve import solve_each
from kb_score.games.search_party.check import check_record
from kb_score.games.search_party.maps import read_map
from kb_score.games.search_party.records import read_record
from kb_score.games.search_party.rules import GAME, SOLVE, MoveRow
from kb_score.games.search_party.scout import Scout

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Answer, Facts

# So many marks are enough to tell the regions of a map apart; each makes the search larger.
_MARKS = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that the rules accept, and what comes of it."""

    text: str
    turns: int
    costars: int
    extras: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of a map.

    Attributes:
        map_: What errors call the map, usually its path.
        bound: No plan in which everybody survives has fewer turns; None if the map is not known.
        plan: The best plan so far, if there is one.
        stopped: Why the search stopped before its end; empty if it did not.
    """

    map_: str
    bound: int | None = None
    plan: Plan | None = None
    stopped: str = ""

    @property
    def proved(self) -> bool:
        """Whether no plan can be better."""
        return self.plan is not None and self.plan.turns == self.bound

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        plan = self.plan
        return {
            "game": GAME.replace("_", "-"),
            "map": self.map_,
            "turns": plan and plan.turns,
            "lower_bound": self.bound,
            "proved": self.proved,
            "costars": plan and plan.costars,
            "extras": plan and plan.extras,
            "plan": plan and plan.text,
        }


class Search:
    """Looks for a plan of the fewest turns.

    Attributes:
        finding: What is known so far; any thread may read it at any time.
    """

    def __init__(
        self, rules: GameRules, text: str, name: str, tell: Callable[[Finding], object]
    ) -> None:
        """Read a map; ``tell`` is called with whatever is found.

        Raises:
            KbScoreError: The text is no map.
        """
        self._map = read_map(text, name)
        self.finding = Finding(name)
        self._rules, self._tell = rules, tell
        self._deadline = Deadline(rules.changes.limits.seconds)

    def run(self) -> None:
        """Search until a plan is proved to be the best, or a limit is reached.

        Raises:
            InputError: The map is not valid for this game, or no walk sees all of it.
            RuleError: Something is wrong with the user's rules.
        """
        try:
            self._run()
        except (TimeUp, LimitError):
            self._find(stopped=self._explain())

    def _run(self) -> None:
        scout = Scout(self._rules, self._map, self._deadline.check)
        bound, last = scout.reach()
        self._find(bound=bound)
        self._take(scout.walk())
        if self.finding.proved:
            return
        facts = {**self._map.facts(), "away": list(scout.mark(last, _MARKS))}
        for turns in count(bound):
            answer = self._ask({**facts, "horizon": [(turns,)]})
            if answer is not None:
                rows = sorted(answer.read(MoveRow))
                self._take([[r[:2] for r in rows if r.turn == t] for t in range(1, turns + 1)])
                if not self.finding.proved:
                    # A user's rules may say of a record what they do not say of a turn.
                    refused = f"stopped: a plan of {turns} turns is found, but no check accepts it"
                    self._find(stopped=refused)
                return
            self._find(bound=turns + 1)
            if self.finding.proved:
                return

    def _ask(self, facts: Facts) -> Answer | None:
        """Ask the rules for a plan, in the time that is left; None if there is none."""
        self._deadline.check()
        limits = replace(self._rules.changes.limits, seconds=self._deadline.left)
        program = replace(self._rules.program(SOLVE), limits=limits)
        return next(iter(solve_each(program, facts, ["--models=1"])), None)

    def _explain(self) -> str:
        """Say at which limit the search has stopped."""
        limits = self._rules.changes.limits
        if self._deadline.is_over:
            return f"stopped after {limits.seconds:g} seconds (--limit-seconds)"
        return (
            f"stopped: the next step takes more than {limits.memory} MiB of memory (--limit-memory)"
        )

    def _take(self, moves: Sequence[Sequence[tuple[str, int]]]) -> None:
        """Take a plan, the moves of each turn, if by the rules everybody survives it."""
        cast, turns = (self._map.costars, self._map.extras), len(moves)
        lines = [" ".join(f"{who}{direction}" for who, direction in some) + "." for some in moves]
        lines.append(" ".join(map(str, (turns, *cast))))
        text = "".join(f"{line}\n" for line in lines)
        # The rules judge what the plan claims: who is alive at its end.
        verdict = check_record(self._rules, self._map, read_record(text, "the plan", self._map))
        if verdict.consistent:
            self._find(plan=Plan(text, turns, *cast))
        elif verdict.result["finished"] and verdict.result["turns"] < turns:
            # Somebody on the way to the last cells has seen them earlier.
            self._take(moves[: verdict.result["turns"]])

    def _find(self, **news: Any) -> None:
        self.finding = replace(self.finding, **news)
        self._tell(self.finding)
