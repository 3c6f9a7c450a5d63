"""What one hex of a Kingdom Builder board pays, and why a card pays nothing for it, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from clingo import Function, Number, Symbol

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import Words
from kb_score.engine.rules import Answer, Asked, GameRules, Use
from kb_score.engine.terms import Facts, predicate_of, to_value
from kb_score.errors import InputError, write_count
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Hex
from kb_score.games.kingdom_builder.rules import Card
from kb_score.games.kingdom_builder.scoring import Row, describe_reason
from kb_score.games.labels import Labels
from kb_score.reasons.trace import Pattern, Reasons, signature_of
from kb_score.reasons.trees import WhyNode
from kb_score.reasons.why import open_reasons
from kb_score.reasons.why_not import WhyNot
from kb_score.shell.output import Block, Output, Table, Text

_PAIR = re.compile(r"\((\d+,\d+)\)")
_SEVERAL = re.compile(r"any of (\d+), such as: (.*)")
_ONLY = re.compile(r"both are (.*), and nothing else fits")
_NEGATIVE = {
    "is": "is not",
    "lies": "does not lie",
    "holds": "does not hold",
    "has": "does not have",
    "pays": "does not pay",
}
_VERB = re.compile(rf"\b(?:{'|'.join(_NEGATIVE)})\b")
# At most this many of the things that a card pays for instead are named.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class HexPayment:
    """What a card pays a player for one hex, or why it pays nothing.

    Attributes:
        hex: The row and the column.
        supposed: Whether the player's settlement on the hex is only supposed.
        gold: The gold of all payments that the hex counts for; other hexes may share them.
        why: What is paid for, or why the hex does not count, in words.
        rule: The file and the line of the rule whose condition fails; None if it is not that of
            one rule.
    """

    board: str
    hex: Hex
    player: int
    supposed: bool
    card: str
    counts: bool
    gold: int
    why: str
    rule: str | None


class _Finding(NamedTuple):
    """What a card pays for the hex, or why it pays nothing."""

    gold: int
    why: str
    rule: str | None = None
    counts: bool = False
    lacks_settlement: bool = False


@dataclass(frozen=True, slots=True)
class HexQuestion:
    """A question about one hex of a board, or of a game at its end.

    The use scores with the file hex.lp. ``find_cards`` returns the cards to explain.
    """

    rules: GameRules
    use: Use
    facts: Facts
    name: str
    labels: Labels
    find_cards: Callable[[Answer], Sequence[Card]]

    def explain(self, place: Hex, player: int | None) -> Output:
        """Return what each card pays for a hex, and why the others pay nothing.

        Without a player, the owner of the hex is meant, or else each player. It is an InputError if
        there is no such hex, or if the player has no settlement on the board.
        """
        row, column = place
        facts = {**self.facts, "hex_asked": [place]}
        asked = self._ask(facts)
        answer = asked.answer
        players = sorted({player for _, player, _ in answer["concerns"]})
        if not answer["hex_on_board"]:
            raise InputError("--hex", f"there is no hex {row},{column} on the board of {self.name}")
        if player is not None and player not in players:
            raise InputError(self.name, f"player {player} has no settlement on it")
        owners = [player for (player,) in answer["hex_owner"]]
        is_vacant = bool(answer["hex_vacant"])
        shown = players if player is None else [player]
        if player is None and owners:
            shown = owners
        what = _describe_hex(answer)
        if owners:
            what += f", a settlement of {self.labels.name(owners[0])}"
        elif is_vacant:
            what += ", no settlement"
        else:
            what += ", nobody can build there"
        blocks: list[Block] = [Text(f"hex {row},{column}: {what}", "heading")]
        cards = self.find_cards(answer)
        payments: list[HexPayment] = []
        for each in shown:
            question = asked
            if is_vacant:
                question = self._ask({**facts, "hex_supposed": [(each,)]})
            reader = _HexReader(question, self._words, place, each)
            found = [(card.name, reader.explain(card)) for card in cards]
            for card, finding in found:
                payments.append(
                    HexPayment(
                        board=self.name,
                        hex=place,
                        player=each,
                        supposed=is_vacant,
                        card=card,
                        counts=finding.counts,
                        gold=finding.gold,
                        why=self.labels.put(finding.why),
                        rule=finding.rule,
                    )
                )
            name = self.labels.name(each)
            rows = _list_rows(found, is_short=not owners)
            if rows:
                title = f"if {name} had a settlement there" if is_vacant else name
                blocks.append(self.labels.put(Table(title, ("card", "gold", "why"), rows)))
            else:
                blocks.append(Text(f"no card pays {name} for it"))
        return Output(blocks, map(asdict, payments), _list_payments(payments))

    def _ask(self, facts: Facts) -> Asked:
        asked: list[Asked] = []
        replace(self.rules, listener=asked.append).ask(self.use, facts)
        return asked[-1]

    @property
    def _words(self) -> Words:
        ours, users = list_rule_files(self.rules.game, self.rules.changes)
        return Words([*ours, *users])


def _describe_hex(answer: Answer) -> str:
    kinds = [kind for (kind,) in answer["hex_ground"]]
    return " and ".join(kinds) or "land"


def _list_rows(found: Sequence[tuple[str, _Finding]], *, is_short: bool) -> tuple[Row, ...]:
    """Return a row for each card; a short list omits those that only lack a settlement."""
    rows: list[Row] = []
    for card, finding in found:
        if finding.counts:
            rows.append((card, finding.gold, finding.why))
        elif not is_short or not finding.lacks_settlement:
            rows.append((card, finding.gold, f"does not count: {finding.why}"))
    return tuple(rows)


def _list_payments(payments: Sequence[HexPayment]) -> Table:
    """Return the table for CSV."""
    rows: list[Row] = []
    for payment in payments:
        counts = "yes" if payment.counts else "no"
        place = (payment.board, *payment.hex, payment.player, payment.card)
        rows.append((*place, counts, payment.gold, payment.why))
    columns = ("board", "row", "column", "player", "card", "counts", "gold", "why")
    return Table("", columns, tuple(rows))


class _HexReader:
    """Explains the cards for one hex and one player, in one answer."""

    def __init__(self, asked: Asked, words: Words, place: Hex, player: int) -> None:
        self._reasons: Reasons = open_reasons(asked, words)
        self._player = player
        self._deeds = {row.name for row in asked.answer.read(asp.DeedRow)}
        number = Number(player)
        row, column = map(Number, place)
        self._settlement = Function("settlement", [number, row, column])
        self._says_settlement = words.say(signature_of(self._settlement), [number, row, column])

    def explain(self, card: Card) -> _Finding:
        """Return what a card pays for the hex, or the first condition that fails."""
        about = self._list_concerned(card)
        all_paid = self._list_paid(card)
        paid = [pair for pair in all_paid if pair[0] in about]
        if paid:
            gold = sum(points for _, points in paid)
            reasons = ", ".join(describe_reason(to_value(why)) for why, _ in paid)
            return _Finding(gold, reasons, counts=True)
        if card.name in self._deeds:
            return _Finding(0, "it pays during the game, for other things done in a turn")
        gold_atom = predicate_of(asp.GoldRow)
        first = (Function(card.name), Number(self._player))
        why_not = WhyNot(self._reasons, depth=1, width=1)
        nearest = why_not.find_nearest(Pattern(gold_atom, (*first, why, None)) for why in about)
        held = nearest.held if nearest is not None else 0
        if not self._reasons.holds(self._settlement):
            needs_it = nearest is None or str(self._settlement) in nearest.atoms
            if not held or needs_it:
                return _Finding(0, _negate(self._says_settlement), lacks_settlement=True)
        is_compared = nearest is not None and _is_compared(nearest.node.because[0])
        if all_paid and (not held or is_compared):
            return _Finding(0, f"it pays player {self._player} for {_list_some(all_paid)}")
        if not held:
            nearest = why_not.find_nearest([Pattern(gold_atom, (*first, None, None))])
        if nearest is None:
            return _Finding(0, f"it pays player {self._player} nothing")
        return _Finding(0, _describe(nearest.node.because[0]), str(nearest.node.origin))

    def _list_concerned(self, card: Card) -> list[Symbol]:
        """Return what a card might pay the player for that has to do with the hex."""
        asked = (Function(card.name), Number(self._player))
        rows = [atom.arguments for atom in self._reasons.atoms(("concerns", 3))]
        return [why for name, player, why in rows if (name, player) == asked]

    def _list_paid(self, card: Card) -> list[tuple[Symbol, int]]:
        """Return what a card pays the player for, and how much."""
        asked = (Function(card.name), Number(self._player))
        rows = [atom.arguments for atom in self._reasons.atoms(predicate_of(asp.GoldRow))]
        return [
            (why, points.number) for name, player, why, points in rows if (name, player) == asked
        ]


def _is_compared(failing: WhyNode) -> bool:
    """Return whether a comparison of numbers fails, such as one with the highest."""
    return failing.kind == "fails" and not failing.because and "#" in failing.atom


def _list_some(paid: Sequence[tuple[Symbol, int]]) -> str:
    shown: list[str] = []
    for why, gold in paid[:_NAMED]:
        reason = describe_reason(to_value(why))
        shown.append(reason if gold else f"{reason} (0 gold)")
    if len(paid) > _NAMED:
        shown.append("...")
    return ", ".join(shown)


def _describe(failing: WhyNode) -> str:
    """Return in words that a condition fails."""
    says = failing.says or failing.atom
    if failing.kind in ("lacking", "missing", "again"):
        several = _SEVERAL.fullmatch(says)
        if several is None:
            return _negate(says)
        number, example = several.groups()
        others = write_count(int(number) - 1, "other case")
        return f"{_negate(example)}; the same goes for {others}"
    if failing.because:
        holding = failing.because[0]
        return _clean(holding.says or holding.atom)
    only = _ONLY.fullmatch(failing.says)
    if only is not None:
        return _clean(f"it needs two different places, but there is only {only[1]}")
    said = f" ({failing.says})" if failing.says else ""
    return f"its rule needs {failing.atom}{said}"


def _negate(sentence: str) -> str:
    """Return that a sentence is not so."""
    sentence = _clean(sentence)
    if len(_VERB.findall(sentence)) == 1:
        return _VERB.sub(lambda found: _NEGATIVE[found[0]], sentence)
    return f"not so: {sentence}"


def _clean(sentence: str) -> str:
    """Return a sentence that begins in lower case, with hexes as people write them."""
    sentence = _PAIR.sub(r"\1", sentence)
    return sentence[:1].lower() + sentence[1:]
