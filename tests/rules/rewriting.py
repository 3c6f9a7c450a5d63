"""Rewrites rule files in ways that change no meaning: order, comments, names of variables."""

from __future__ import annotations

import random
from collections.abc import Sequence

from clingo.ast import AST, ASTType, Transformer, parse_string


def parse(text: str) -> list[AST]:
    """Parse a rule file into its statements, comments included."""
    nodes: list[AST] = []
    parse_string(text, nodes.append)
    # The first one is `#program base.`, which no file needs to say.
    return nodes[1:]


def write(nodes: Sequence[AST]) -> str:
    """Write statements as the text of a rule file, a line each."""
    return "".join(f"{node}\n" for node in nodes)


def remove_comments(text: str) -> str:
    """Leave out all comments, documentation and examples too."""
    return write([node for node in parse(text) if node.ast_type != ASTType.Comment])


def shuffle(text: str) -> str:
    """Put the statements of each ``#program`` part into another order."""
    rng = random.Random(text)
    parts: list[list[AST]] = [[]]
    for node in parse(remove_comments(text)):
        if node.ast_type == ASTType.Program:
            parts.append([])
        parts[-1].append(node)
    shuffled: list[AST] = []
    for part in parts:
        has_heading = bool(part) and part[0].ast_type == ASTType.Program
        heading = part[:1] if has_heading else []
        statements = part[len(heading) :]
        rng.shuffle(statements)
        shuffled += [*heading, *statements]
    return write(shuffled)


class _Renamer(Transformer):
    """Gives every variable another name."""

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802 - clingo's name
        """Rename a variable, but for the anonymous one."""
        return node if node.name == "_" else node.update(name=f"Own{node.name}")


def rename_variables(text: str) -> str:
    """Give every variable another name."""
    renamer = _Renamer()
    return write([renamer(node) for node in parse(text)])


def rewrite(text: str) -> str:
    """Do all this at once."""
    return rename_variables(shuffle(text))
