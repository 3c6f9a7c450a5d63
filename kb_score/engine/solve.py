"""Programs and facts to answers: grounding and solving with clingo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from clingo import Control, Model, Number
from clingo.ast import AST, ASTType, Defined, Location, Position, ProgramBuilder, ShowSignature

from kb_score.engine.program import (
    DEFAULT,
    DRIVER,
    SYNTAX,
    Limits,
    Logger,
    Program,
    Signature,
    Statement,
    collected_messages,
    error_at,
    parse_program,
    plain_head,
)
from kb_score.engine.supervisor import Deadline, Supervisor
from kb_score.engine.terms import Answer, Facts, FactSource, Row, Term, Value, to_atom
from kb_score.errors import RuleError

NONE = "the rules have no answer set: they contradict themselves or the facts"
SEVERAL = "the rules have more than one answer set: everything must follow from the facts"

_NOWHERE = Location(Position(DRIVER, 1, 1), Position(DRIVER, 1, 1))


class AnswerSetError(RuleError):
    """The rules have no answer set, or several although they should decide everything."""


def solve_each(
    program: Program,
    facts: Facts,
    options: Sequence[str] = (),
    *,
    parts: Sequence[tuple[str, int]] = (),
    best: bool = False,
) -> list[Answer]:
    """Ground a program and solve it; list the shown atoms of each answer set, or of a best one.

    Args:
        program: The rules.
        facts: What they are about.
        options: Options of clingo.
        parts: The parts that are grounded beside the base part, each for one turn.
        best: Whether to list only one answer set, of the lowest cost.
    """
    source = FactSource(choose_facts(facts, program))
    grounded = [("base", []), *((part, [Number(turn)]) for part, turn in parts)]
    with collected_messages() as log:
        control = open_control(program + parse_rules(tuple(source.taking_in)), log, *options)

        def solve() -> list[Answer]:
            control.ground(grounded, context=source)
            with control.solve(yield_=True) as models:
                if not best:
                    return list(map(read_model, models))
                # Only the best one is read: a long game has many atoms.
                free = next((model for model in models if not any(model.cost)), None)
                found = free or models.last()
                return [] if found is None else [read_model(found)]

        return Supervisor(program).run(solve, control.interrupt)


def only_one(answers: Sequence[Answer]) -> Answer:
    """Return the only answer set; an AnswerSetError if there is none, or more than one."""
    if len(answers) != 1:
        raise AnswerSetError(SEVERAL if answers else NONE)
    return answers[0]


def open_control(
    program: Program, log: Logger, *options: str, shown: Sequence[Signature] = ()
) -> Control:
    """Return a control that holds a program; models also show ``shown``."""
    constants = (f"-c{name}={value}" for name, value in program.constants)
    control = Control([*constants, *options], logger=log)
    with SYNTAX, ProgramBuilder(control) as builder:
        for statement in program.statements:
            builder.add(statement.node)
        for signature in program.defined:
            builder.add(_define(signature))
        # Without any #show clingo would write every atom into its output.
        for name, arity in [("", 0), *shown]:
            builder.add(ShowSignature(_NOWHERE, name, arity, True))
    return control


@lru_cache(maxsize=1 << 10)
def _define(signature: Signature) -> AST:
    return Defined(_NOWHERE, *signature, True)


def read_model(model: Model) -> Answer:
    """Copy the shown atoms out of a model, which does not outlive its solve call."""
    rows: dict[Signature, list[Row]] = {}
    for symbol in model.symbols(shown=True):
        signature, row = to_atom(symbol)
        rows.setdefault(signature, []).append(row)
    return Answer(rows)


@lru_cache(maxsize=256)
def parse_rules(rules: tuple[str, ...]) -> Program:
    """Parse rules that take in facts. Cached, since the same predicates have facts again."""
    return parse_program("\n".join(rules))


def choose_facts(facts: Facts, program: Program) -> Facts:
    """Leave out the facts that no rule asks for, since handing them over takes time."""
    # Lifted rules ask which boards there are, beside what they asked for before.
    return {name: rows for name, rows in facts.items() if name in program.asked or name == "board"}


class AnswerSearch:
    """A program that is grounded once, and searched for answer sets that differ in what is shown.

    Grounding and solving raise TimeUp at the deadline, or a LimitError.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        shown: Signature,
        deadline: Deadline,
        options: Sequence[str] = (),
    ) -> None:
        limits = Limits(None, (program.limits or DEFAULT).memory)
        program = replace(show_only(program, shown), limits=limits)
        source = FactSource(choose_facts(facts, program))
        deadline.check()
        self._supervisor = Supervisor(program, deadline)
        with collected_messages() as log:
            whole = program + parse_rules(tuple(source.taking_in))
            self._control = open_control(whole, log, "--project=show", *options)
            self._supervisor.run(lambda: self._control.ground([("base", [])], context=source))

    def find(self, mode: str = "auto") -> Iterator[Answer]:
        """Yield the answer sets; in the mode "cautious" ever smaller parts that all may share."""
        settings = self._control.configuration.solve
        assert not isinstance(settings, str | int | None)
        settings.enum_mode = mode
        settings.models = 0
        yield from map(read_model, self._supervisor.models(self._control))


def show_only(program: Program, *shown: Signature) -> Program:
    """Leave out the ``#show`` lines of other predicates; without any, all atoms are shown."""

    def stays(node: AST) -> bool:
        if node.ast_type == ASTType.ShowSignature:
            return (node.name, node.arity) in shown
        return node.ast_type != ASTType.ShowTerm

    return replace(program, statements=tuple(s for s in program.statements if stays(s.node)))


# How many rules at most are left out in turn, to see whether one answer set remains.
_TRIED = 50

_Ask = Callable[[Program], Sequence[Answer]]


def check_alone(program: Program, ask: _Ask, *, choices: bool) -> None:
    """Check that a user's rules are safe, and that those which need none of ours decide everything.

    Args:
        program: The user's rules.
        ask: Solves a program.
        choices: Whether the user's rules may leave a choice.

    Raises:
        RuleError: A rule is unsafe, or there is no answer set, or more than one.
    """
    with collected_messages() as log:
        Supervisor(program).run(open_control(program, log).ground)
    # What depends on choices, or on what rules of the game derive, is left out.
    own = [s for s in program.statements if not (choices and s.guides and s.heads)]
    while True:
        left_out = set(program.statements).difference(own)
        given = program.defined - Program(tuple(own)).derived
        open_ = given.union(*(statement.heads for statement in left_out))
        kept = [statement for statement in own if open_.isdisjoint(statement.body)]
        if len(kept) == len(own):
            break
        own = kept
    rules = replace(program, statements=tuple(own), defined=program.defined | program.derived)
    if not find_suspects(rules):
        return
    answers = ask(rules)
    if len(answers) != 1:
        raise find_conflict(rules, ask, several=bool(answers))


def find_conflict(program: Program, ask: _Ask, *, several: bool) -> AnswerSetError:
    """Find the rule of a user without which there is one answer set, and make the error of it."""
    message = SEVERAL if several else NONE
    suspects = find_suspects(program)
    if not suspects:
        return AnswerSetError(message)
    # A rule that asks for its own head is the likelier cause.
    suspects.sort(key=lambda s: s.heads.isdisjoint(s.body))
    cause = next((s for s in suspects[:_TRIED] if _is_cause(program, ask, s)), suspects[0])
    if several:
        hint = _tell_apart(program, ask)
    elif not cause.heads:
        hint = "what this rule forbids is the case"
    else:
        words = " or ".join(sorted(f"{name}/{arity}" for name, arity in cause.heads))
        hint = f"{words} depends on its own absence"
    return AnswerSetError(str(error_at(cause.node.location, message, hint)))


def name_suspect(
    program: Program, message: str, open_: frozenset[Signature] = frozenset()
) -> RuleError:
    """Make the error with a message, at a rule of the user that may be the cause."""
    suspects = find_suspects(program)
    suspects.sort(key=lambda s: open_.isdisjoint(s.heads))
    if not suspects:
        return RuleError(message)
    return error_at(suspects[0].node.location, message)


def find_origin(users: Program, fact: Value, message: str) -> RuleError:
    """Make the error with a message about a fact, at the rule of the user that derives it."""
    if not isinstance(fact, Term):
        fact = Term("", ())
    best = -1
    place = None
    for statement in users.statements:
        head = plain_head(statement)
        if head is None or head.name != fact.name or len(head.arguments) != len(fact.arguments):
            continue
        pairs = zip(head.arguments, fact.arguments, strict=True)
        alike = sum(str(term) == str(value) for term, value in pairs)
        if alike > best:
            best = alike
            place = head.location
    return RuleError(message) if place is None else error_at(place, message)


def find_suspects(program: Program) -> list[Statement]:
    """Find the rules of a user that are choices or constraints, or part of a loop."""
    # There may be thousands of facts: they are part of no loop.
    return [
        s
        for s in program.statements
        if s.is_users and (s.guides or (s.body and s.body & program.find_dependents(s.heads)))
    ]


def _is_cause(program: Program, ask: _Ask, suspect: Statement) -> bool:
    """Return whether there is one answer set without a rule."""
    others = tuple(s for s in program.statements if s is not suspect)
    defined = program.defined | suspect.heads | suspect.body
    try:
        return len(ask(replace(program, statements=others, defined=defined))) == 1
    except RuleError:
        return False


def _tell_apart(program: Program, ask: _Ask) -> str:
    """Name an atom of a user's rules that holds in one answer set, and one that does in another."""
    heads = Program(tuple(s for s in program.statements if s.is_users)).derived
    shown = parse_program(" ".join(f"#show {name}/{arity}." for name, arity in sorted(heads)))
    answers = ask(replace(program + shown, defined=program.defined | heads))
    first, second = map(_list_terms, answers[:2])
    told = [min(map(str, some)) for some in (first - second, second - first) if some]
    one, *others = told or ["something"]
    other = f"has {others[0]}" if others else "does not"
    return f"one answer set has {one}, another {other}"


def _list_terms(answer: Answer) -> set[Term]:
    """List the atoms of an answer as terms."""
    terms = set[Term]()
    for (name, _), rows in answer.rows.items():
        terms.update(Term(name, row) for row in rows)
    return terms
