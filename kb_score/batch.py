"""Many boards: what they are scored by, in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from kb_score.board import Board
from kb_score.cards import load_rules
from kb_score.errors import KbScoreError
from kb_score.rules import NO_CHANGES, Changes
from kb_score.scoring import CHUNK, Scorer, Scores, in_chunks

if TYPE_CHECKING:
    # It takes a while to load, and most boards are scored without it.
    from concurrent.futures import Executor, Future

# So many chunks are handed to an executor ahead of the one whose scores are awaited.
_AHEAD = 64


@dataclass(frozen=True, slots=True)
class Settings:
    """What makes a `Scorer`, small enough to be sent to another process.

    Attributes:
        changes: What the user changes about the rules.
        cards: Names or numbers of the chosen cards, or None.
        combinations: Whether the challenge's 16 games are wanted.
        players: The number of players, or None.
    """

    changes: Changes = NO_CHANGES
    cards: tuple[str, ...] | None = None
    combinations: bool = False
    players: int | None = None


def make_scorer(settings: Settings) -> Scorer:
    """Make a scorer; each process makes it once, and anew when a rule file of the user changes.

    Raises:
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    stamps = tuple((str(path), path.stat().st_mtime_ns) for path in settings.changes.files)
    return _make_scorer(settings, stamps)


@lru_cache(maxsize=16)
def _make_scorer(settings: Settings, _stamps: tuple[tuple[str, int], ...]) -> Scorer:
    rules = load_rules(settings.changes)
    cards = None if settings.cards is None else rules.find_cards(settings.cards)
    return Scorer(rules, cards, settings.combinations, settings.players)


def score_boards(
    boards: Iterable[Board], settings: Settings, executor: Executor | None = None
) -> Iterator[Scores | KbScoreError]:
    """Score boards, in this process or by an executor of any kind.

    Args:
        boards: The boards, drawn as they are needed.
        settings: What to score by.
        executor: Where to do it, such as a ProcessPoolExecutor; None for here.

    Yields:
        For each board in turn its scores, or what is wrong with it.
    """
    if executor is None:
        yield from make_scorer(settings).score_many(boards)
        return
    work: deque[Future[list[Scores | KbScoreError]]] = deque()
    for chunk in in_chunks(boards, CHUNK):
        work.append(executor.submit(_score_chunk, settings, chunk))
        if len(work) == _AHEAD:
            yield from work.popleft().result()
    for done in work:
        yield from done.result()


def _score_chunk(settings: Settings, boards: list[Board]) -> list[Scores | KbScoreError]:
    return list(make_scorer(settings).score_many(boards))
