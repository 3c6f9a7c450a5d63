"""Examples in rule files: a small input in the format of its game, and what the rules say about it.

`find_examples` reads the examples of some files; `judge_examples` compares them with given rules.
docs/test-your-rules.md describes how an example is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import click

from kb_score.engine.program import Program, functions_in, read_program
from kb_score.engine.query import Query, ask_many
from kb_score.engine.rules import Asked, GameRules, LimitError
from kb_score.engine.terms import predicate_of
from kb_score.errors import (
    FormatError,
    InputError,
    KbScoreError,
    Place,
    RuleError,
    describe_list,
    guess,
    unwrap,
)
from kb_score.games import list_games
from kb_score.games.game import Decorator, File, Game, Position
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import PLAYERS, Board, is_game, parse_board
from kb_score.games.kingdom_builder.check import game_query
from kb_score.games.kingdom_builder.commands import players_option
from kb_score.games.kingdom_builder.position import TurnPosition
from kb_score.games.kingdom_builder.records import load_names, read_game
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.kingdom_builder.scoring import Scorer, Scores, draw_board, draw_hexes
from kb_score.games.verbs.command import make_options
from kb_score.games.verbs.legal import judge_move
from kb_score.resources import name_rule_file
from kb_score.shell.options import decorate
from kb_score.shell.output import Block, Table, Text, render
from kb_score.shell.verdict import Verdict

# A comment that is meant to be an example, but does not begin like one.
_MISSED = re.compile(r"^(?!%\*!\s*Example\b)[ \t]*%\*!?[ \t]*(?i:example):", re.MULTILINE)
_EXAMPLE = re.compile(r"^%\*!\s*Example\b:?([^\n]*?)(?:\n(.*?))?\s*\*%", re.DOTALL | re.MULTILINE)
# Below the input stand assertions: a label, a colon, a value; or settings for those that follow.
_CLAIM = re.compile(r"([a-z][^:\n]*?)[ \t]*:(?:[ \t]+(.*))?")
_WITH = re.compile(r"with (?=\w+ = )(.*)")
_SETTING = re.compile(r"(\w+) = (.*?)(?:, (?=\w+ = )|$)")
_DIVIDER = "---"
# Labels about a position, and those whose values are a set.
_ASKED = re.compile(r"(legal|move)(?: (.*))?")
_SET = re.compile(r"(legal|move|turn|violations)\b")
# Predicates whose first argument is a name that examples use.
_NAMING = {"card", "deed", "tile"}
_TURN = re.compile(r"turn \d+")
_CODES = "violations"
# The inputs of this many failures are drawn.
_MOST_DRAWN = 50
# The value of what breaks no rule, of an empty set, and of an input that the rules refuse.
FINE = "legal"
_NONE = "none"
_REFUSED = "refused"
# The predicates of pictures, which no example asserts.
_PICTURE = (
    "pictured",
    "cell",
    "colour",
    "highlight",
    "look",
    "mark",
    "occupant",
    "piece",
    "says",
    "shown",
    "sharing",
)

# Rulings and options with their values.
Settings: TypeAlias = tuple[tuple[str, str], ...]
# What the rules say under a label: one value, or those of a set.
Items: TypeAlias = tuple[str, ...]
Answers: TypeAlias = Mapping[str, Items]
# Called with each question that an example asks, and the rules with its rulings.
Note: TypeAlias = Callable[["Example", GameRules, Asked], object]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A line of an example: the value that the rules have under a label, such as ``player 1``."""

    label: str
    wanted: str
    line: int  # in the file, from 1
    settings: Settings = ()  # the rulings and options that it is true with


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a rule file."""

    path: Path
    game: str  # the folder of the game
    title: str  # what it shows
    line: int  # of the title, from 1
    inputs: tuple[tuple[int, str], ...]  # each the line where it begins, and a text
    assertions: tuple[Assertion, ...]
    own: tuple[str, ...] = ()  # the cards that the file states

    @property
    def files(self) -> list[File]:
        """The inputs as files, each a name and a text."""
        return [(f"{name_rule_file(str(self.path))}:{line}", text) for line, text in self.inputs]

    def fail(self, line: int, message: str, column: int = 1) -> NoReturn:
        """Raise the error that something is wrong with a line of the file."""
        source = self.path.read_text(encoding="utf-8").split("\n")[line - 1]
        raise RuleError.at(Place(name_rule_file(str(self.path)), line, column, source), message)


@dataclass(frozen=True, slots=True)
class Failure:
    """An assertion that is not true, or a missing one about what breaks a rule."""

    question: Question
    assertion: Assertion
    got: Items


def find_examples(
    game: str, paths: Iterable[Path], refuse: Callable[[RuleError], object] | None = None
) -> Iterator[Example]:
    """Read the examples of rule files of a game.

    Args:
        game: The folder of the game.
        paths: The rule files.
        refuse: Called with the error of each example that cannot be read; None to raise it.

    Raises:
        RuleError: An example cannot be read; or a comment looks like one that is not marked.
    """
    for path in paths:
        text = path.read_text(encoding="utf-8")
        missed = _MISSED.search(text)
        if missed:
            hint = "this looks like an example, which begins with '%*! Example:' at a line's start"
            line = _line_at(text, missed.start())
            Example(path, game, "", line, (), ()).fail(line, hint)
        examples = list(_EXAMPLE.finditer(text))
        own: tuple[str, ...] = ()
        if examples and game == asp.GAME and "card(" in text:
            heads = asp.find_heads(predicate_of(asp.Card), read_program([path]))
            own = tuple(head.name for head in heads)
        for found in examples:
            title, lines = found.groups(default="")
            line = _line_at(text, found.start(1))
            bare = Example(path, game, title.strip(), line, (), (), own)
            try:
                yield read_example(bare, lines.split("\n"))
            except RuleError as error:
                if refuse is None:
                    raise
                refuse(error)


def _line_at(text: str, offset: int) -> int:
    """Return the number of a line, from 1."""
    return text.count("\n", 0, offset) + 1


def read_example(bare: Example, lines: list[str]) -> Example:
    """Read the lines of an example below its title."""
    first = len(lines)  # of the assertions
    while first and (_WITH.fullmatch(lines[first - 1]) or _CLAIM.fullmatch(lines[first - 1])):
        first -= 1
    settings: Settings = ()
    assertions: list[Assertion] = []
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
            text = "".join(f"{one}\n" for one in lines[begin:end])
            inputs.append((bare.line + 1 + begin, text))
            begin = end + 1
    if not bare.title:
        bare.fail(bare.line, "an example begins with what it shows, as in Example: TITLE")
    if not assertions or not inputs[0][1].strip():
        follows = "such as 'player 1: 2', 'turn 3: not-free' or 'legal: 0,0 0,1'"
        bare.fail(bare.line, f"an example has an input, and then says what follows, {follows}")
    return replace(bare, inputs=tuple(inputs), assertions=tuple(assertions))


def judge_examples(
    examples: Iterable[Example], rules: GameRules, note: Note | None = None
) -> Iterator[Failure]:
    """Compare examples with the rules of their game.

    Args:
        examples: The examples.
        rules: The rules.
        note: Called with each question that an example asks; None if nobody listens.

    Yields:
        The assertions that are not true.

    Raises:
        KbScoreError: An example is no input of its game, or has a label that does not exist; a
            RuleError names the file, the line and the column.
    """
    # The rules of pictures are noted, too.
    rules = replace(rules, listener=None, warn=None, absent=() if note else _PICTURE)
    whole = sum(rules.read_parts(), Program(()))
    asked: list[_Asked] = []
    for example in examples:
        asked += _list_questions(example, rules, whole, note)
    # Boards, positions and small games are asked about together.
    plans = [_plan_answers(one) for one in asked]
    results = iter(ask_many(list(chain.from_iterable(plan.queries for plan in plans))))
    for one, plan in zip(asked, plans, strict=True):
        answers = _combine(one, plan, list(islice(results, len(plan.queries))))
        yield from _compare(one, answers)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about an example, with the lines of the example that it decides."""

    question: Question
    assertions: list[Assertion]

    @property
    def labels(self) -> list[str]:
        """The label of each line."""
        return [assertion.label for assertion in self.assertions]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The queries of a question, and the function that turns their results into answers."""

    queries: Sequence[Query[Any]]
    combine: Callable[[Sequence[Any]], Answers]


def _list_questions(
    example: Example, rules: GameRules, whole: Program, note: Note | None
) -> list[_Asked]:
    """List the questions about an example: one for each verb with the same settings."""
    found: dict[tuple[str, Settings], _Asked] = {}
    for assertion in example.assertions:
        verb = _find_verb(example, assertion.label)
        key = (verb, assertion.settings)
        if key not in found:
            question = _make_question(example, verb, assertion.settings, rules, whole, note)
            found[key] = _Asked(question, [])
        found[key].assertions.append(assertion)
    return list(found.values())


def judge_usable(
    examples: Sequence[Example], rules: GameRules, refuse: Callable[[KbScoreError], object]
) -> dict[Example, list[Failure]]:
    """Judge the examples that can be used.

    Args:
        examples: The examples.
        rules: The rules of their game.
        refuse: Called with the error of each example that cannot be used.

    Returns:
        The assertions that are not true, by example.
    """
    try:
        found: dict[int, list[Failure]] = {id(example): [] for example in examples}
        for failure in judge_examples(examples, rules):
            found[id(failure.question.example)].append(failure)
        return {example: found[id(example)] for example in examples}
    except LimitError:
        raise
    except KbScoreError as error:
        if len(examples) == 1:
            refuse(error)
            return {}
    middle = len(examples) // 2
    first = judge_usable(examples[:middle], rules, refuse)
    return first | judge_usable(examples[middle:], rules, refuse)


def find_named(program: Program) -> set[tuple[str, str]]:
    """Find what examples call by its name, such as a card, by its kind and its name."""
    found: set[tuple[str, str]] = set()
    for statement in program.statements:
        if statement.heads:
            for _, atom in functions_in(statement.node.head):
                if atom.name in _NAMING:
                    found.add((atom.name, str(atom.arguments[0])))
    return found


def choose_affected(examples: Iterable[Example], paths: Sequence[Path]) -> list[Example]:
    """Choose the examples that rule files can make a difference to."""
    names: set[str] = set()
    all_have_names = True
    for program in (read_program([path]) for path in paths):
        named = find_named(program)
        names.update(name for _, name in named)
        if program.derived and not named:
            all_have_names = False
    # A card shows only where it is named; other rules may affect any example.
    words = "|".join(names) or "(?!)"
    known = re.compile(rf"\b({words})\b" if all_have_names else "")
    return [
        example
        for example in examples
        if example.path in paths or known.search(f"{example.inputs}{example.assertions}")
    ]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about an example: a verb, with rulings and options."""

    example: Example
    verb: str  # legal, check, or what stands for check: score for a board, game for a game
    rules: GameRules  # with the rulings
    options: Settings
    line: int  # of the first assertion, from 1

    @property
    def board(self) -> Board:
        """The board that is scored, which may have odd sides."""
        ((name, text),) = self.example.files
        return parse_board(text, self.rules, name=name, allows="odd")


def _find_verb(example: Example, label: str) -> str:
    """Return the verb that decides a line of an example."""
    if _ASKED.fullmatch(label):
        return "legal"
    if example.game == asp.GAME and len(example.inputs) == 1:
        return "game" if is_game(example.inputs[0][1]) else "score"
    return "check"


def _make_question(
    example: Example,
    verb: str,
    settings: Settings,
    rules: GameRules,
    whole: Program,
    note: Note | None,
) -> Question:
    """Make a question about an example; a RuleError if it has no such setting."""
    known = whole.find_constants() if settings else ()
    rulings = tuple(pair for pair in settings if pair[0] in known)
    options = tuple(pair for pair in settings if pair not in rulings)
    first = next(one.line for one in example.assertions if one.settings == settings)
    try:
        whole.with_constants(dict(rulings))
    except RuleError as error:
        example.fail(first - 1, str(error))
    constants = (*rules.changes.constants, *rulings)
    own = replace(rules, changes=replace(rules.changes, constants=constants))
    if note is not None:
        own = replace(own, listener=partial(note, example, own))
    return Question(example, verb, own, options, first)


def _plan_answers(asked: _Asked) -> _Plan:
    """Plan how to answer a question; an input that the rules refuse may be its answer."""
    with _placed(asked.question):
        try:
            return _plan(asked.question, asked.labels)
        except InputError as error:
            refusal = _expect_refusal(error, asked.labels)
    return _Plan((), lambda _: refusal)


def _combine(asked: _Asked, plan: _Plan, results: Sequence[Any]) -> Answers:
    """Turn the results of a question's queries into its answers."""
    with _placed(asked.question):
        try:
            return plan.combine([unwrap(result) for result in results])
        except InputError as error:
            return _expect_refusal(error, asked.labels)


def _expect_refusal(error: InputError, labels: Sequence[str]) -> Answers:
    """Return the reason of an error if the example says that its input is refused.

    Raises:
        InputError: The example says something else; it is the given error.
    """
    if set(labels) != {_REFUSED}:
        raise error
    return {_REFUSED: (error.reason,)}


def _plan(question: Question, labels: Sequence[str]) -> _Plan:
    example = question.example
    rules = question.rules
    game = _load_game(example.game)
    options = dict(_read_options(question.verb, example.game, question.options))
    if question.verb == "legal":
        position = game.position(rules, example.files, options.pop("turn"), **options)
        return _plan_moves(position, labels)
    if question.verb == "game":
        ((name, text),) = example.files
        record = read_game(text, load_names(rules), name=name)
        return _Plan([game_query(record, rules)], lambda results: _list_rows(results[0]))
    if question.verb == "check":
        answers = _list_rows(game.check(rules, example.files, **options))
        return _Plan((), lambda _: answers)
    scorer = Scorer(load_rules(rules), players=options["players"])
    return _Plan([scorer.query(question.board)], lambda results: _list_gold(example, results[0]))


def _list_gold(example: Example, scores: Scores) -> Answers:
    """List what a board pays: by card, by player for the card of the file, and its findings."""
    answers: dict[str, Items] = {}
    if len(example.own) == 1:
        for player, gold in zip(scores.players, scores.gold[example.own[0]], strict=True):
            answers[f"player {player}"] = (str(gold),)
    for card, by_player in scores.gold.items():
        answers[card] = (str(render(by_player)),)
    codes = sorted({violation.code for violation in scores.violations})
    answers[_CODES] = tuple(codes) or (_NONE,)
    return answers


@cache
def _read_options(verb: str, game: str, given: Settings) -> Mapping[str, Any]:
    """Read settings that are no rulings as the verb's command would."""
    words: list[str] = []
    for name, value in given:
        words += [f"--{name.replace('_', '-')}", value]
    return _make_command(verb, game).make_context("with", words).params


@cache
def _load_game(folder: str) -> Game:
    return list_games()[folder.replace("_", "-")].type


@cache
def _make_command(verb: str, folder: str) -> click.Command:
    """Make a command that has the options of a verb which an example may give."""
    game = _load_game(folder)
    options: dict[str, Sequence[Decorator]] = {
        "score": [players_option],
        "game": [],
        "check": make_options(game.options.check),
        "legal": [
            click.option("--turn", type=click.IntRange(1)),
            *make_options(game.options.legal),
        ],
    }
    return click.command(verb, add_help_option=False)(decorate(lambda: None, *options[verb]))


@contextmanager
def _placed(question: Question) -> Iterator[None]:
    """Raise the errors of a game about an example as errors at the place in the rule file."""
    example = question.example
    try:
        yield
    except click.NoSuchOption as error:
        name = error.option_name.strip("-").replace("-", "_")
        example.fail(question.line - 1, f"there is no ruling or option {name!r} here")
    except click.UsageError as error:
        example.fail(question.line - bool(question.options), error.format_message())
    except (FormatError, InputError) as error:
        place = getattr(error, "place", Place("", 1, 1))
        line = question.line
        column = 1
        for (name, _), (first, _) in zip(example.files, example.inputs, strict=True):
            if str(error).startswith(f"{name}:"):
                line = first + place.line - 1
                column = place.column
        example.fail(line, error.reason, column)


def _plan_moves(position: Position, labels: Sequence[str]) -> _Plan:
    """Plan how to list the moves that begin with some words, or to judge a move."""
    turn = position if isinstance(position, TurnPosition) and not position.over else None
    queries: list[Query[Any]] = []
    known: list[Any] = []
    for label in labels:
        verb, _, words = label.partition(" ")
        if turn is not None:
            queries.append(turn.judge_query(words) if verb == "move" else turn.moves_query())
        elif verb == "move":
            known.append(judge_move(position, words))
        else:
            known.append([] if position.over else position.moves())

    def combine(results: Sequence[Any]) -> Answers:
        # Either every label has a query, or none has.
        return dict(zip(labels, map(_list_moves, labels, results or known), strict=True))

    return _Plan(queries, combine)


def _list_moves(label: str, result: Any) -> Items:
    """List the legal moves that begin with the words of a label, or the codes of a judged move."""
    verb, _, words = label.partition(" ")
    if verb == "move":
        codes = sorted({reason.code for reason in result.reasons})
        return tuple(codes) or (result.counts_as or FINE,)
    found: list[str] = []
    for legal in result:
        for move in legal.moves:
            if move.startswith(words):
                found.append(move.removeprefix(words).strip())
    return tuple(found) or (_NONE,)


def _list_rows(verdict: Verdict) -> Answers:
    """List what is said about a record: results, counts, and the codes by turn."""
    rows: dict[str, Items] = {}
    for key, value in verdict.result.items():
        rows[key] = (str(render(value)),)
    for table in verdict.tables:
        for name, *values in table.rows:
            if isinstance(name, str):
                rows[name] = (str(render(values)),)
    codes = defaultdict[str, set[str]](set)
    for found in verdict.violations:
        label = _CODES if found.turn is None else f"turn {found.turn}"
        codes[label].add(found.code)
    for label, of_label in codes.items():
        rows[label] = tuple(sorted(of_label))
    return rows


def _compare(asked: _Asked, answers: Answers) -> Iterator[Failure]:
    """Yield the assertions that are not true, then the missing ones."""
    question = asked.question
    for assertion in asked.assertions:
        label = assertion.label
        got = answers.get(label, ())
        if not got and _TURN.fullmatch(label):
            got = (FINE,)
        elif not got and label == _CODES:
            got = (_NONE,)
        if not got:
            known = _list_labels(question.example, label, answers)
            question.example.fail(assertion.line, f"there is no {label!r} here, but {known}")
        if sorted(got) != _split(assertion, got):
            yield Failure(question, assertion, got)
    # What breaks a rule has to be said, but for boards, which are parts of boards.
    if question.verb in ("check", "game"):
        for label, got in answers.items():
            if label not in asked.labels and (_TURN.fullmatch(label) or label == _CODES):
                missing = replace(asked.assertions[0], label=label, wanted="")
                yield Failure(question, missing, got)


def _list_labels(example: Example, label: str, answers: Answers) -> str:
    """List the labels that there are, and guess which one is meant."""
    if not label.startswith("player "):
        return f"{describe_list([*answers])}{guess(label, answers)}"
    if len(example.own) != 1:
        return "the cards by name: the file states no card, or several"
    return f"{describe_list([*answers])}; who has no settlement has no gold"


def _split(said: Assertion, got: Items) -> list[str]:
    """Split the expected value; ``;`` or, if no item has blanks, blanks separate those of a set."""
    if not _SET.match(said.label):
        return [" ".join(said.wanted.split())]
    if any(" " in item for item in got):
        items = said.wanted.split(";")
    else:
        items = said.wanted.replace(";", " ").split()
    return sorted(item.strip() for item in items) or [""]


def write_items(got: Items) -> str:
    """Write the value of a label as an example has it."""
    separator = "; " if any(" " in item for item in got) else " "
    return separator.join(got)


def write_example(
    title: str, inputs: Sequence[str], settings: Iterable[tuple[str, str]], said: Mapping[str, str]
) -> str:
    """Write an example to be pasted: its inputs, its settings, and the values by label."""
    text = "---\n".join(inputs)
    holds = ", ".join(map(" = ".join, settings))
    if holds:
        text += f"with {holds}\n"
    assertions = "\n".join(map(": ".join, said.items()))
    return f"%*! Example: {title}\n{text}{assertions} *%"


def show_failures(failures: Iterable[Failure]) -> list[Block]:
    """Show what examples expect and what the rules say, with the inputs of the first failures.

    Each drawing takes a question to the rules.
    """
    blocks: list[Block] = []
    for number, failure in enumerate(failures):
        blocks += _show_failure(failure, with_input=number < _MOST_DRAWN)
    return blocks


def _show_failure(failure: Failure, *, with_input: bool) -> list[Block]:
    example = failure.question.example
    said = failure.assertion
    where = f"{name_rule_file(str(example.path))}:{said.line}"
    blocks: list[Block] = [Text(f"{where}: {example.title}", "heading")]
    if with_input:
        blocks.append(_draw(failure))
    holds = ", ".join(f"{name} = {value}" for name, value in said.settings)
    row = (said.label, said.wanted, write_items(failure.got))
    blocks.append(Table(holds, ("", "wanted", "got"), (row,)))
    return blocks


def _draw(failure: Failure) -> Text:
    """Draw the input; on a board that is scored, what pays for the card in question is marked."""
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
    """Find the first player of a board whose gold is not the expected one; 1 if there is none."""
    players = sorted(set(PLAYERS).intersection(board))
    wanted = failure.assertion.wanted.split()
    paid = enumerate(failure.got[0].split())
    differs = next((index for index, gold in paid if wanted[index : index + 1] != [gold]), 0)
    return players[differs] if differs < len(players) else "1"
