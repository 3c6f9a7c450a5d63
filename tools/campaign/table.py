"""The table of a campaign: a row a kind, a column a defect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tools.campaign.judge import DEFECTS, Seen

_FIRST = ("cases", "results", "refusals", "skipped")


class Tally:
    """Counts what was seen, by kind."""

    def __init__(self, kinds: Iterable[str]) -> None:
        """Begin with no case of any kind."""
        self.counts: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}

    def add(self, kind: str, seen: Seen | None, defects: Iterable[str]) -> None:
        """Count a case; None is one that was skipped."""
        count = self.counts[kind]
        count["cases"] += 1
        if seen is None:
            count["skipped"] += 1
            return
        count["results"] += seen.status in (0, 1)
        count["refusals"] += seen.status == 2
        count.update(list(defects))

    @property
    def defects(self) -> int:
        """How many defects there are in all."""
        return sum(count[defect] for count in self.counts.values() for defect in DEFECTS)

    def write(self) -> str:
        """Lay the table out."""
        total = sum(self.counts.values(), Counter())
        rows = [(kind, count) for kind, count in self.counts.items() if count["cases"]]
        columns = (*_FIRST, *DEFECTS)
        lines: list[tuple[str, ...]] = [("", *columns)]
        lines += [
            (kind, *(str(count[column]) for column in columns))
            for kind, count in [*rows, ("all", total)]
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
            for line in lines
        )
