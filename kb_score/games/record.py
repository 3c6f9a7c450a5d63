"""Kinds of records: the rules that judge each kind, and the values read from their answer.

A game reads the text of a record, and lists its kinds of records. `check` and `follow` work for the
kinds of all games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.rulings import apply_rulings, note_rulings
from kb_score.games.schema import judge

if TYPE_CHECKING:
    from kb_score.engine.rules import Answer, GameRules, Use
    from kb_score.engine.terms import Facts
    from kb_score.games.match import File
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict

_Record = TypeVar("_Record")
# Reads a record from the files of a check: the maps, then the record. A map alone may be a record
# without a turn.
Reader: TypeAlias = "Callable[[GameRules, Sequence[File]], _Record]"


class RecordKind(Generic[_Record]):
    """A kind of record of a game.

    A kind whose records need one query to the rules implements `use` and `facts`, and extends its
    verdict in `make_verdict`. A kind that needs several queries overrides `ask`, or `judge` and
    `follow`.

    Attributes:
        game: The game, by its folder in asp/.
        type: The class of the records.
        keys: The keys of the result, in the order of the JSON.
        caption: The caption of the picture of the first violation, with {turn} for its turn.
        turn_caption: The caption of each picture of a replay, with {turn} for its turn.
    """

    game: str
    type: type[Any]
    keys: tuple[str, ...] = ()
    caption: str = "turn {turn}:"
    turn_caption: str = "turn {turn}"

    def recognises(self, record: object) -> bool:
        """Return whether a record that was read is of this kind."""
        return isinstance(record, self.type)

    def use(self, record: _Record) -> Use:
        """Return the rules that judge the record."""
        raise NotImplementedError

    def facts(self, record: _Record) -> Facts:
        """Return the facts of the record."""
        raise NotImplementedError

    def claimed(self, _record: _Record, _answer: Answer) -> Mapping[str, Any] | None:
        """Return the result that the record claims, by the JSON's keys; None if there is none."""
        return None

    def ask(self, rules: GameRules, record: _Record, *more: str) -> Answer:
        """Ask the rules, and more rule files such as those for pictures, about the record."""
        use = self.use(record).plus(*more)
        return rules.ask(use, self.facts(record))

    def make_verdict(self, answer: Answer, record: _Record, name: str) -> Verdict:
        """Return the verdict on the record, which has a name in messages."""
        return judge(
            self.game,
            name,
            answer,
            *self.keys,
            claimed=self.claimed(record, answer),
            caption=self.caption,
        )

    def judge(self, rules: GameRules, record: _Record, name: str) -> Verdict:
        """Return the verdict on the record."""
        return self.make_verdict(self.ask(rules, record), record, name)

    def follow(self, rules: GameRules, record: _Record, name: str) -> Replay:
        """Return pictures of each turn of the record."""
        answer = self.ask(rules, record, REPLAY)
        verdict = self.make_verdict(answer, record, name)
        return make_replay(verdict, [Window(0, answer, self.turn_caption)])


def check(
    read: Reader[_Record],
    kinds: Sequence[RecordKind[Any]],
    rules: GameRules,
    files: Sequence[File],
    *,
    has_free_lines: bool = True,
) -> Verdict:
    """Return the verdict on a record of one of the kinds, whose rulings apply if none are set.

    The files are the maps, then the record. See `kb_score.games.rulings.apply_rulings` for the free
    lines.
    """
    applied = apply_rulings(rules, *files, has_free_lines=has_free_lines)
    kind, record = _read_kind(read, kinds, applied, files)
    name, _ = files[-1]
    verdict = kind.judge(applied, record, name)
    return note_rulings(verdict, rules, applied)


def follow(
    read: Reader[_Record],
    kinds: Sequence[RecordKind[Any]],
    rules: GameRules,
    files: Sequence[File],
    *,
    has_free_lines: bool = True,
) -> Replay:
    """Draw each turn of a record, or a map alone; the arguments are those of `check`."""
    applied = apply_rulings(rules, *files, has_free_lines=has_free_lines)
    kind, record = _read_kind(read, kinds, applied, files)
    name, _ = files[-1]
    return kind.follow(applied, record, name)


def _read_kind(
    read: Reader[_Record], kinds: Sequence[RecordKind[Any]], rules: GameRules, files: Sequence[File]
) -> tuple[RecordKind[Any], _Record]:
    """Return the kind of a record, and the record."""
    record = read(rules, files)
    kind = next(kind for kind in kinds if kind.recognises(record))
    return kind, record
