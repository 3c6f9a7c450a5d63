"""Check games turn by turn, and claimed scores of a board, against the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import Answer, GameRules, catch
from kb_score.errors import InputError, KbScoreError, unwrap
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    Board,
    Hex,
    is_game,
    load_notation,
    parse_board,
    read_boards,
)
from kb_score.games.kingdom_builder.claims import Claim, claim_facts, read_claims
from kb_score.games.kingdom_builder.records import (
    Names,
    find_files,
    load_names,
    read_record,
    refuse_others,
)
from kb_score.games.kingdom_builder.rules import Card, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import (
    HEXES,
    Scorer,
    do_many,
    read_explanations,
    report_evidence,
    score_boards,
)
from kb_score.games.labels import NO_LABELS, Labels, make_labels
from kb_score.games.match import File
from kb_score.games.query import Query, ask_all
from kb_score.games.record import RecordJudge
from kb_score.games.replay import Window, make_replay
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import read_drawing, read_result
from kb_score.games.texts import ReadText
from kb_score.shell.files import normalise
from kb_score.shell.output import Output, complain
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


def check_record(rules: GameRules, files: Sequence[File]) -> Verdict:
    """Return the verdict on a game; see `check_game`."""
    ((name, text),) = files
    refuse_others(text, name)
    return GameFolder(asp.GAME).type.judge(rules, files, {})


def check_game(text: str, rules: GameRules, *, name: str = "<game>") -> Verdict:
    """Return the verdict on a game, which is checked turn by turn.

    docs/file-formats.md describes the format.
    """
    return check_record(rules, [(name, normalise(text))])


def game_query(game: ReadText, name: str, rules: GameRules) -> Query[Verdict]:
    """Return the query for the verdict on a game that has been read."""
    judge = RecordJudge(find_files(), {})
    game = judge.cut(rules, game)
    use, facts = judge.prepare(rules, game)
    return Query(rules, use, facts, lambda answer: judge.make_verdict(answer, game, name))


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
    record = read_record(text, rules, name)
    game = RecordJudge(find_files(), {}).cut(rules, record)
    use = asp.TURNS.plus("explain", "picture", "common/looks")
    facts = {**game.facts, **names.notation.facts}
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
    if turns < game.turns:
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


def _list_paying_cards(answer: Answer, game: ReadText, names: Names) -> list[Card]:
    """Return the cards that may pay in a game, sorted by their numbers and names."""
    chosen = names.always.union(str(card) for (card,) in game.facts["chosen"])
    known = answer.read(Card)
    known += [Card(deed.name, 0, deed.text) for deed in answer.read(asp.DeedRow)]
    known.sort(key=lambda card: (card.number, card.name))
    # Cards that belong to pieces on the board, such as capitols, are not in the box.
    return [card for card in known if card.name in chosen or card.name not in names.cards]


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
    applied = apply_rulings(rules, *files, has_free_lines=False)
    game = read_record(text, applied, name)
    if labels.names:
        ((players,),) = game.facts["players"]
        assert isinstance(players, int)
        labels.check_players(players)
    own = game.labels
    all_labels = labels.over(own)
    return all_labels.put_replay(trace_game(applied, game, name))


def trace_game(rules: GameRules, game: ReadText, name: str) -> Replay:
    """Return a replay that shows at each turn the gold that a game ending there would pay.

    It is without the names of the players.
    """
    judge = RecordJudge(find_files(), {})
    game = judge.cut(rules, game)
    use = asp.TURNS.plus("picture", "common/looks", "replay")
    answer = rules.ask(use, {**game.facts, **load_notation(rules).facts})
    verdict = judge.make_verdict(answer, game, name)
    # The gold after each turn is known only up to the first illegal turn.
    legal = game.cut(verdict.result["turns"])
    gold = rules.ask(asp.SO_FAR, legal.facts)
    # What is wrong after a turn begins with the turn.
    rules.accept(Answer({("misuse", 2): [row[1:] for row in gold["misuse"]]}))
    window = Window(0, answer, "turn {turn}", gold)
    return make_replay(verdict, [window], hexes=True)
