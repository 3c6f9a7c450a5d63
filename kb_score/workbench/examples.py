"""Examples in rule files: a small input in the format of its game, and what the rules say of it.

`find_examples` reads those of some files; `judge_examples` compares them with given rules, as often
as one likes. docs/test-your-rules.md describes how an example is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
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
from kb_score.games.kingdom_builder.board import Board, is_game, parse_board
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

# A comment that is meant to be one.
_MISSED = re.compile(r"^(?!%\*!\s*Example\b)[ \t]*%\*!?[ \t]*(?i:example):", re.MULTILINE)
_EXAMPLE = re.compile(r"^%\*!\s*Example\b:?([^\n]*?)(?:\n(.*?))?\s*\*%", re.DOTALL | re.MULTILINE)
# Below the input stands what follows: a label, a colon, a value; or what it follows with.
_CLAIM = re.compile(r"([a-z][^:\n]*?)[ \t]*:(?:[ \t]+(.*))?")
_WITH = re.compile(r"with (?=\w+ = )(.*)")
_SETTING = re.compile(r"(\w+) = (.*?)(?:, (?=\w+ = )|$)")
_DIVIDER = "---"
# Labels about a position, and those whose values are a set.
_ASKED = re.compile(r"(legal|move)(?: (.*))?")
_SET = re.compile(r"(legal|move|turn|violations)\b")
# What states something that examples call by its name.
_NAMING = {"card", "deed", "tile"}
_TURN, _CODES = re.compile(r"turn \d+"), "violations"
# The inputs of this many failures are drawn.
_MOST_DRAWN = 50
# What is said of what breaks no rule.
FINE, _NONE = "legal", "none"
# What is said of an input that is none.
_REFUSED = "refused"
# What a picture of a record is made of: no example speaks of it.
_PICTURE = (
    *("pictured", "cell", "colour", "highlight", "look", "mark"),
    *("occupant", "piece", "says", "shown", "sharing"),
)

# What the rules say under a label: one value, or those of a set.
Items: TypeAlias = tuple[str, ...]
Answers: TypeAlias = Mapping[str, Items]
# Notes what is asked for an example, by rules with its rulings.
Note: TypeAlias = Callable[["Example", GameRules, Asked], object]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A line of an example: what stands under a label, such as ``player 1``, by the rules."""

    label: str
    wanted: str
    line: int  # in the file, from 1
    settings: tuple[tuple[str, str], ...] = ()  # the rulings and options that it is true with


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
    """A line of an example that is not true, or a missing one about what breaks a rule."""

    question: Question
    assertion: Assertion
    got: Items


def find_examples(
    game: str, paths: Iterable[Path], refuse: Callable[[RuleError], object] | None = None
) -> Iterator[Example]:
    """Read the examples of rule files of a game.

    A RuleError says where one cannot be read; if ``refuse`` takes it, the others are read.
    """
    for path in paths:
        text, own = path.read_text(encoding="utf-8"), tuple[str, ...]()
        if missed := _MISSED.search(text):
            hint = "this looks like an example, which begins with '%*! Example:' at a line's start"
            bare = Example(path, game, "", text.count("\n", 0, missed.start()) + 1, (), ())
            bare.fail(bare.line, hint)
        for number, found in enumerate(_EXAMPLE.finditer(text)):
            if not number and game == asp.GAME and "card(" in text:
                heads = asp.find_heads(predicate_of(asp.Card), read_program([path]))
                own = tuple(head.name for head in heads)
            line = text.count("\n", 0, found.start(1)) + 1
            bare = Example(path, game, found[1].strip(), line, (), (), own)
            try:
                yield read_example(bare, (found[2] or "").split("\n"))
            except RuleError as error:
                if refuse is None:
                    raise
                refuse(error)


def read_example(bare: Example, lines: list[str]) -> Example:
    """Read the lines of an example below its title."""
    first, settings = len(lines), tuple[tuple[str, str], ...]()
    while first and (_WITH.fullmatch(lines[first - 1]) or _CLAIM.fullmatch(lines[first - 1])):
        first -= 1
    assertions = list[Assertion]()
    for number, line in enumerate(lines[first:], bare.line + 1 + first):
        if said := _WITH.fullmatch(line):
            settings = tuple(_SETTING.findall(said[1]))
        elif found := _CLAIM.fullmatch(line):
            assertions.append(Assertion(found[1], (found[2] or "").strip(), number, settings))
    ends = [n for n, line in enumerate(lines[:first]) if line.strip() == _DIVIDER]
    begins = [0, *(n + 1 for n in ends)]
    inputs = tuple(
        (bare.line + 1 + begin, "".join(f"{line}\n" for line in lines[begin:end]))
        for begin, end in zip(begins, [*ends, first], strict=True)
    )
    if not bare.title:
        bare.fail(bare.line, "an example begins with what it shows, as in Example: TITLE")
    if not assertions or not inputs[0][1].strip():
        follows = "such as 'player 1: 2', 'turn 3: not-free' or 'legal: 0,0 0,1'"
        bare.fail(bare.line, f"an example has an input, and then says what follows, {follows}")
    return replace(bare, inputs=inputs, assertions=tuple(assertions))


def judge_examples(
    examples: Iterable[Example], rules: GameRules, note: Note | None = None
) -> Iterator[Failure]:
    """Compare examples with the rules of their game; ``note`` is called with what each asks.

    Raises:
        KbScoreError: An example is no input of its game, or names what there is not; a RuleError
            names the file, the line and the column.
    """
    # Who notes what is asked notes the rules of pictures, too.
    rules = replace(rules, listener=None, warn=None, absent=() if note else _PICTURE)
    whole = sum(rules.read_parts(), Program(()))
    asked = list[_Asked]()
    for example in examples:
        asked += _list_questions(example, rules, whole, note)
    # Boards, positions and small games are asked about together.
    plans = [_plan_answers(one.question, one.labels) for one in asked]
    results = iter(ask_many([query for plan in plans for query in plan.queries]))
    for one, plan in zip(asked, plans, strict=True):
        answers = _combine(one, plan, [next(results) for _ in plan.queries])
        yield from _compare(one.question, one.assertions, answers)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about an example, with the lines of the example that it decides."""

    question: Question
    assertions: list[Assertion]

    @property
    def labels(self) -> list[str]:
        """The labels of the lines, each once a line."""
        return [said.label for said in self.assertions]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The queries of a question, and the function that makes its answers of their results."""

    queries: Sequence[Query[Any]]
    combine: Callable[[Sequence[Any]], Answers]


def _list_questions(
    example: Example, rules: GameRules, whole: Program, note: Note | None
) -> list[_Asked]:
    """List what is asked about an example: one question for each verb and each setting."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], _Asked] = {}
    for said in example.assertions:
        key = _find_verb(example, said), said.settings
        if key not in found:
            found[key] = _Asked(_make_question(example, said, rules, whole, note), [])
        found[key].assertions.append(said)
    return list(found.values())


def judge_usable(
    examples: Sequence[Example], rules: GameRules, refuse: Callable[[KbScoreError], object]
) -> dict[Example, list[Failure]]:
    """Judge the examples that can be used; ``refuse`` takes why others cannot."""
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
    first, second = examples[:middle], examples[middle:]
    return {**judge_usable(first, rules, refuse), **judge_usable(second, rules, refuse)}


def find_named(program: Program) -> set[tuple[str, str]]:
    """Find what rules state that examples call by its name, such as a card: its kind and name."""
    heads = [a for s in program.statements if s.heads for _, a in functions_in(s.node.head)]
    return {(atom.name, str(atom.arguments[0])) for atom in heads if atom.name in _NAMING}


def choose_affected(examples: Iterable[Example], paths: Sequence[Path]) -> list[Example]:
    """Choose the examples that rule files can make a difference to."""
    # What has a name shows only where it is named; of other rules any example may be about.
    programs = (program for path in paths if (program := read_program([path])).derived)
    named = [find_named(program) for program in programs]
    words = "|".join(name for names in named for _, name in names) or "(?!)"
    known = re.compile(rf"\b({words})\b" if all(named) else "")
    return [e for e in examples if e.path in paths or known.search(f"{e.inputs}{e.assertions}")]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about an example by a verb, with the same rulings and options."""

    example: Example
    verb: str  # legal, check, or what stands for check: score for a board, game for a game
    rules: GameRules  # with the rulings
    options: tuple[tuple[str, str], ...]
    line: int  # of the first assertion, from 1

    @property
    def board(self) -> Board:
        """The board that is scored, which may have odd sides."""
        ((name, text),) = self.example.files
        return parse_board(text, self.rules, name=name, allows="odd")


def _find_verb(example: Example, said: Assertion) -> str:
    """Return the verb that decides a line of an example."""
    if _ASKED.fullmatch(said.label):
        return "legal"
    if example.game == asp.GAME and len(example.inputs) == 1:
        return "game" if is_game(example.inputs[0][1]) else "score"
    return "check"


def _make_question(
    example: Example, said: Assertion, rules: GameRules, whole: Program, note: Note | None
) -> Question:
    """Make the question that decides a line of an example; ``said`` is the first such line."""
    verb = _find_verb(example, said)
    known = whole.find_constants() if said.settings else ()
    rulings = tuple(pair for pair in said.settings if pair[0] in known)
    first = next(one.line for one in example.assertions if one.settings == said.settings)
    try:
        whole.with_constants(dict(rulings))
    except RuleError as error:
        example.fail(first - 1, str(error))
    changes = replace(rules.changes, constants=(*rules.changes.constants, *rulings))
    options = tuple(pair for pair in said.settings if pair not in rulings)
    own = replace(rules, changes=changes)
    own = replace(own, listener=partial(note, example, own)) if note else own
    return Question(example, verb, own, options, first)


def _plan_answers(question: Question, labels: Sequence[str]) -> _Plan:
    """Plan how to answer a question; an input that the rules refuse may be its answer."""
    with _placed(question):
        try:
            return _plan(question, labels)
        except InputError as error:
            refusal = _expect_refusal(error, labels)
    return _Plan((), lambda _: refusal)


def _combine(asked: _Asked, plan: _Plan, results: Sequence[Any]) -> Answers:
    """Make the answers of a question from the results of its queries."""
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
        verdict = game.check(rules, example.files, **options)
        return _Plan((), lambda _: _list_rows(verdict))
    scorer = Scorer(load_rules(rules), players=options["players"])
    return _Plan([scorer.query(question.board)], lambda results: _list_gold(example, results[0]))


def _list_gold(example: Example, scores: Scores) -> Answers:
    """List what a board pays: by card, by player for the card of the file, and its findings."""
    own = scores.gold[example.own[0]] if len(example.own) == 1 else ()
    codes = sorted({violation.code for violation in scores.violations})
    return {
        **{f"player {p}": (str(paid),) for p, paid in zip(scores.players, own, strict=False)},
        **{card: (str(render(gold)),) for card, gold in scores.gold.items()},
        _CODES: tuple(codes) or (_NONE,),
    }


@cache
def _read_options(verb: str, game: str, given: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
    """Read settings that are no rulings as the verb's command would."""
    pairs = ((f"--{name.replace('_', '-')}", value) for name, value in given)
    words = [word for pair in pairs for word in pair]
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
    """Tell where in the rule file an error is, which a game tells in its own words."""
    example = question.example
    try:
        yield
    except click.NoSuchOption as error:
        name = error.option_name.strip("-").replace("-", "_")
        example.fail(question.line - 1, f"there is no ruling or option {name!r} here")
    except click.UsageError as error:
        example.fail(question.line - bool(question.options), error.format_message())
    except (FormatError, InputError) as error:
        place, line, column = getattr(error, "place", Place("", 1, 1)), question.line, 1
        for (name, _), (first, _) in zip(example.files, example.inputs, strict=True):
            if str(error).startswith(f"{name}:"):
                line, column = first + place.line - 1, place.column
        example.fail(line, error.reason, column)


def _plan_moves(position: Position, labels: Sequence[str]) -> _Plan:
    """Plan how to list the moves that begin with some words, or what is said of a move."""
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
        found = zip(labels, results or known, strict=True)
        return {label: _list_moves(label, result) for label, result in found}

    return _Plan(queries, combine)


def _list_moves(label: str, result: Any) -> Items:
    """List the legal moves that begin with the words of a label, or the codes of a judged move."""
    verb, _, words = label.partition(" ")
    if verb == "move":
        codes = sorted({reason.code for reason in result.reasons})
        return tuple(codes) or (result.counts_as or FINE,)
    legal = result
    found = [move for one in legal for move in one.moves]
    rest = (move.removeprefix(words).strip() for move in found if move.startswith(words))
    return tuple(rest) or (_NONE,)


def _list_rows(verdict: Verdict) -> Answers:
    """List what is said of a record: results, counts, and the codes by turn."""
    rows = {key: (str(render(value)),) for key, value in verdict.result.items()}
    for table in verdict.tables:
        rows |= {row[0]: (str(render(row[1:])),) for row in table.rows if isinstance(row[0], str)}
    codes = defaultdict[str, set[str]](set)
    for found in verdict.violations:
        codes[_CODES if found.turn is None else f"turn {found.turn}"].add(found.code)
    return {**rows, **{label: tuple(sorted(found)) for label, found in codes.items()}}


def _compare(
    question: Question, assertions: Sequence[Assertion], answers: Answers
) -> Iterator[Failure]:
    said = {one.label for one in assertions}
    for one in assertions:
        fine = (FINE,) if _TURN.fullmatch(one.label) else (_NONE,) * (one.label == _CODES)
        got = answers.get(one.label, fine)
        if not got:
            known = f"{describe_list([*answers])}{guess(one.label, answers)}"
            if one.label.startswith("player ") and len(question.example.own) != 1:
                known = "the cards by name: the file states no card, or several"
            elif one.label.startswith("player "):
                known = f"{describe_list([*answers])}; who has no settlement has no gold"
            question.example.fail(one.line, f"there is no {one.label!r} here, but {known}")
        if sorted(got) != _split(one, got):
            yield Failure(question, one, got)
    # What breaks a rule has to be said, but for boards, which are parts of boards.
    for label, got in answers.items() if question.verb in ("check", "game") else ():
        if label not in said and (_TURN.fullmatch(label) or label == _CODES):
            missing = replace(assertions[0], label=label, wanted="")
            yield Failure(question, missing, got)


def _split(said: Assertion, got: Items) -> list[str]:
    """Split what is wanted: a set's items have ``;`` or, if they are words, blanks between them."""
    if not _SET.match(said.label):
        return [" ".join(said.wanted.split())]
    has_words = any(" " in item for item in got)
    items = said.wanted.split(";") if has_words else said.wanted.replace(";", " ").split()
    return sorted(item.strip() for item in items) or [""]


def write_items(got: Items) -> str:
    """Write what the rules say under a label, as an example has it."""
    return ("; " if " " in "".join(got) else " ").join(got)


def write_example(
    title: str, inputs: Sequence[str], settings: Iterable[tuple[str, str]], said: Mapping[str, str]
) -> str:
    """Write an example to be pasted: its inputs, what holds, and what is said under labels."""
    holds = ", ".join(map(" = ".join, settings))
    text = "---\n".join(inputs) + (f"with {holds}\n" if holds else "")
    return f"%*! Example: {title}\n{text}" + "\n".join(map(": ".join, said.items())) + " *%"


def show_failures(failures: Iterable[Failure]) -> list[Block]:
    """Show what examples have wanted and what the rules say; the first with their inputs.

    To draw an input takes a question to the rules, so that thousands of failures draw only some.
    """
    blocks: list[Block] = []
    for number, failure in enumerate(failures):
        blocks += _show_failure(failure, with_input=number < _MOST_DRAWN)
    return blocks


def _show_failure(failure: Failure, *, with_input: bool) -> list[Block]:
    example, said = failure.question.example, failure.assertion
    where = f"{name_rule_file(str(example.path))}:{said.line}"
    holds = ", ".join(f"{name} = {value}" for name, value in said.settings)
    row = said.label, said.wanted, write_items(failure.got)
    table = Table(holds, ("", "wanted", "got"), (row,))
    heading = Text(f"{where}: {example.title}", "heading")
    return [heading, _draw(failure), table] if with_input else [heading, table]


def _draw(failure: Failure) -> Text:
    """Draw the input; on a board that is scored, what pays for the card in question is marked."""
    question, said = failure.question, failure.assertion
    text = "---\n".join(text for _, text in question.example.files)
    if question.verb != "score" or said.label == _CODES:
        return Text(text.rstrip("\n"), "picture")
    card, player = said.label, said.label.partition("player ")[2]
    if player:
        (card,) = question.example.own
    else:  # the first player for whom the two differ
        paid, wanted = failure.got[0].split(), said.wanted.split()
        differs = (n for n, gold in enumerate(paid) if wanted[n : n + 1] != [gold])
        player = "".join(sorted({*text} & {*"12345"}))[next(differs, 0) :][:1] or "1"
    rules = load_rules(GameRules(asp.GAME, question.rules.changes))
    return draw_hexes(draw_board(question.board, rules, (card, int(player))))
