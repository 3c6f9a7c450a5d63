"""Check games turn by turn, and claimed scores of a board, against the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import Answer, GameRules, Use, catch
from kb_score.errors import InputError, KbScoreError, unwrap
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Board, Hex, is_game, parse_board, read_boards
from kb_score.games.kingdom_builder.claims import Claim, claim_facts, read_claims
from kb_score.games.kingdom_builder.query import Query, ask_all
from kb_score.games.kingdom_builder.records import (
    GameRecord,
    Names,
    count_turns,
    load_names,
    read_game,
    tiles_of,
)
from kb_score.games.kingdom_builder.rules import Card, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import (
    HEXES,
    Row,
    Scorer,
    do_many,
    read_explanations,
    read_gold,
    report_evidence,
    score_boards,
)
from kb_score.games.labels import NO_LABELS, Labels, make_labels, read_labels
from kb_score.games.match import File
from kb_score.games.replay import Window, make_replay
from kb_score.games.rulings import apply_rulings, check_with_rulings
from kb_score.games.schema import ViolationRow, read_drawing, read_result, read_violations
from kb_score.shell.output import Output, Table, complain
from kb_score.shell.picture import Replay
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.shell.pool import Pool


@dataclass(frozen=True, slots=True)
class Pair:
    """A board and claims about it; an error takes the place of either if it cannot be used.

    Attributes:
        name: The name of the claims, usually their path.
        claims: The text of the claims; if a program makes the claims, the text of the board, which
            the program reads.
    """

    name: str
    board: Board | KbScoreError
    claims: str | KbScoreError


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks claims about boards against given rules.

    Attributes:
        players: The number of players; None for all players with settlements.
        program: Makes claims from the name and the text of a board; None if the claims are given.
    """

    rules: Rules
    players: int | None = None
    program: Callable[[str, str], str] | None = None

    def check_together(self, pairs: Sequence[Pair]) -> list[Verdict | KbScoreError]:
        """Return the verdict on each pair or its error; one grounding is faster than one by one."""
        queries = [catch(self._query, pair) for pair in pairs]
        return ask_all(queries)

    def _query(self, pair: Pair) -> Query[Verdict]:
        board = unwrap(pair.board)
        facts = board.facts_for(self.players)
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
    """Return the verdict on claimed scores of a board, with a violation for each wrong figure.

    A line has a figure for each player. All players with settlements count by default.
    """
    checker = Checker(rules, players)
    pair = Pair(name, board, claims_text)
    (verdict,) = checker.check_together([pair])
    return unwrap(verdict)


def check_pairs(
    pairs: Iterable[Pair], checker: Checker, pool: Pool | None = None
) -> Iterator[Verdict | KbScoreError]:
    """Yield the verdict on each pair or its error, in order; no pool stands for this process."""
    # A program takes longer than the rules, so its claims are checked as soon as it ends.
    chunk = 1 if checker.program else 16
    return do_many(pairs, checker.check_together, checker.rules, pool, chunk)


def check_files(rules: GameRules, files: Sequence[File]) -> Any:
    """Return the verdict on a game or on claims about a board, or the scores of boards.

    The files are a game, a file of boards, or a board and claims about it. More than two are an
    error.
    """
    (name, text), *others = files
    if not others and is_game(text):
        return check_game(text, rules, name=name)
    loaded = load_rules(rules)
    if not others:
        boards = list(map(unwrap, read_boards(text, rules, name=name)))
        scores = score_boards(boards, Scorer(loaded))
        return list(map(unwrap, scores))
    if len(others) > 1:
        third_name, _ = others[1]
        raise InputError(third_name, "a board and its claims are two files, not more")
    ((claims_name, claims_text),) = others
    board = parse_board(text, rules, name=name)
    return check_claims(board, claims_text, loaded, name=claims_name)


def _list_wrong_claims(
    answer: Answer, claims: Mapping[int, Claim], cards: Sequence[Card]
) -> Iterator[Violation]:
    """Yield the wrong claims; a wrong total names the card that explains it, if one does."""
    numbers = {card.name: card.number for card in cards}
    names = {card.number: card.name for card in cards}
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
            name = names[claim.numbers[0]]
            kind += f" ({name})"
        who = f"player {wrong.player}"
        detail = f"{kind}, {who}: {difference}"
        if claim.kind == "total" and wrong.player in culprits:
            culprit = culprits[wrong.player]
            detail = f"{culprit}; line {claim.line}, {kind}: total {difference}"
        yield Violation("wrong-claim", detail, who=wrong.player)


# Games of up to this many turns (almost all games) are checked in one query.
_AT_ONCE = 250


def check_record(rules: GameRules, files: Sequence[File]) -> Verdict:
    """Return the verdict on a game; see `check_game`."""

    def judge(rules: GameRules) -> Verdict:
        return judge_game(_read_game(rules, files), rules)

    return check_with_rulings(judge, rules, files, has_free_lines=False)


def check_game(text: str, rules: GameRules, *, name: str = "<game>") -> Verdict:
    """Return the verdict on a game, which is checked turn by turn.

    docs/file-formats.md describes the format.
    """
    return check_record(rules, [(name, text)])


def explain_game(
    text: str,
    rules: GameRules,
    cards: Sequence[str] | None,
    player: int | None,
    *,
    name: str,
    place: Hex | None = None,
) -> Output:
    """Return explanations of the gold of a game at its end, or before its first illegal turn.

    Args:
        cards: The names or numbers of the cards to explain; None for all cards.
        player: The player whose gold is explained; None for all players.
        name: The name of the game in errors.
        place: The hex to explain; None for the whole board.
    """
    rules = apply_rulings(rules, (name, text), has_free_lines=False)
    names = load_names(rules)
    record = read_game(text, names, name=name)
    game = _cut_tail(record, rules)
    use = asp.TURNS.plus("explain", "picture", "common/looks")
    facts = {**game.facts, **game.notation.facts}
    answer = rules.ask(use, facts)

    def find_cards(answer: Answer) -> list[Card]:
        shown = _list_paying_cards(answer, game, names)
        if cards is not None:
            paying = Rules(rules, tuple(shown))
            wanted = paying.find_different_cards(cards)
            shown = [card for card in shown if card.name in wanted]
        return shown

    if place is None:
        found = read_explanations(answer, name, find_cards(answer), player)
    result = read_result(answer, "turns")
    turns = result["turns"]
    if turns < len(game.lines):
        illegal_turn = turns + 1
        message = f"{name}: turn {illegal_turn} is illegal: this is the gold before it"
        complain(message, kind="note")
    if place is not None:
        question = import_module(HEXES).HexQuestion(
            rules=rules,
            use=asp.TURNS.plus("explain", "hex"),
            facts=facts,
            name=name,
            labels=game.labels,
            find_cards=find_cards,
        )
        output: Output = question.explain(place, player)
        return output
    drawing = read_drawing(answer)
    return report_evidence(found, drawing, game.labels)


def _list_paying_cards(answer: Answer, game: GameRecord, names: Names) -> list[Card]:
    """Return the cards that may pay in a game, sorted by their numbers and names."""
    chosen = names.always.union(game.cards)
    known = answer.read(Card)
    known += [Card(deed.name, 0, deed.text) for deed in answer.read(asp.DeedRow)]
    known.sort(key=lambda card: (card.number, card.name))
    # Cards that belong to pieces on the board, such as capitols, are not in the box.
    return [card for card in known if card.name in chosen or card.name not in names.cards]


def judge_game(game: GameRecord, rules: GameRules) -> Verdict:
    """Return the verdict on a game that has been read."""
    query = game_query(game, rules)
    return query.ask()


def game_query(game: GameRecord, rules: GameRules) -> Query[Verdict]:
    """Return the query for the verdict on a game that has been read."""
    game = _cut_tail(game, rules)

    facts = game.facts

    def read(answer: Answer) -> Verdict:
        return _make_verdict(count_turns(answer, facts), game, rules)

    return Query(rules, _find_use(game, rules), facts, read)


def _find_use(game: GameRecord, rules: GameRules) -> Use:
    """Return the rules for a game, without the files of tiles that it does not have."""
    if rules.listener is not None:
        return asp.TURNS
    facts = game.facts
    tiles = tiles_of(game.lines).union(str(tile) for _, tile in (*facts["yields"], *facts["nomad"]))
    # The files of small sets say what their pieces allow.
    tiles -= {kind for _, kind in load_names(rules).headings.values()}
    # The name of a donation ends with its terrain.
    kept = {"tiles": [f"{tile.partition('_')[0]}*" for tile in sorted(tiles)]}
    return asp.narrow(asp.TURNS, rules, kept)


def _cut_tail(game: GameRecord, rules: GameRules) -> GameRecord:
    """Return a game without most of the turns after its first illegal one, where judging stops.

    Turns that do not count would take as much time and memory as those that do.
    """
    size = _AT_ONCE
    # A listener receives the check, not the queries that shorten the game.
    rules = replace(rules, listener=None)
    while size < len(game.lines):
        part = replace(game, lines=game.lines[:size])
        answer = rules.ask(_find_use(part, rules), part.facts)
        result = read_result(answer, "turns")
        if result["turns"] < size:
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
        result["winners"] = sorted(player for (player,) in answer["wins"])
    gold = _list_gold(answer, game, load_names(rules))
    violations = read_violations(answer.read(ViolationRow))
    return Verdict(
        game="kingdom-builder",
        record=game.name,
        result={**result, **found},  # keys of a user's rules come last
        claimed=claimed,
        tables=gold,
        violations=violations,
    )


def _list_gold(answer: Answer, game: GameRecord, names: Names) -> tuple[Table, ...]:
    """Return a table of the gold that each card has paid; no table if no card has a row.

    Cards that pay in every game have a row only if they have paid.
    """
    gold = read_gold(answer)
    total = dict(answer["total"])
    players = range(1, game.players + 1)
    rows: list[Row] = []
    # Cards that belong to pieces on the board, such as capitols, are not in the box.
    always = names.always.union(card for card, _ in gold if card not in names.cards)
    others = sorted(always.difference(game.cards))
    paying = (*others, *game.cards)
    for card in paying:
        paid = [gold.get((card, player), 0) for player in players]
        if any(paid) or card in game.cards:
            rows.append((card, *paid))
    if not rows:
        return ()
    totals = [total.get(player, 0) for player in players]
    rows.append(("total", *totals))
    columns = ("card", *map(game.labels.name, players))
    return (Table("", columns, tuple(rows), footer_rows=1),)


def replay_game(
    rules: GameRules, files: Sequence[File], *, names: str = "", title: str = ""
) -> Replay:
    """Return a replay of a game, with the names of its players and a title; see `follow_game`."""
    return follow_game(rules, *files, labels=make_labels(names, title))


def follow_game(rules: GameRules, *files: File, labels: Labels = NO_LABELS) -> Replay:
    """Return a replay of a game, with the names of its players.

    Labels in the file's comments are used where these are missing. A label of a player who is not
    in the game is an error.
    """
    ((name, text),) = files
    if labels.names:
        game = _read_game(rules, files)
        labels.check_players(game.players)
    own = read_labels(text.split("\n"), 1, name)
    all_labels = labels.over(own)
    replay = trace_game(rules, *files)
    return all_labels.put_replay(replay)


def _follow_game(record: GameRecord, rules: GameRules) -> Replay:
    """Return a replay that shows at each turn the gold that a game ending there would pay."""
    game = _cut_tail(record, rules)
    use = asp.TURNS.plus("picture", "common/looks", "replay")
    facts = {**game.facts, **game.notation.facts}
    answer = rules.ask(use, facts)
    verdict = _make_verdict(count_turns(answer, facts), game, rules)
    # The gold after each turn is known only up to the first illegal turn.
    legal_turns = verdict.result["turns"]
    legal = replace(game, lines=game.lines[:legal_turns])
    gold = rules.ask(asp.SO_FAR, legal.facts)
    # What is wrong after a turn begins with the turn.
    rules.accept(Answer({("misuse", 2): [row[1:] for row in gold["misuse"]]}))
    window = Window(0, answer, "turn {turn}", gold)
    return make_replay(verdict, [window], hexes=True)


def _read_game(rules: GameRules, files: Sequence[File]) -> GameRecord:
    ((name, text),) = files
    return read_game(text, load_names(rules), name=name)


def trace_game(rules: GameRules, *files: File) -> Replay:
    """Return a replay of a game, without the names of its players."""
    rules = apply_rulings(rules, *files, has_free_lines=False)
    return _follow_game(_read_game(rules, files), rules)
