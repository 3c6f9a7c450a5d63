"""Whole games against the rules: how far they are legal, what they are worth, and how they look."""

from __future__ import annotations

from dataclasses import replace

from kb_score.engine.rules import Answer, Asked, GameRules
from kb_score.games.kingdom_builder.board import HEADINGS
from kb_score.games.kingdom_builder.play.records import (
    GameRecord,
    line_facts,
    load_names,
    read_game,
    use_of,
)
from kb_score.games.kingdom_builder.rules import SO_FAR
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.schema import ViolationRow, read_result, write_sentence
from kb_score.shell.files import normalise
from kb_score.shell.replay import Replay
from kb_score.shell.verdict import Verdict, Violation

# Hardly any game has as many turns: it is checked at once.
_AT_ONCE = 250


def check_game(text: str, rules: GameRules, *, name: str = "<game>") -> Verdict:
    """Check a game as docs/file-formats.md has it, turn by turn; a KbScoreError if it is none."""
    return judge_game(read_game(text, load_names(rules), name=name), rules)


def judge_game(game: GameRecord, rules: GameRules) -> Verdict:
    """Check a game that has been read."""
    game = _cut_tail(game, rules)
    return _make_verdict(rules.ask(use_of(game.cards, rules), game.facts), game)


def _cut_tail(game: GameRecord, rules: GameRules) -> GameRecord:
    """Leave out what comes long after the first illegal turn, which ends a game.

    What many turns claim of the same few hexes takes the rules time by the square of their number.
    """
    size = _AT_ONCE
    # A listener wants to hear of the check, not of what is asked to make it short.
    rules = replace(rules, listener=None)
    while size < len(game.lines):
        part = replace(game, lines=game.lines[:size])
        answer = rules.ask(use_of(game.cards, rules), part.facts)
        if read_result(answer, "turns")["turns"] < size:
            return part
        size *= 2
    return game


def _make_verdict(answer: Answer, game: GameRecord) -> Verdict:
    claimed = None if game.claimed is None else {"gold": list(game.claimed)}
    return Verdict(
        game="kingdom-builder",
        record=game.name,
        result=read_result(answer, "turns", "players", "gold", "finished"),
        claimed=claimed,
        violations=tuple(_list_violations(answer)),
    )


def _list_violations(answer: Answer) -> list[Violation]:
    found = []
    for row in answer.read(ViolationRow):
        who = row.who if isinstance(row.who, int) else write_sentence(row.who)
        found.append(Violation(row.code, write_sentence(row.detail), row.turn, who))
    return sorted(found, key=lambda v: (v.turn or 0, v.code, str(v.who), v.detail))


def follow_game(rules: GameRules, *files: tuple[str, str]) -> Replay:
    """Draw each turn of a game, one file: a name and a text; as for `check_game`."""
    ((name, text),) = files
    game = _cut_tail(read_game(text, load_names(rules), name=name), rules)
    answer = rules.ask(use_of(game.cards, rules).plus(f"uses/picture uses/{REPLAY}"), game.facts)
    verdict = _make_verdict(answer, game)
    # What a position is worth is asked as of a game that ends there, up to the first illegal turn.
    legal = replace(game, lines=game.lines[: verdict.result["turns"]])
    gold = rules.ask(use_of(game.cards, rules, SO_FAR), legal.facts)
    violations = (replace(v, who=v.who and f"player {v.who}") for v in verdict.violations)
    verdict = replace(verdict, violations=tuple(violations))
    window = Window(0, answer, "turn {turn}", gold)
    return make_replay(verdict, [window], hexes=True, keep=True)


def write_game(rules: GameRules, name: str, text: str) -> str:
    """Write a page where the turns of a game, and the rules that judge them, can be changed."""
    from kb_score.games.playground import write_record

    asked: list[Asked] = []
    replay = follow_game(replace(rules, listener=asked.append), (name, text))
    names = load_names(rules)
    game = read_game(text, names, name=name)
    more = {
        "kind": "game",
        "open": "judge.lp",
        "template": _NEW_FILE,
        "turns": _find_turns(text),
        "players": game.players,
        "terrains": sorted(names.terrains),
    }
    said = {*line_facts(game.lines), "claimed_gold"}
    return write_record(replay, asked, rules, "player {}", more, said)


def _find_turns(text: str) -> str:
    """Find the part of a game behind its headings."""
    lines = normalise(text).split("\n")
    heads = [n for n, line in enumerate(lines) if line.split()[:1] and line.split()[0] in HEADINGS]
    return "\n".join(lines[max(heads) + 1 :]).strip("\n") + "\n"


_NEW_FILE = """\
% A tile states itself, what it may do and where:
% tile(name, build, 1, "what it may do"). ground(name, grass). close(name, possible).
"""
