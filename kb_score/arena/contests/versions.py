"""Versions of the rules under which a contest's games were played.

Each game has a version of its shipped rules, which is incremented when the rules judge games
differently. Other changes to rule files do not change it: tests/arena/contests/test_versions.py
fails if recorded verdicts change and the version does not. A user's rules and constants are
identified by their text.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from kb_score.engine.rules import GameRules
from kb_score.games.game import Game
from kb_score.resources import MANIFEST, find_grammar, find_rule_folder, list_rule_files_below

# Before there were versions, results had a digest of all the rules. These are the digests of
# version 1, by game and constants.
_FIRST_DIGESTS = {
    ("rabbits", ()): "8af4932fbe1dc14e6f826bc913e4c6db1073f40afa915c6ee7a1a6824296bc47",
    ("search_party", ()): "970ce368fe78a94748dbd71a6acc9b2cc485e925dd41641dbbd9c13fe307703f",
    ("slime", ()): "b5a8ffdd25ba2464426671fcc851e294b0e685a92e67bbff19b516aed5aab51a",
    (
        "slime",
        (("last_turn", "12"),),
    ): "ed3cbd95df11a48e24b52dbe3cab208ff03205615606a0f6a7517889771fea9c",
    (
        "kingdom_builder",
        (("lords_need_settlement", "1"),),
    ): "810f9fac879b5a6883382c960965016bec85ed7abd2c9656867bcea6e8c9c0e1",
    (
        "kingdom_builder",
        (("lords_need_settlement", "1"), ("most_settlements", "6")),
    ): "56fc945c79025c9f247c13c8c26ed95264e0a6c355b882a4ab9b76521986dd3b",
    ("kingdom_builder", ()): "94d668c9403179a86b58d9ead902de0e69fdf3010a5fb989e08287de27964b89",
    (
        "kingdom_builder",
        (("most_settlements", "6"),),
    ): "0345320bf536a1bfb1585fa86745f99717c8450809f99d7a5b71c981401bf3c5",
}


def digest_words(*words: str) -> str:
    """Return a digest of some words."""
    return sha256("\0".join(words).encode(errors="replace")).hexdigest()


def digest_rules(game: Game, rules: GameRules) -> str:
    """Return a digest of the rules of a game, which differs for rules that may judge differently.

    It depends on the version of the shipped rules, on the constants whose values differ from
    the defaults, and on the statements in the user's files. If the game itself is a user's, it also
    depends on all files of the game.

    Args:
        game: The game.
        rules: The rules.
    """
    ours, users = rules.read_parts()
    known = ours.find_constants()
    constants = tuple(
        (name, value)
        for name, value in rules.changes.constants
        if name not in known or str(known[name].value) != value
    )
    version = game.arena.scoring.rules_version
    statements = [str(statement.node) for statement in users.statements]
    if version == 1 and not statements and (game.name, constants) in _FIRST_DIGESTS:
        return _FIRST_DIGESTS[game.name, constants]
    words = [game.name, f"version {version}", repr(constants), *statements]
    if rules.source.own:
        folder = find_rule_folder(game.name)
        paths = [*list_rule_files_below(folder), folder / MANIFEST, find_grammar(game.name)]
        for path in filter(Path.is_file, paths):
            text = path.read_text(encoding="utf-8", errors="replace")
            words.append(text)
    return digest_words(*words)
