"""Examples in rule files: small inputs in the format of their game, with the expected values.

`find_examples` reads the examples of some files; `judge_examples` checks them against given rules.
docs/test-your-rules.md describes how an example is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import click

from kb_score.cli.command import make_options
from kb_score.cli.kingdom_builder.score import players_option
from kb_score.cli.legal import judge_move
from kb_score.engine.program import Program, read_program
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.rules import Asked, GameRules, LimitError
from kb_score.engine.terms import predicate_of
from kb_score.errors import (
    FormatError,
    InputError,
    KbScoreError,
    OptionError,
    Place,
    RuleError,
    describe_list,
    guess,
    unwrap,
)
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import PLAYERS, Board, is_game, parse_board
from kb_score.games.kingdom_builder.check import game_query
from kb_score.games.kingdom_builder.records import read_record
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.kingdom_builder.scoring import Scorer, Scores, draw_board, draw_hexes
from kb_score.games.match import File, Judged, Position
from kb_score.games.position import RulesPosition
from kb_score.games.query import Query, ask_all
from kb_score.resources import is_there, rule_file_name
from kb_score.shell.options import Decorator, WholeNumber, make_parameters
from kb_score.shell.output import Block, Table, Text, render
from kb_score.shell.verdict import Verdict

# A comment that looks like an example, but does not begin as an example has to.
_MISSED = re.compile(r"^(?!%\*!\s*Example\b)[ \t]*%\*!?[ \t]*(?i:example):", re.MULTILINE)
_EXAMPLE = re.compile(r"^%\*!\s*Example\b:?([^\n]*?)(?:\n(.*?))?\s*\*%", re.DOTALL | re.MULTILINE)
# Below the input come assertions (a label, a colon, a value) and settings for later assertions.
_CLAIM = re.compile(r"([a-z][^:\n]*?)[ \t]*:(?:[ \t]+(.*))?")
_WITH = re.compile(r"with (?=\w+ = )(.*)")
_SETTING = re.compile(r"(\w+) = (.*?)(?:, (?=\w+ = )|$)")
_DIVIDER = "---"
# Labels about a position.
_ASKED = re.compile(r"(legal|move)(?: (.*))?")
# Labels whose values are sets.
_SET = re.compile(r"(legal|move|turn|violations)\b")
# Predicates whose first argument is a name that examples use.
_NAMING = {"card", "deed", "tile"}
_TURN = re.compile(r"turn \d+")
_CODES = "violations"
# The number of failures whose inputs are drawn.
_MAX_DRAWN = 50
# The value of a legal move or turn.
FINE = "legal"
# The value of an empty set.
_NONE = "none"
# The label of a refused input.
_REFUSED = "refused"
# Rulings and options with their values.
Settings: TypeAlias = tuple[tuple[str, str], ...]
# The answer of the rules for a label: one value, or the items of a set.
Items: TypeAlias = tuple[str, ...]
Answers: TypeAlias = Mapping[str, Items]
# Called with each question that an example asks, and the rules with its rulings.
Note: TypeAlias = Callable[["Example", GameRules, Asked], object]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A line of an example that gives the expected value for a label, such as ``player 1``.

    Lines of the file count from 1. The settings are rulings and options.
    """

    label: str
    wanted: str
    line: int
    settings: Settings = ()


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a rule file.

    Lines count from 1, also those where the inputs begin. ``own`` has the cards that the file
    defines.
    """

    path: Path
    game: str
    title: str
    line: int
    inputs: tuple[tuple[int, str], ...] = ()
    assertions: tuple[Assertion, ...] = ()
    own: tuple[str, ...] = ()

    @property
    def files(self) -> list[File]:
        """The inputs as files, each a name and a text."""
        name = rule_file_name(self.path)
        return [(f"{name}:{line}", text) for line, text in self.inputs]

    @property
    def whole_text(self) -> str:
        """All words of the inputs and the assertions."""
        texts = [text for _, text in self.inputs]
        for assertion in self.assertions:
            texts += [assertion.label, assertion.wanted, str(assertion.settings)]
        return "\n".join(texts)

    def fail(self, line: int, message: str, column: int = 1) -> NoReturn:
        """Raise the RuleError for a mistake in the file; lines and columns count from 1."""
        lines = read_rule_text(self.path).split("\n")
        name = rule_file_name(self.path)
        place = Place(name, line, column, lines[line - 1])
        raise RuleError.at(place, message)


@dataclass(frozen=True, slots=True)
class Failure:
    """An assertion that is not true, or a missing assertion about a violation."""

    question: Question
    assertion: Assertion
    got: Items


def find_examples(
    game: str, paths: Iterable[Path], refuse: Callable[[RuleError], object] | None = None
) -> Iterator[Example]:
    """Yield the examples of rule files of a game.

    ``refuse`` is called with the error of an example that cannot be read; without it, the error is
    raised. A comment that looks like an example but is not marked as one is always an error.
    """
    for path in paths:
        text = read_rule_text(path)
        missed = _MISSED.search(text)
        if missed:
            hint = "this looks like an example, which must start a line with '%*! Example:'"
            line = _line_at(text, missed.start())
            Example(path, game, "", line).fail(line, hint)
        examples = list(_EXAMPLE.finditer(text))
        own: tuple[str, ...] = ()
        if examples and game == asp.GAME and "card(" in text:
            heads = asp.find_heads(predicate_of(asp.Card), read_program([path]))
            own = tuple(head.arguments[0] for _, head in heads)
        for found in examples:
            title, lines = found.groups(default="")
            line = _line_at(text, found.start(1))
            bare = Example(path, game, title.strip(), line, own=own)
            try:
                example = read_example(bare, lines.split("\n"))
            except RuleError as error:
                if refuse is None:
                    raise
                refuse(error)
            else:
                yield example


def _line_at(text: str, offset: int) -> int:
    """Return the number of the line at an offset, from 1."""
    return text.count("\n", 0, offset) + 1


def read_example(bare: Example, lines: list[str]) -> Example:
    """Return an example with its inputs and assertions, which are in the lines below its title."""
    first = len(lines)  # the index of the first assertion
    while first and _is_below_input(lines[first - 1]):
        first -= 1
    settings: Settings = ()
    assertions = []
    for number, line in enumerate(lines[first:], bare.line + 1 + first):
        setting = _WITH.fullmatch(line)
        claim = _CLAIM.fullmatch(line)
        if setting:
            settings = tuple(_SETTING.findall(setting[1]))
        elif claim:
            label, wanted = claim.groups(default="")
            assertions.append(Assertion(label, wanted.strip(), number, settings))
    inputs: list[tuple[int, str]] = []
    begin = 0
    for end, line in enumerate([*lines[:first], _DIVIDER]):
        if line.strip() == _DIVIDER:
            rows = [f"{row}\n" for row in lines[begin:end]]
            first_line = bare.line + 1 + begin
            inputs.append((first_line, "".join(rows)))
            begin = end + 1
    if not bare.title:
        bare.fail(bare.line, "an example must begin with what it shows, as in Example: TITLE")
    if not assertions or not inputs[0][1].strip():
        samples = "such as 'player 1: 2', 'turn 3: not-free' or 'legal: 0,0 0,1'"
        bare.fail(bare.line, f"an example needs an input, and then what follows from it, {samples}")
    return replace(bare, inputs=tuple(inputs), assertions=tuple(assertions))


def _is_below_input(line: str) -> bool:
    """Return whether a line is an assertion or has settings."""
    return bool(_WITH.fullmatch(line) or _CLAIM.fullmatch(line))


def judge_examples(
    examples: Iterable[Example], rules: GameRules, note: Note | None = None
) -> Iterator[Failure]:
    """Yield the assertions of examples that are not true under the rules of their game.

    ``note`` is called with each question that an example asks. An input that cannot be read and an
    unknown label raise an error with their place.
    """
    rules = replace(rules, listener=None, warn=None)
    whole = sum(rules.read_parts(), Program(()))
    questions: list[Question] = []
    for example in examples:
        for (verb, _), assertions in _group_assertions(example).items():
            questions.append(_make_question(example, verb, assertions, rules, whole, note))
    # Questions about boards, positions and small games are answered together.
    plans = list(map(_plan_answers, questions))
    queries: list[Query[Any]] = []
    for plan in plans:
        queries += plan.queries
    results = iter(ask_all(queries))
    for question, plan in zip(questions, plans, strict=True):
        own_results = list(islice(results, len(plan.queries)))
        yield from _compare(question, _combine(question, plan, own_results))


@dataclass(frozen=True, slots=True)
class _Plan:
    """The queries of a question, and the function that turns their results into answers."""

    queries: Sequence[Query[Any]]
    combine: Callable[[Sequence[Any]], Answers]


def _group_assertions(example: Example) -> Mapping[tuple[str, Settings], Sequence[Assertion]]:
    """Return the assertions of an example by the verbs that decide them and by their settings."""
    groups = defaultdict[tuple[str, Settings], list[Assertion]](list)
    for assertion in example.assertions:
        verb = _find_verb(example, assertion.label)
        groups[verb, assertion.settings].append(assertion)
    return groups


def judge_usable(
    examples: Sequence[Example], rules: GameRules, refuse: Callable[[KbScoreError], object]
) -> dict[Example, list[Failure]]:
    """Return the assertions that are not true, by example.

    ``refuse`` is called with the error of each example that cannot be used.
    """
    found: dict[Example, list[Failure]] = {example: [] for example in examples}
    try:
        for failure in judge_examples(found, rules):
            found[failure.question.example].append(failure)
    except LimitError:
        raise
    except KbScoreError as error:
        if len(examples) == 1:
            refuse(error)
            return {}
    else:
        return found
    # At least one example cannot be used, so each half is judged by itself.
    middle = len(examples) // 2
    first = judge_usable(examples[:middle], rules, refuse)
    second = judge_usable(examples[middle:], rules, refuse)
    return first | second


def find_named(program: Program) -> set[tuple[str, str]]:
    """Return the cards, deeds and tiles that a program defines, as kinds and names."""
    found = set()
    for statement in program.statements:
        for atom in statement.atoms:
            if atom.in_head and atom.name in _NAMING:
                found.add((atom.name, atom.arguments[0]))
    return found


def choose_affected(examples: Iterable[Example], paths: Sequence[Path]) -> list[Example]:
    """Return the examples that rule files can affect."""
    names: set[str] = set()
    all_have_names = True
    for path in paths:
        program = read_program([path])
        named = find_named(program)
        names.update(name for _, name in named)
        if program.derived and not named:
            all_have_names = False
    # A card affects only examples that name it; other rules may affect any example.
    pattern = ""
    if all_have_names:
        words = "|".join(names) or "(?!)"
        pattern = rf"\b({words})\b"
    known = re.compile(pattern)
    return [
        example for example in examples if example.path in paths or known.search(example.whole_text)
    ]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about an example: a verb, with rulings and options.

    The verb is ``legal`` or ``check``; in Kingdom Builder, ``score`` for a board and ``game`` for a
    game in place of ``check``. ``line`` is that of the first assertion, from 1.
    """

    example: Example
    verb: str
    rules: GameRules
    options: Settings
    line: int
    assertions: Sequence[Assertion]

    @property
    def labels(self) -> list[str]:
        """The labels of the assertions."""
        return [assertion.label for assertion in self.assertions]

    @property
    def board(self) -> Board:
        """The board that is scored, which may have an odd number of rows or columns."""
        (name, text), *_ = self.example.files
        return parse_board(text, self.rules, name=name, allows="odd")


def _find_verb(example: Example, label: str) -> str:
    """Return the verb that decides a line of an example."""
    if _ASKED.fullmatch(label):
        return "legal"
    if example.game != asp.GAME or len(example.inputs) != 1:
        return "check"
    ((_, text),) = example.inputs
    if is_game(text):
        return "game"
    return "score"


def _make_question(
    example: Example,
    verb: str,
    assertions: Sequence[Assertion],
    rules: GameRules,
    whole: Program,
    note: Note | None,
) -> Question:
    """Return the question that decides some assertions of an example."""
    settings = assertions[0].settings
    known: Iterable[str] = whole.definitions if settings else ()
    rulings = tuple((name, value) for name, value in settings if name in known)
    options = tuple(pair for pair in settings if pair not in rulings)
    first = next(one.line for one in example.assertions if one.settings == settings)
    try:
        whole.with_constants(dict(rulings))
    except RuleError as error:
        example.fail(first - 1, str(error))
    own = set_rulings(rules, rulings)
    if note is not None:
        own = replace(own, listener=partial(note, example, own))
    return Question(example, verb, own, options, first, assertions)


def set_rulings(rules: GameRules, rulings: Settings) -> GameRules:
    """Return the rules with further rulings."""
    constants = (*rules.changes.constants, *rulings)
    return replace(rules, changes=replace(rules.changes, constants=constants))


def _plan_answers(question: Question) -> _Plan:
    """Plan how to answer a question; that the rules reject the input may be the answer."""
    with _relocate_errors(question):
        try:
            return _plan(question)
        except InputError as error:
            return _answer_at_once(_expect_refusal(error, question.labels))


def _combine(question: Question, plan: _Plan, results: Sequence[Any]) -> Answers:
    """Return the answers of a question from the results of its queries."""
    with _relocate_errors(question):
        try:
            return plan.combine(list(map(unwrap, results)))
        except InputError as error:
            return _expect_refusal(error, question.labels)


def _expect_refusal(error: InputError, labels: Sequence[str]) -> Answers:
    """Return the reason for an error as the answer if the example expects a refusal.

    Otherwise the error is raised.
    """
    if set(labels) != {_REFUSED}:
        raise error
    return {_REFUSED: (error.reason,)}


def _plan(question: Question) -> _Plan:
    example = question.example
    rules = question.rules
    game = GameFolder(example.game).type
    options = dict(_read_options(question.verb, example.game, question.options))
    if question.verb == "legal":
        turn = options.pop("turn")
        position = game.position(rules, example.files, turn, **options)
        return _plan_moves(position, question)
    if question.verb == "check":
        verdict = game.check(rules, example.files, **options)
        return _answer_at_once(_list_rows(verdict))
    query: Query[Any]
    if question.verb == "game":
        (name, text), *_ = example.files
        query = game_query(read_record(text, rules, name), name, rules)
        return _Plan([query], lambda results: _list_rows(results[0]))
    scorer = Scorer(load_rules(rules), players=options["players"])
    query = scorer.query(question.board)
    return _Plan([query], lambda results: _list_gold(example, results[0]))


def _answer_at_once(answers: Answers) -> _Plan:
    """Return the plan for a question whose answers are known."""
    return _Plan((), lambda _: answers)


def _list_gold(example: Example, scores: Scores) -> Answers:
    """Return a board's gold by card (and by player, for the file's card), and its violations."""
    answers: dict[str, Items] = {}
    if len(example.own) == 1:
        (own_card,) = example.own
        for player, gold in zip(scores.players, scores.gold[own_card], strict=True):
            answers[f"player {player}"] = (str(gold),)
    for card, by_player in scores.gold.items():
        answers[card] = (str(render(by_player)),)
    codes = {violation.code for violation in scores.violations}
    answers[_CODES] = tuple(sorted(codes)) or (_NONE,)
    return answers


@cache
def _read_options(verb: str, game: str, given: Settings) -> Mapping[str, Any]:
    """Return settings that are not rulings as parameters of the verb's command."""
    words: list[str] = []
    for name, value in given:
        option = name.replace("_", "-")
        words += [f"--{option}", value]
    return _make_command(verb, game).make_context("with", words).params


@cache
def _make_command(verb: str, folder: str) -> click.Command:
    """Return a command with those options of a verb that an example may set."""
    game = GameFolder(folder).type
    options: list[Decorator] = []
    if verb == "score":
        options = [players_option]
    elif verb == "check":
        options = make_options(game.list_options("check"))
    elif verb == "legal":
        options = [click.option("--turn", type=WholeNumber(1))]
        options += make_options(game.list_options("legal"))
    return click.Command(verb, params=make_parameters(*options), add_help_option=False)


@contextmanager
def _relocate_errors(question: Question) -> Iterator[None]:
    """Turn errors about an example's input into errors at its place in the rule file."""
    example = question.example
    # The options, if there are any, are on the line above the first assertion.
    line_of_options = question.line
    if question.options:
        line_of_options -= 1
    try:
        yield
    except click.NoSuchOption as error:
        name = error.option_name.strip("-").replace("-", "_")
        example.fail(question.line - 1, f"there is no ruling or option {name!r} here")
    except click.UsageError as error:
        example.fail(line_of_options, error.format_message())
    except OptionError as error:
        example.fail(line_of_options, str(error))
    except (FormatError, InputError) as error:
        place = Place("", 1, 1)
        if isinstance(error, FormatError):
            place = error.place
        line = question.line
        column = 1
        for (name, _), (first, _) in zip(example.files, example.inputs, strict=True):
            if str(error).startswith(f"{name}:"):
                line = first + place.line - 1
                column = place.column
                break
        else:
            if is_there(error.path or ""):
                raise  # the mistake is in another file, such as the game's manifest
        example.fail(line, error.reason, column)


def _plan_moves(position: Position, question: Question) -> _Plan:
    """Plan how to list the moves that begin with some words, or to judge a move."""
    labels = question.labels

    def combine(results: Sequence[Any]) -> Answers:
        values = map(_list_moves, labels, results)
        return dict(zip(labels, values, strict=True))

    queries: list[Query[Any]] = []
    known: list[Any] = []
    for label in labels:
        verb, _, words = label.partition(" ")
        if isinstance(position, RulesPosition) and not position.over:
            if verb == "move":
                with _point_to(question, label):
                    queries.append(position.judge_query(words))
            else:
                queries.append(position.moves_query())
        elif verb == "move":
            known.append(_judge_move(position, question, label))
        elif position.over:
            known.append([])
        else:
            known.append(position.moves())
    if known:
        return _answer_at_once(combine(known))
    return _Plan(queries, combine)


def _judge_move(position: Position, question: Question, label: str) -> Judged:
    """Return the verdict on the move of a label."""
    _, _, words = label.partition(" ")
    with _point_to(question, label):
        return judge_move(position, words)


@contextmanager
def _point_to(question: Question, label: str) -> Iterator[None]:
    """Turn an error in the move of a label into one at its line."""
    try:
        yield
    except FormatError as error:
        lines = [one.line for one in question.assertions if one.label == label]
        question.example.fail(lines[0], error.reason)


def _list_moves(label: str, result: Any) -> Items:
    """Return the legal moves that begin with the words of a label, or the codes for a move."""
    verb, _, words = label.partition(" ")
    if verb == "move":
        codes = {reason.code for reason in result.reasons}
        if codes:
            return tuple(sorted(codes))
        return (result.counts_as or FINE,)
    found = []
    for legal in result:
        for move in legal.moves:
            if move.startswith(words):
                found.append(move.removeprefix(words).strip())
    return tuple(found) or (_NONE,)


def _list_rows(verdict: Verdict) -> Answers:
    """Return the verdict on a record by label: results, counts, and the codes of each turn."""
    rows: dict[str, Items] = {}
    for key, value in verdict.result.items():
        rows[key] = (str(render(value)),)
    for table in verdict.tables:
        for name, *values in table.rows:
            if isinstance(name, str):
                rows[name] = (str(render(values)),)
    codes_by_label = defaultdict[str, set[str]](set)
    for found in verdict.violations:
        label = _CODES
        if found.turn is not None:
            label = f"turn {found.turn}"
        codes_by_label[label].add(found.code)
    for label, codes in codes_by_label.items():
        rows[label] = tuple(sorted(codes))
    return rows


def _compare(question: Question, answers: Answers) -> Iterator[Failure]:
    """Yield the assertions that are not true, then the missing assertions."""
    for assertion in question.assertions:
        label = assertion.label
        got = answers.get(label) or _answer_without_violations(label)
        if not got:
            known = _list_labels(question.example, label, answers)
            question.example.fail(assertion.line, f"there is no {label!r} here: use {known}")
        if sorted(got) != _split_wanted(assertion, got):
            yield Failure(question, assertion, got)
    # An example has to name each violation, unless its input is a board, which may be only a part.
    if question.verb not in ("check", "game"):
        return
    for label, got in answers.items():
        if label not in question.labels and _answer_without_violations(label):
            missing = replace(question.assertions[0], label=label, wanted="")
            yield Failure(question, missing, got)


def _answer_without_violations(label: str) -> Items:
    """Return the value of a label if no rule is broken; empty if it is not about violations."""
    if label == _CODES:
        return (_NONE,)
    if _TURN.fullmatch(label):
        return (FINE,)
    return ()


def _list_labels(example: Example, label: str, answers: Answers) -> str:
    """Return the known labels as text, with a hint at the label that was probably meant."""
    known = describe_list([*answers])
    if not label.startswith("player "):
        return known + guess(label, answers)
    if len(example.own) != 1:
        return "the name of a card, since the file declares no card or more than one"
    return f"{known}; players without settlements are not scored"


def _split_wanted(assertion: Assertion, got: Items) -> list[str]:
    """Return the items of an expected value, sorted.

    The items of a set are separated by ``;`` or, if no actual item has blanks, by blanks.
    """
    wanted = assertion.wanted
    if not _SET.match(assertion.label):
        return [" ".join(wanted.split())]
    if any(" " in item for item in got):
        items = wanted.split(";")
    else:
        items = wanted.replace(";", " ").split()
    return sorted(item.strip() for item in items) or [""]


def write_items(got: Items) -> str:
    """Return the value of a label as text, as an example writes it."""
    separator = "; " if any(" " in item for item in got) else " "
    return separator.join(got)


def write_example(
    title: str, inputs: Sequence[str], settings: Settings, wanted: Mapping[str, str]
) -> str:
    """Return an example that can be pasted into a rule file."""
    text = "---\n".join(inputs)
    pairs = _write_settings(settings)
    if pairs:
        text += f"with {pairs}\n"
    assertions = "\n".join(f"{label}: {value}" for label, value in wanted.items())
    return f"%*! Example: {title}\n{text}{assertions} *%"


def _write_settings(settings: Settings) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings)


def show_failures(failures: Iterable[Failure]) -> list[Block]:
    """Return the expected and the actual values, with the inputs of the first failures.

    Only some inputs are drawn, since each drawing asks the rules a question.
    """
    blocks: list[Block] = []
    for number, failure in enumerate(failures):
        blocks += _show_failure(failure, with_input=number < _MAX_DRAWN)
    return blocks


def _show_failure(failure: Failure, *, with_input: bool) -> list[Block]:
    example = failure.question.example
    assertion = failure.assertion
    file = rule_file_name(example.path)
    heading = f"{file}:{assertion.line}: {example.title}"
    blocks: list[Block] = [Text(heading, "heading")]
    if with_input:
        blocks.append(_draw(failure))
    settings = _write_settings(assertion.settings)
    row = (assertion.label, assertion.wanted, write_items(failure.got))
    blocks.append(Table(settings, ("", "wanted", "got"), (row,)))
    return blocks


def _draw(failure: Failure) -> Text:
    """Draw the input; hexes that pay for the card in question are marked on a scored board."""
    question = failure.question
    label = failure.assertion.label
    text = "---\n".join(text for _, text in question.example.files)
    if question.verb != "score" or label == _CODES:
        return Text(text.rstrip("\n"), "picture")
    card = label
    _, _, player = label.partition("player ")
    if player:
        (card,) = question.example.own
    else:
        player = _find_different_player(failure, text)
    rules = load_rules(GameRules(asp.GAME, question.rules.changes))
    return draw_hexes(draw_board(question.board, rules, (card, int(player))))


def _find_different_player(failure: Failure, board: str) -> str:
    """Return the first player of a board whose gold differs from the expected gold.

    That is the first player on the board if all have the expected gold, and 1 for a player who is
    not on the board.
    """
    players = sorted(set(PLAYERS).intersection(board))
    wanted = failure.assertion.wanted.split()
    paid = failure.got[0].split()
    for player, gold, expected in zip_longest(players, paid, wanted, fillvalue=""):
        if gold and gold != expected:
            return player or "1"
    return min(players, default="1")
