"""Two versions of a card: the smallest board on which they pay differently, or up to where none is.

Sizes are tried in order of their longer side, then of their hexes, and on each 1 player, then 2 and
so on. What stands on each hex is chosen by the rules in asp/kingdom_builder/search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from kb_score.engine.program import Program, Statement, plain_head
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Facts, Name, predicate_of
from kb_score.engine.versions import pair_versions
from kb_score.errors import RuleError, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import HIDDEN, PLAYERS, Board, Notation, load_notation
from kb_score.games.kingdom_builder.rules import GAME, find_heads, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board, draw_hexes, explain, report_evidence
from kb_score.shell.output import Block, Output, Table, Text, render, show_progress

Size = tuple[int, int]  # rows and columns

_LONGEST = 20  # no game is played on a larger board
_SECONDS = 60.0  # of a search, if nothing else is said
# clasp's way to search that was fastest on the trials of docs/compare.md.
_OPTIONS = ("--configuration=handy",)
_STANDS = predicate_of(asp.StandsRow)
_SCORE, _CARD, _GOLD = map(predicate_of, (asp.ScoreRow, asp.Card, asp.GoldRow))


def list_sizes(longest: int = _LONGEST) -> Iterator[Size]:
    """List the sizes of boards that can be halved, in the order in which they are tried."""
    for side in range(2, longest + 1, 2):
        for other in range(2, side, 2):
            yield from ((other, side), (side, other))
        yield side, side


def load_version(rules: GameRules, *, valid: bool = False) -> Program:
    """Load one version of the rules for a `Comparer`; a changed copy of it is another one."""
    return rules.whole_program(Use(f"board score open cards/*{' valid' * valid}"))


@dataclass
class Comparer:
    """Looks for the smallest board on which two versions of a card pay differently.

    The boards are of the given sizes, in this order, with up to so many players, each with a
    settlement. A RuleError of `is_same` or `run` says why the versions cannot be compared.
    """

    card: str
    before: Program
    after: Program
    players: int = 2
    sizes: Sequence[Size] = tuple(list_sizes())
    valid: bool = False  # only boards that a game can have, but for their size
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    notation: Notation = field(default_factory=load_notation)
    board: Board | None = None  # where the versions differ
    fewest: bool = False  # no board of its size with as few players holds fewer things
    proved: list[Size] = field(default_factory=list)  # the versions pay the same on all such boards

    @cached_property
    def is_same(self) -> bool:
        """Whether the same rules decide what both versions pay."""
        return self._pair[1]

    @property
    def reached(self) -> Size | None:
        """The largest size up to which the versions pay the same on any board."""
        done = set(self.proved)
        inner = {s: {t for t in self.sizes if t[0] <= s[0] and t[1] <= s[1]} for s in done}
        return max(
            (s for s in done if inner[s] <= done), key=lambda s: (s[0] * s[1], s), default=None
        )

    def run(self) -> None:
        """Search until a smallest board is found, or all sizes are done, or the time is over."""
        with suppress(TimeUp):
            for size in () if self.is_same else self.sizes:
                for players in range(1, self.players + 1):
                    if self._find(size, players):
                        self.fewest = True
                        return
                self.proved.append(size)

    @cached_property
    def _pair(self) -> tuple[Program, bool]:
        both, doubled = pair_versions(*(_only(self.card, p) for p in (self.before, self.after)))
        compare = GameRules(GAME).whole_program(Use("compare"))
        return (both + compare).without_unused(), _SCORE not in doubled

    def _find(self, size: Size, players: int) -> bool:
        """Look for the board with the fewest things; tell whether there is one."""
        proved = f"; {say_proved(self)}" if self.reached else ""
        show_progress(f"boards of {_say(size, players)}{proved}")
        empty = Board(self.card, ((HIDDEN,) * size[1],) * size[0], notation=self.notation)
        facts = self._make_facts(empty, set(PLAYERS[players:]))
        search = AnswerSearch(self._pair[0], facts, _STANDS, self.deadline, _OPTIONS)
        is_found = False
        for answer in search.find():
            is_found, self.board = True, empty.fill(answer.read(asp.StandsRow))
            show_progress(f"a board of {_say(size, players)} found; looking for a simpler one")
        return is_found

    def _make_facts(self, empty: Board, absent: Set[str]) -> Facts:
        """Make the facts of a search for what stands on an empty board, without some players."""
        program, notation, card = self._pair[0], empty.notation, Name(self.card)
        known = (s for s in (*notation.alone, *notation.pairs) if absent.isdisjoint(s))
        symbols = notation.leave_out_alike(
            (s for s in known if s[0] != "." or s == "."), program.asked
        )
        places = [(r, c) for r in range(empty.height) for c in range(empty.width)]
        return {
            **empty.facts,
            **notation.open_facts(symbols),
            "open": places,
            "may_stand": [(*place, symbol) for place in places for symbol in symbols],
            "weighs": [(symbol, len(symbol.strip("."))) for symbol in symbols],
            "card": [(card, 0, "")],
            "two_versions": [(card,)],
            **({"sound": [()]} if self.valid else {}),
        }


def _only(card: str, program: Program) -> Program:
    """Leave out what cards say, and what others pay, unless not only the sums ask for that."""
    others = {str(head.arguments[0]) for head, _ in find_heads(_CARD, program)} - {card}
    if any(_GOLD in s.body and _SCORE not in s.heads for s in program.statements):
        others = set()

    def stays(statement: Statement) -> bool:
        head = plain_head(statement) if _GOLD in statement.heads else None
        return _CARD not in statement.heads and not (head and str(head.arguments[0]) in others)

    # A user's rule that does not bear on the card does not matter.
    kept = (replace(s, is_users=False) for s in program.statements if stays(s))
    return replace(program, statements=tuple(kept))


def compare_rules(
    name: str, before: GameRules, after: GameRules, *, players: int, valid: bool
) -> Comparer:
    """Make the comparison of a card in two versions of the rules.

    A RuleError says that one of them has no such card, or that no change bears on it.
    """
    card, words = load_rules(before).find_card(name), visible(" ".join(after.changes.words()))
    if all(card != other.name for other in load_rules(after).cards):
        raise RuleError(f"there is no card {card} with {words}")
    first, second = (load_version(rules, valid=valid) for rules in (before, after))
    deadline = Deadline(after.changes.limits.seconds or _SECONDS)
    notation = load_notation(after)
    found = Comparer(
        card, first, second, players, valid=valid, deadline=deadline, notation=notation
    )
    kept = (s for s in _only(card, second).without_unused().statements if s.heads)
    if found.is_same and {*after.changes.paths}.isdisjoint(
        s.node.location.begin.filename for s in kept
    ):
        raise RuleError(f"nothing in {words} bears on the card {card}")
    return found


def report_comparison(found: Comparer, before: GameRules, after: GameRules) -> Output:
    """Lay out a board and the evidence of both versions for whom they differ, or what is proved."""
    board, size, number = found.board, found.reached or (None, None), found.players
    said, blocks, paid = say_proved(found), list[Block](), dict[str, list[int]]()
    if board is not None:
        size, number = (board.height, board.width), len({*PLAYERS} & {*str(board)})
        said = f"the versions differ on a board of {_say(size, number)}"
        said += "" if found.fewest else "; there may be a simpler one"
        drawing = draw_board(board, load_rules(before))
        blocks.append(draw_hexes(drawing))
        told = {
            version: explain(board, load_rules(rules), cards=[found.card])
            for version, rules in (("before", before), ("after", after))
        }
        paid = {version: [one.gold for one in some] for version, some in told.items()}
        pairs = zip(*paid.values(), strict=True)
        differing = [at for at, (one, other) in enumerate(pairs) if one != other]
        for version, some in told.items():
            card = some[0].card._replace(name=f"{version}: {found.card}")
            shown = [replace(some[at], card=card) for at in differing]
            blocks += report_evidence(shown, drawing, board.labels).blocks
    colour: Literal["green", "red"] = "green" if board is None and said else "red"
    first = Text(f"{found.card}: ", outcome=said or "nothing was proved", colour=colour)
    line = {"name": found.card, "differ": board is not None, "rows": size[0], "columns": size[1]}
    line |= {"players": number, **paid}
    table = Table("", tuple(line), (tuple(map(render, line.values())),))
    if board is not None:
        line |= {"board": str(board), "fewest": found.fewest}
    return Output([first, *blocks], [line], table)


def say_proved(found: Comparer) -> str:
    """Say up to which size the versions pay the same; empty if that is not known of any."""
    if found.is_same:
        return "the same rules decide what both versions pay"
    upto = found.reached and _say(found.reached, found.players)
    return f"no difference on any board up to {upto}: proved" if upto else ""


def _say(size: Size, players: int) -> str:
    return f"{size[0]} x {size[1]} with {players} player{'s' * (players != 1)}"
