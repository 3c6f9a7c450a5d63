"""Cases of users' rules with names of ours: of a predicate, a file, a card or a tile.

A rule that derives a predicate of ours is refused, with both places, unless a documentation block
says "users may add to it". A file with the name of one of ours is refused where it does not lie at
that file's path; there it replaces ours, and a note says so. Nothing changes figures silently.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from clingo.ast import AST, ASTType, parse_files

from kb_score.engine.changes import list_shipped
from tools.campaign import seeds, texts
from tools.campaign.case import Case, Expected
from tools.campaign.questions import Question, draw_question

_ASP = seeds.ROOT / "asp"
_COMMON = "common"
_BLOCK = re.compile(r"%\*!\s*(-?[a-z_]\w*)(?:\(([^)]*)\))?(.*?)\*%", re.DOTALL)
_IS_POINT = re.compile(r"users\s+may\s+add\s+to\s+it", re.IGNORECASE)
_JSON = ("--format", "json")

# Fine rules, whose names clash with nothing of ours.
_FINE = {
    "kingdom_builder": (
        'card(zz, 40, "x").\nzz_rim(R,C) :- hex(R,C), near(R,C,R1,C1), terrain(water,R1,C1).\n'
        "gold(zz, P, hex(R,C), 1) :- settlement(P,R,C), zz_rim(R,C).\n"
    ),
    "search_party": 'violation(T,"zz","",("turn",T)) :- turn(T), T > 900.\n',
    "slime": 'violation(T,"zz","",("turn",T)) :- turn(T), T > 900.\n',
    "rabbits": 'violation(T,"zz","",("turn",T)) :- turn(T), T > 900.\n',
}

_STATED = {
    "card": 'card({name}, 41, "x").\ngold({name}, P, x, 1) :- player(P).\n',
    "tile": 'tile({name}, build, 1, "x").\nground({name}, canyon).\nclose({name}, possible).\n',
}


def draw_clash(rng: random.Random) -> Case:
    """Draw a case of rules that clash with ours, or that only look like it."""
    question = draw_question(rng)
    ways = [_derive_ours, _derive_ours, _misplace_file, _misplace_file, _replace_file, _add_fine]
    if question.game == "kingdom_builder":
        ways += [_state_twice, _state_twice]
    return rng.choice(ways)(rng, question)


def _make_case(question: Question, files: dict[str, bytes], expected: Expected) -> Case:
    words = (*question.words, *_JSON)
    plain = Expected(expected.statuses, expected.refusal, expected.note, words)
    return Case("clashes", (*words, "--rules", "r"), question.files | files, expected=plain)


def _derive_ours(rng: random.Random, question: Question) -> Case:
    """Draw a helper that has the name of a predicate which our rules derive."""
    name, arity = rng.choice(_list_closed(question.game))
    arguments = rng.choice(
        (
            [str(rng.randrange(4)) for _ in range(arity)],
            [rng.choice(("X", "1", "none")) for _ in range(arity)],
        )
    )
    head = f"{name}({','.join(arguments)})" if arity else name
    condition = " :- X = 0..2" if "X" in arguments else ""
    rule = f"{head}{condition}.\n"
    if rng.random() < 0.3:
        rule = f"zz_helper(1).\n{{ {head} }}{condition}.\n"
    if rng.random() < 0.3:
        rule = f"{rng.choice(_list_parts(question.game))}\n{rule}"
    text = _FINE[question.game] + rule
    # The place of the user's rule, then that of ours.
    refusal = (r"r/mine\.lp:\d+:\d+: ", rf"\b{re.escape(name)}/{arity}\b", r"asp/\S+\.lp:\d+")
    return _make_case(question, {"r/mine.lp": text.encode()}, Expected((2,), refusal))


def _misplace_file(rng: random.Random, question: Question) -> Case:
    """Draw a file that has the name of one of ours, but lies where it replaces nothing."""
    path = rng.choice(_list_files(question.game))
    place = _place_of(path)
    folders = ["", "x/", "cards/", "rules/", f"{question.game}/x/", "x/y/", "Cards/"]
    right = {str(place), f"{question.game}/{place}"}
    names = [f"{folder}{path.name}" for folder in folders]
    name = rng.choice([name for name in names if name not in right])
    fine = _FINE[question.game].encode()
    ours = path.read_bytes()
    text = rng.choice((fine, fine, ours, texts.mutate(rng, ours)))
    refusal = (re.escape(path.name), re.escape(str(place)))
    return _make_case(question, {f"r/{name}": text}, Expected((2,), refusal))


def _replace_file(rng: random.Random, question: Question) -> Case:
    """Draw a file that replaces one of ours: a copy, or a text that a note tells of."""
    path = rng.choice(_list_files(question.game))
    place = str(_place_of(path))
    is_shared = place.startswith(f"{_COMMON}/")
    if not is_shared and rng.random() < 0.5:
        place = f"{question.game}/{place}"
    text = path.read_bytes()
    if rng.random() < 0.4:
        return _make_case(question, {f"r/{place}": text}, Expected((0, 1)))
    changed = rng.choice((texts.mutate(rng, text), text + b"% The end.\n"))
    note = rf"note: .*{re.escape(path.name)}" if changed != text else ""
    return _make_case(question, {f"r/{place}": changed}, Expected(note=note))


def _add_fine(rng: random.Random, question: Question) -> Case:
    """Draw rules whose helpers have names of their own, perhaps almost those of ours."""
    name, arity = rng.choice(_list_closed(question.game))
    longer = f"{name}s" if rng.random() < 0.5 else f"my_{name}"
    taken = {head for head, _ in _list_heads(question.game)}
    text = _FINE[question.game]
    if longer not in taken and not longer.startswith("-"):
        arguments = ",".join(["1"] * (arity + 1))
        text += f"{longer}({arguments}).\n"
    return _make_case(question, {"r/mine.lp": text.encode()}, Expected((0, 1)))


def _state_twice(rng: random.Random, question: Question) -> Case:
    """Draw a card or a tile that two files state: one may be ours."""
    kind = rng.choice(("card", "tile"))
    text = _STATED[kind]
    if rng.random() < 0.5:
        name, path = rng.choice(_list_stated(kind))
        files = {"r/a.lp": text.format(name=name).encode()}
        other = re.escape(path.name)
    else:
        files = {f"r/{letter}.lp": text.format(name="zz").encode() for letter in "ab"}
        other = r"r/b\.lp"
    return _make_case(question, files, Expected((2,), (r"r/a\.lp", other)))


@cache
def _list_stated(kind: str) -> tuple[tuple[str, Path], ...]:
    """List the cards or tiles of ours that one file states, by name, each with its file."""
    found: dict[str, list[Path]] = {}
    for path in seeds.find(f"asp/kingdom_builder/{kind}s/*.lp"):
        for name in re.findall(rf"^{kind}\(([a-z]\w*),", path.read_text(), re.MULTILINE):
            found.setdefault(name, []).append(path)
    return tuple((name, paths[0]) for name, paths in found.items() if len(paths) == 1)


# ------------------------------------------------------------------------------ what is ours


@cache
def _list_files(game: str) -> tuple[Path, ...]:
    """List our rule files of a game, and those that all games share."""
    return list_shipped(game)


def _place_of(path: Path) -> Path:
    game, *place = path.relative_to(_ASP).parts
    return Path(game, *place) if game == _COMMON else Path(*place)


@cache
def _list_parts(game: str) -> tuple[str, ...]:
    """List the ``#program`` lines of a game."""
    lines = (line for path in _list_files(game) for line in path.read_text().splitlines())
    parts = {line.strip() for line in lines if line.startswith("#program ")}
    return tuple(sorted({*parts, "#program base."}))


@cache
def _list_heads(game: str) -> tuple[tuple[str, int], ...]:
    """List the predicates that our rules of a game derive."""
    heads = {head for path in _list_files(game) for head in _find_heads(path)}
    return tuple(sorted(heads))


def _find_heads(path: Path) -> Iterator[tuple[str, int]]:
    nodes: list[AST] = []
    parse_files([str(path)], nodes.append)
    for node in nodes:
        if node.ast_type != ASTType.Rule or node.head.ast_type != ASTType.Literal:
            continue
        atom = node.head.atom
        if atom.ast_type == ASTType.SymbolicAtom and atom.symbol.ast_type == ASTType.Function:
            yield atom.symbol.name, len(atom.symbol.arguments)


@cache
def _list_closed(game: str) -> tuple[tuple[str, int], ...]:
    """List the predicates of ours that users must not derive."""
    points = set()
    for path in _list_files(game):
        for found in _BLOCK.finditer(path.read_text()):
            if _IS_POINT.search(found[3]):
                arity = found[2].count(",") + 1 if found[2] else 0
                points.add((found[1], arity))
    return tuple(head for head in _list_heads(game) if head not in points)
