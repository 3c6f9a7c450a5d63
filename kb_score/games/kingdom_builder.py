"""Kingdom Builder as a game that can be cross-checked: claimed scores against a board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from kb_score.board import Board, parse_board
from kb_score.cards import Rules, load_rules
from kb_score.claims import Claim, claim_facts, parse_claims
from kb_score.command import (
    format_option,
    in_order,
    players_option,
    print_verdict,
    read_inputs,
    rules_options,
)
from kb_score.findings import as_int
from kb_score.program import Signature
from kb_score.rules import Changes
from kb_score.solve import Answer, solve_unique
from kb_score.terms import Facts, Value
from kb_score.verdict import Verdict, Violation

_PLAYER: Signature = ("player", 1)
_WRONG: Signature = ("wrong", 4)
_EXPLAINS: Signature = ("explains", 4)


def check_claims(
    board: Board,
    claims_text: str,
    rules: Rules,
    *,
    name: str = "<claims>",
    players: int | None = None,
) -> Verdict:
    """Check claimed scores of a board.

    Args:
        board: The board.
        claims_text: The claims, see `kb_score.claims.parse_claims`.
        rules: The rules.
        name: What errors and the verdict call the claims, usually their path.
        players: The number of players, or None for everybody with a settlement.

    Returns:
        The verdict: a violation for each player and line that differs from the rules.

    Raises:
        FormatError: The claims cannot be read.
        BoardError: There are no claims.
        RuleError: The rules fail on the board.
    """
    facts = board.facts_for(players)
    asked = rules.program.asked_for([_PLAYER])
    present = sorted(as_int(p) for (p,) in solve_unique(asked, facts, [_PLAYER])[_PLAYER])
    claims = parse_claims(claims_text, rules, len(present), name=name)
    wanted = (_WRONG, _EXPLAINS)
    program = rules.program.asked_for(wanted)
    answer = solve_unique(program, {**facts, **claim_facts(claims, present)}, wanted)
    lines = {line for line, *_ in answer[_WRONG]}
    return Verdict(
        game="kingdom-builder",
        record=name,
        result={"claims": len(claims), "wrong": len(lines)},
        claimed=None,
        in_turns=False,
        violations=_violations(answer, {claim.place.line: claim for claim in claims}, rules),
    )


FACTS_OF = "a board"


def recognises(text: str) -> bool:
    """Whether a text looks like a Kingdom Builder board."""
    lines = (line.strip() for line in text.splitlines())
    rows = [line for line in lines if line and not line.startswith("%")]
    return bool(rows) and not set("".join(rows)) - set(" \t.WMTC1234")


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a board."""
    return parse_board(text, name=name).facts


def _violations(answer: Answer, claims: Mapping[int, Claim], rules: Rules) -> tuple[Violation, ...]:
    names = {card.number: card.name for card in rules.cards}
    numbers = {card.name: card.number for card in rules.cards}
    culprits: dict[Value, list[str]] = {}
    for card, player, claimed, derived in answer[_EXPLAINS]:
        words = (
            f"card {numbers[str(card)]} ({card}), player {player}: "
            f"{claimed} claimed, {derived} derived"
        )
        culprits.setdefault(player, []).append(words)
    found = []
    for line, player, claimed, derived in sorted(answer[_WRONG], key=_by_line):
        claim = claims[as_int(line)]
        cards = " ".join(map(str, claim.numbers))
        if claim.is_total:
            detail = f"cards {cards}, player {player}: {claimed} claimed, {derived} derived"
        else:
            card = names[claim.numbers[0]]
            detail = f"card {cards} ({card}), player {player}: {claimed} claimed, {derived} derived"
        blamed = culprits.get(player, [])
        # Several cards that would each explain it explain nothing.
        if claim.is_total and len(blamed) == 1:
            total = f"total {claimed} claimed, {derived} derived"
            detail = f"{blamed[0]}; line {line}, cards {cards}: {total}"
        found.append(Violation("wrong-claim", detail, who=f"player {player}"))
    return tuple(found)


def _by_line(row: Sequence[Value]) -> tuple[int, int]:
    return as_int(row[0]), as_int(row[1])


@click.command(
    "kingdom-builder",
    short_help="The claimed scores of a board.",
    epilog="Example: kb-score check kingdom-builder game.txt claims.txt",
)
@click.argument("board")
@click.argument("claims")
@players_option
@format_option
@rules_options
@click.pass_context
def check(
    context: click.Context,
    board: str,
    claims: str,
    players: int | None,
    format_: str,
    changes: Changes,
) -> None:
    """Cross-check the scores that CLAIMS has of BOARD.

    CLAIMS has lines such as "1 3 7  52 46 43 62" (three cards, then a total for each player) or
    "miners: 4, 12, 11, 4". One of the two files may be "-", standard input.
    """
    rules = load_rules(changes)
    board_text, claims_text = read_inputs(board, claims)
    with in_order(swapped=recognises(claims_text)):
        read = parse_board(board_text, name=board)
    verdict = check_claims(read, claims_text, rules, name=claims, players=players)
    context.exit(print_verdict(verdict, format_))


COMMANDS: Mapping[str, click.Command] = {"check": check}
