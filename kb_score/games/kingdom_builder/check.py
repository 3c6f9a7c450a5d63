"""Games turn by turn, and claimed scores of a board, compared with the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kb_score.engine.query import Query, ask_many, catch
from kb_score.engine.rules import Answer, GameRules
from kb_score.errors import InputError, KbScoreError, unwrap
from kb_score.games.game import File
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Board, is_game, parse_board, read_boards
from kb_score.games.kingdom_builder.claims import Claim, claim_facts, read_claims
from kb_score.games.kingdom_builder.records import GameRecord, Names, load_names, read_game
from kb_score.games.kingdom_builder.rules import Card, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import (
    Row,
    Scorer,
    do_many,
    read_explanations,
    read_gold,
    report_evidence,
    score_boards,
)
from kb_score.games.labels import NO_LABELS, Labels, read_labels
from kb_score.games.record import RecordKind, check, follow
from kb_score.games.replay import Window, make_replay
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import ViolationRow, read_drawing, read_result, read_violations
from kb_score.shell.output import Output, Table, complain
from kb_score.shell.picture import Replay
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.shell.pool import Pool


@dataclass(frozen=True, slots=True)
class Pair:
    """A board and claims about it, or why one of them cannot be used."""

    name: str  # what the claims are called, usually their path
    board: Board | KbScoreError
    claims: str | KbScoreError  # if a program makes them, the text of the board, which it reads


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks claims about boards by given rules; see `Board.facts_for` for the players."""

    rules: Rules
    players: int | None = None
    program: Callable[[str, str], str] | None = None  # from a board's name and text to claims

    def check_together(self, pairs: Sequence[Pair]) -> list[Verdict | KbScoreError]:
        """Check pairs in one grounding, which is faster; return the error of each bad one."""
        return ask_many([catch(self._query, pair) for pair in pairs])

    def _query(self, pair: Pair) -> Query[Verdict]:
        facts = unwrap(pair.board).facts_for(self.players)
        text = unwrap(pair.claims)
        source = pair.name
        if self.program is not None:
            text = self.program(source, text)
            source = f"what it printed for {source}"
        present = self.rules.find_players(facts)
        claims = read_claims(text, self.rules, present, name=source)
        facts = {**facts, **claim_facts(claims, present)}
        read = partial(self._judge, pair, claims)
        return Query(self.rules.game, asp.CHECK, facts, read)

    def _judge(self, pair: Pair, claims: Sequence[Claim], answer: Answer) -> Verdict:
        by_key = {claim.key: claim for claim in claims}
        violations = _list_wrong_claims(answer, by_key, self.rules.cards)
        return Verdict(
            game="kingdom-builder",
            record=pair.name,
            result=read_result(answer, "claims", "wrong"),
            claimed=None,
            in_turns=False,
            violations=tuple(violations),
        )


def check_claims(
    board: Board,
    claims_text: str,
    rules: Rules,
    *,
    name: str = "<claims>",
    players: int | None = None,
) -> Verdict:
    """Check claimed scores of a board: a violation for each player and line that differs."""
    checker = Checker(rules, players)
    pair = Pair(name, board, claims_text)
    (verdict,) = checker.check_together([pair])
    return unwrap(verdict)


def check_pairs(
    pairs: Iterable[Pair], checker: Checker, pool: Pool | None = None
) -> Iterator[Verdict | KbScoreError]:
    """Check claims about many boards, in order; each verdict is named after its claims."""
    # A program takes longer than the rules: its claims are checked as soon as it ends.
    chunk = 1 if checker.program else 16
    return do_many(pairs, checker.check_together, checker.rules, pool, chunk)


def check_files(rules: GameRules, *files: tuple[str, str]) -> Any:
    """Check a game, score the boards of a file, or check a second file's claims about its board."""
    (name, text), *others = files
    if not others and is_game(text):
        return check_game(text, rules, name=name)
    loaded = load_rules(rules)
    if not others:
        boards = list(map(unwrap, read_boards(text, rules, name=name)))
        return list(map(unwrap, score_boards(boards, Scorer(loaded))))
    if len(others) > 1:
        raise InputError(others[1][0], "a board and its claims are two files, not more")
    ((claims_name, claims_text),) = others
    board = parse_board(text, rules, name=name)
    return check_claims(board, claims_text, loaded, name=claims_name)


def _list_wrong_claims(
    answer: Answer, claims: Mapping[int, Claim], cards: Sequence[Card]
) -> Iterator[Violation]:
    """Yield the wrong claims; a wrong total names the card that explains it, if there is one."""
    numbers: dict[str, int] = {}
    names: dict[int, str] = {}
    for card in cards:
        numbers[card.name] = card.number
        names[card.number] = card.name
    culprits: dict[int, str] = {}
    for row in answer.read(asp.AccountsForRow):
        difference = f"{row.claimed} claimed, {row.derived} derived"
        number = numbers[row.card]
        named = f"card {number} ({row.card})"
        culprits[row.player] = f"{named}, player {row.player}: {difference}"
    for wrong in sorted(answer.read(asp.WrongRow)):
        claim = claims[wrong.line]
        difference = f"{wrong.claimed} claimed, {wrong.derived} derived"
        shown = " ".join(map(str, claim.numbers))
        kind = f"{claim.kind} {shown}".rstrip()
        if claim.kind == "total":
            kind = f"cards {shown}"
        elif claim.kind == "card":
            kind += f" ({names[claim.numbers[0]]})"
        who = f"player {wrong.player}"
        detail = f"{kind}, {who}: {difference}"
        if claim.kind == "total" and wrong.player in culprits:
            culprit = culprits[wrong.player]
            detail = f"{culprit}; line {claim.line}, {kind}: total {difference}"
        yield Violation("wrong-claim", detail, who=who)


# Hardly any game has as many turns: it is checked at once.
_AT_ONCE = 250


def check_record(rules: GameRules, files: Sequence[File]) -> Verdict:
    """Check a game, one file: a name and a text; see `check_game`."""
    return check(_read_game, _KINDS, rules, files, has_free_lines=False)


def check_game(text: str, rules: GameRules, *, name: str = "<game>") -> Verdict:
    """Check a game, in the format of docs/file-formats.md, turn by turn.

    Raises:
        KbScoreError: The text is not a game.
    """
    return check_record(rules, [(name, text)])


def explain_game(
    text: str, rules: GameRules, cards: Sequence[str] | None, player: int | None, *, name: str
) -> Output:
    """Explain the gold of a game at its end, or before its first illegal turn; None for all."""
    rules = apply_rulings(rules, (name, text), has_free_lines=False)
    names = load_names(rules)
    record = read_game(text, names, name=name)
    game = _cut_tail(record, rules)
    use = asp.TURNS.plus("explain", "picture", "common/looks")
    answer = rules.ask(use, {**game.facts, **game.notation.facts})
    chosen = names.always.union(game.cards)
    known = answer.read(Card)
    for deed in answer.read(asp.DeedRow):
        known.append(Card(deed.name, 0, deed.text))
    known.sort(key=lambda card: (card.number, card.name))
    # Cards that belong to something on the board, as a capitol does, are not in the box.
    shown: list[Card] = []
    for card in known:
        is_in_box = card.name in names.cards
        if card.name in chosen or not is_in_box:
            shown.append(card)
    if cards is not None:
        paying = Rules(rules, tuple(shown))
        wanted = paying.find_different_cards(cards)
        shown = [card for card in shown if card.name in wanted]
    found = read_explanations(answer, name, shown, player)
    result = read_result(answer, "turns")
    turns = result["turns"]
    if turns < len(game.lines):
        message = f"{name}: turn {turns + 1} is illegal: this is the gold before it"
        complain(message, kind="note")
    drawing = read_drawing(answer)
    return report_evidence(found, drawing, game.labels)


def judge_game(game: GameRecord, rules: GameRules) -> Verdict:
    """Check a game that has been read."""
    return game_query(game, rules).ask()


def game_query(game: GameRecord, rules: GameRules) -> Query[Verdict]:
    """Make the query for the verdict about a game that has been read."""
    game = _cut_tail(game, rules)

    def read(answer: Answer) -> Verdict:
        return _make_verdict(answer, game, rules)

    return Query(rules, asp.TURNS, game.facts, read)


def _cut_tail(game: GameRecord, rules: GameRules) -> GameRecord:
    """Leave out what comes long after the first illegal turn, which ends a game.

    What many turns claim of the same few hexes takes the rules time by the square of their number.
    """
    size = _AT_ONCE
    # A listener hears of the check, not of the queries that shorten it.
    rules = replace(rules, listener=None)
    while size < len(game.lines):
        part = replace(game, lines=game.lines[:size])
        answer = rules.ask(asp.TURNS, part.facts)
        if read_result(answer, "turns")["turns"] < size:
            return part
        size *= 2
    return game


def _make_verdict(answer: Answer, game: GameRecord, rules: GameRules) -> Verdict:
    claimed: dict[str, Any] | None = None
    if game.claimed is not None:
        claimed = {"gold": list(game.claimed)}
    keys = ("turns", "players", "gold", "finished")
    found = read_result(answer, *keys)
    result = {key: found[key] for key in keys}
    result["winners"] = None
    if found["finished"]:
        result["winners"] = sorted(row.player for row in answer.read(asp.WinsRow))
    return Verdict(
        game="kingdom-builder",
        record=game.name,
        result={**result, **found},  # keys of a user's rules come last
        claimed=claimed,
        tables=(_list_gold(answer, game, load_names(rules)),),
        violations=read_violations(answer.read(ViolationRow), None),
    )


def _list_gold(answer: Answer, game: GameRecord, names: Names) -> Table:
    """List what each card has paid; of those that pay in every game, those that have."""
    gold = read_gold(answer)
    total: dict[int, int] = {}
    for row in answer.read(asp.TotalRow):
        total[row.player] = row.gold
    players = range(1, game.players + 1)
    rows: list[Row] = []
    # Cards that belong to something on the board, as a capitol does, are not in the box.
    always = names.always.union(card for card, _ in gold if card not in names.cards)
    others = sorted(always.difference(game.cards))
    paying = (*others, *game.cards)
    for card in paying:
        paid: list[int] = []
        for player in players:
            key = (card, player)
            paid.append(gold.get(key, 0))
        if any(paid) or card in game.cards:
            rows.append((card, *paid))
    totals = [total.get(player, 0) for player in players]
    rows.append(("total", *totals))
    columns = ("card", *map(game.labels.name, players))
    return Table("", columns, tuple(rows), footer_rows=1)


def follow_game(rules: GameRules, *files: tuple[str, str], labels: Labels = NO_LABELS) -> Replay:
    """Draw each turn of a game, one file: a name and a text; as for `check_game`."""
    ((name, text),) = files
    if labels.names:
        game = _read_game(rules, files)
        labels.check_players(game.players)
    own = read_labels(text.split("\n"), 1, name)
    return labels.over(own).put_replay(trace_game(rules, *files))


class GameKind(RecordKind[GameRecord]):
    """Whole games."""

    game = asp.GAME
    type = GameRecord

    def judge(self, rules: GameRules, record: GameRecord, _name: str) -> Verdict:
        """Judge a game up to its first illegal turn."""
        return judge_game(record, rules)

    def follow(self, rules: GameRules, record: GameRecord, _name: str) -> Replay:
        """Draw each turn; beside the board stands the gold of a game that ends there."""
        game = _cut_tail(record, rules)
        use = asp.TURNS.plus("picture", "common/looks", "replay")
        answer = rules.ask(use, {**game.facts, **game.notation.facts})
        verdict = _make_verdict(answer, game, rules)
        # Up to the first illegal turn the gold is asked as of a game that ends at each turn.
        legal = replace(game, lines=game.lines[: verdict.result["turns"]])
        gold = rules.ask(asp.SO_FAR, legal.facts)
        violations: list[Violation] = []
        for violation in verdict.violations:
            if violation.who:
                violation = replace(violation, who=f"player {violation.who}")
            violations.append(violation)
        verdict = replace(verdict, violations=tuple(violations))
        window = Window(0, answer, self.turn_caption, gold)
        return make_replay(verdict, [window], hexes=True, keep=True)


_KINDS = (GameKind(),)


def _read_game(rules: GameRules, files: Sequence[File]) -> GameRecord:
    ((name, text),) = files
    return read_game(text, load_names(rules), name=name)


def trace_game(rules: GameRules, *files: File) -> Replay:
    """Draw each turn of a game as `follow_game` does, in the words of the rules alone."""
    return follow(_read_game, _KINDS, rules, files, has_free_lines=False)
