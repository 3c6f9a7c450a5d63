"""Claimed scores of a board, compared with the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kb_score.engine.rules import Answer, GameRules
from kb_score.errors import InputError, KbScoreError
from kb_score.games.kingdom_builder.board import Board, is_game, parse_board, read_boards
from kb_score.games.kingdom_builder.play.check import check_game
from kb_score.games.kingdom_builder.records import Claim, claim_facts, read_claims
from kb_score.games.kingdom_builder.rules import (
    CHECK,
    PLAYERS,
    AccountsForRow,
    Card,
    PlayerRow,
    Rules,
    WrongRow,
    bound,
    check_bounds,
    load_rules,
)
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from kb_score.games.schema import read_result
from kb_score.shell.verdict import Verdict, Violation


def check_claims(
    board: Board,
    claims_text: str,
    rules: Rules,
    *,
    name: str = "<claims>",
    players: int | None = None,
) -> Verdict:
    """Check claimed scores of a board, with a violation for each player and line that differs.

    See `records.read_claims` for the claims, and `Board.facts_for` for the number of players.
    """
    facts = board.facts_for(players)
    present = sorted(row.player for row in rules.game.ask(PLAYERS, facts).read(PlayerRow))
    claims = read_claims(claims_text, rules.cards, len(present), name=name)
    claimed = {**facts, **claim_facts(claims, present)}
    answer = check_bounds(rules.game.ask(bound(CHECK, rules.game), claimed))
    by_line = {claim.place.line: claim for claim in claims}
    return Verdict(
        game="kingdom-builder",
        record=name,
        result=read_result(answer, "claims", "wrong"),
        claimed=None,
        in_turns=False,
        violations=tuple(_say_violations(answer, by_line, rules.cards)),
    )


def check_files(rules: GameRules, *files: tuple[str, str]) -> Any:
    """Check a game, score the boards of a file, or check a second file's claims about its board."""
    (name, text), *claims = files
    if not claims and is_game(text):
        return check_game(text, rules, name=name)
    loaded = load_rules(rules)
    if not claims:
        boards = list(read_boards(text, name=name))
        bad = [board for board in boards if isinstance(board, KbScoreError)]
        good = (board for board in boards if isinstance(board, Board))
        found = [*bad, *score_boards(good, Scorer(loaded))]
        for error in found:
            if isinstance(error, KbScoreError):
                raise error
        return found
    if len(claims) > 1:
        raise InputError(claims[1][0], "a board and its claims are two files, not more")
    board = parse_board(text, name=name)
    return check_claims(board, claims[0][1], loaded, name=claims[0][0])


def _say_violations(
    answer: Answer, claims: Mapping[int, Claim], cards: Sequence[Card]
) -> Iterator[Violation]:
    numbers = {card.name: card.number for card in cards}
    names = {card.number: card.name for card in cards}
    culprits = {
        row.player: f"card {numbers[row.card]} ({row.card}), player {row.player}: "
        f"{row.claimed} claimed, {row.derived} derived"
        for row in answer.read(AccountsForRow)
    }
    for line, player, claimed, derived in sorted(answer.read(WrongRow)):
        claim = claims[line]
        shown = " ".join(map(str, claim.numbers))
        kind = f"cards {shown}" if claim.is_total else f"card {shown} ({names[claim.numbers[0]]})"
        detail = f"{kind}, player {player}: {claimed} claimed, {derived} derived"
        if claim.is_total and player in culprits:
            total = f"total {claimed} claimed, {derived} derived"
            detail = f"{culprits[player]}; line {line}, {kind}: {total}"
        yield Violation("wrong-claim", detail, who=f"player {player}")
