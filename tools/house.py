"""The house in figures: ``python -m tools.house`` prints its modules, lines, imports and chains.

Of the rules in ``asp/`` it prints the lines of each kind, by folder.

``tests/test_house.py`` checks which way imports point.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The folders that hold the rules of games: a game's own files count as its rules.
GAMES = ("rules", "cards", "tiles", "deeds", "queenies")
KINDS = ("code", "comment", "blank", "#", "example")
_EXAMPLE = re.compile(r"^\n?%\*!\s*Example\b.*?\*%\n?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Module:
    """A module of the package.

    Attributes:
        name: Its dotted name; that of a package for its ``__init__``.
        lines: How many lines it has.
        imports: The modules of the package that it imports when it runs: what only type checkers
            import is left out.
        longest: The lines of its longest function.
        classes: The names of its classes.
        knows: All modules of the package that it names in an import, wherever that stands.
    """

    name: str
    lines: int
    imports: frozenset[str]
    longest: int
    classes: tuple[str, ...]
    knows: frozenset[str]


def read_house(root: Path = ROOT) -> dict[str, Module]:
    """Read all modules of the package, by name."""
    paths = {_name(path, root): path for path in sorted((root / "kb_score").rglob("*.py"))}
    return {name: _read(name, path, paths) for name, path in paths.items()}


def find_longest_chain(house: Mapping[str, Module]) -> list[str]:
    """Find the longest chain of modules of which each imports the next."""

    @cache
    def chain(name: str) -> tuple[str, ...]:
        longest: tuple[str, ...] = ()
        for imported in house[name].imports:
            other = chain(imported)
            longest = other if len(other) > len(longest) else longest
        return (name, *longest)

    chains = sorted(map(chain, house), key=len)
    return list(chains[-1])


def find_circles(house: Mapping[str, Module]) -> list[list[str]]:
    """Find the groups of modules that know each other, directly or by way of others of the group.

    An import within a function counts, and so does one that only type checkers read.
    """

    def reach(name: str) -> set[str]:
        reached, open_ = set[str](), [name]
        while open_:
            new = house[open_.pop()].knows - reached
            reached |= new
            open_ += new
        return reached

    reached = {name: reach(name) for name in house}
    circles = {
        frozenset(other for other in reached[name] if name in reached[other]) for name in house
    }
    return sorted(sorted(circle) for circle in circles if circle)


def count_imports(house: Mapping[str, Module]) -> int:
    """Count the pairs of modules of which one imports the other."""
    return sum(len(module.imports) for module in house.values())


def layer_of(name: str) -> str:
    """Name the layer that a module is in, such as ``engine``; ``kb_score.api`` is ``api``."""
    _, _, rest = name.partition(".")
    return rest.split(".")[0] or "kb_score"


def game_of(name: str) -> str:
    """Name the game that a module belongs to, or an empty text."""
    parts = name.split(".")
    return parts[2] if parts[1:2] == ["games"] and len(parts) > 2 else ""


def count_rules(root: Path = ROOT) -> dict[str, Counter[str]]:
    """Count the lines of the rules by folder and kind; ``#`` is a ``#show`` or ``#defined``.

    Examples, with the empty line before each, are a kind of their own, and no part of a total.
    """
    counts = defaultdict[str, Counter[str]](Counter)
    for path in (root / "asp").rglob("*.lp"):
        parts = path.relative_to(root / "asp").parts
        folder = parts[-2] if len(parts) > 2 or parts[0] == "common" else "rules"
        whole = path.read_text(encoding="utf-8")
        text = re.sub(r"%\*.*?\*%", _mark, _EXAMPLE.sub("", whole), flags=re.DOTALL)
        counts[folder].update(map(_kind, text.splitlines()))
        counts[folder]["example"] += len(whole.splitlines()) - len(text.splitlines())
    return dict(counts)


def _mark(block: re.Match[str]) -> str:
    return re.sub(r"^(?=.)", "%", block[0], flags=re.MULTILINE)


def _kind(line: str) -> str:
    if line.startswith(("#show", "#defined")):
        return "#"
    return "comment" if line.lstrip().startswith("%") else "code" if line.strip() else "blank"


def _name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(name: str, path: Path, known: Mapping[str, Path]) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    knows, imports = (
        frozenset(_imports(tree, known, typed=typed)) - {name} for typed in (True, False)
    )
    lengths = [
        (node.end_lineno or 0) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    classes = tuple(filter(None, map(_name_class, ast.walk(tree))))
    longest = max(lengths, default=0)
    return Module(name, len(text.splitlines()), imports, longest, classes, knows)


def _name_class(node: ast.AST) -> str:
    """Name the class that a statement makes, as ``X = NamedTuple("X", ...)`` does, too."""
    if isinstance(node, ast.Call):
        is_named_tuple = isinstance(node.func, ast.Name) and node.func.id == "NamedTuple"
        return str(ast.literal_eval(node.args[0])) if is_named_tuple else ""
    return node.name if isinstance(node, ast.ClassDef) else ""


def _imports(node: ast.AST, known: Mapping[str, Path], *, typed: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if not typed and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and (child.module or "") in known:
            for alias in child.names:
                inner = f"{child.module}.{alias.name}"
                yield inner if inner in known else str(child.module)
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names if alias.name in known)
        yield from _imports(child, known, typed=typed)


def main() -> None:
    """Print the figures."""
    house = read_house()
    print(f"circles  {find_circles(house)}")
    chain = find_longest_chain(house)
    print(f"modules  {len(house)}")
    print(f"lines    {sum(module.lines for module in house.values())}")
    print(f"imports  {count_imports(house)}")
    print(f"chain    {len(chain)}: {' <- '.join(reversed(chain))}")
    print("longest modules:")
    for module in sorted(house.values(), key=lambda module: -module.lines)[:5]:
        print(f"  {module.lines:4} {module.name}")
    print("longest functions:")
    for module in sorted(house.values(), key=lambda module: -module.longest)[:5]:
        print(f"  {module.longest:4} in {module.name}")
    rules = count_rules()
    rules["all"] = sum(rules.values(), Counter())
    print(f"{'rules':8}", *(f"{kind:>7}" for kind in KINDS), "comments")
    for folder, lines in rules.items():
        share = f"{lines['comment'] / (lines.total() - lines['example']):8.1%}"
        print(f"{folder:8}", *(f"{lines[kind]:7}" for kind in KINDS), share)
    own = sum(rules[folder]["code"] for folder in GAMES)
    print(f"rules of games: {own} lines of code, {own / rules['all']['code']:.1%} of it")


if __name__ == "__main__":
    main()
