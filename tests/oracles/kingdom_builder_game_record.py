"""Records of games of the published Kingdom Builder, read from well-formed text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.oracles.kingdom_builder_game_board import TERRAINS, Board, board_of
from tests.oracles.kingdom_builder_game_play import Action
from tests.oracles.kingdom_builder_game_targets import MANDATORY

_TOKEN = re.compile(r"[a-z][a-z-]*|[0-9]+,[0-9]+|[0-9]+|[@>+-]")


@dataclass(frozen=True, slots=True)
class Line:
    """One turn: the player's number, the symbols of the cards and the parts between `;`."""

    player: int
    drawn: tuple[str, ...]
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record; `claim` is its last line, if it has one."""

    board: Board
    players: int
    start: int
    cards: tuple[str, ...]
    nomads: dict[int, str]
    capitols: tuple[int, ...]
    caves: tuple[int, ...]
    lines: tuple[Line, ...]
    claim: tuple[int, ...] | None


def read_record(text: str) -> Record:
    """Read a record in the notation of section 8c.

    Raises:
        ValueError: A heading is missing, or the claim has not one figure for each player.
    """
    headings: dict[str, list[str]] = {}
    nomads: list[tuple[str, str]] = []
    turns: list[str] = []
    claim: tuple[int, ...] | None = None
    for line in text.splitlines():
        words = line.partition("%")[0].split()
        if not words:
            continue
        if words[0][0].isdigit():
            turns.append(" ".join(words))
        elif words[0] == "gold":
            claim = tuple(map(int, words[1:]))
        elif words[0] == "nomad":
            nomads.append((words[1], words[2]))
        else:
            headings[words[0]] = words[1:]
    if not {"board", "players"} <= headings.keys():
        raise ValueError("the record needs the headings board and players")
    board, players = board_of(" ".join(headings["board"])), int(headings["players"][0])
    if claim is not None and len(claim) != players:
        raise ValueError(f"{len(claim)} figures for {players} players")
    return Record(
        board=board,
        players=players,
        start=int(headings.get("start", ["1"])[0]),
        cards=tuple(headings.get("cards", ())),
        nomads={board.at(place): kind for place, kind in nomads},
        capitols=tuple(map(board.at, headings.get("capitol", ()))),
        caves=tuple(map(board.at, headings.get("caves", ()))),
        lines=tuple(_read_turn(board, turn) for turn in turns),
        claim=claim,
    )


def _read_turn(board: Board, text: str) -> Line:
    head, _, tail = text.partition(":")
    number, *words = re.findall(r"[0-9]+|[a-z]+", head)
    parts = [part for part in tail.split(";") if part.strip()]
    return Line(
        player=int(number),
        drawn=tuple(TERRAINS[word] for word in words),
        actions=tuple(_read_action(board, part) for part in parts),
    )


def _read_action(board: Board, text: str) -> Action:
    tokens = iter(_TOKEN.findall(text))
    name, targets, notes = MANDATORY, list[tuple[int, ...]](), list[tuple[str, str, int]]()
    for token in tokens:
        if token in ("+", "-"):
            notes.append((token, *_read_note(board, tokens)))
        elif token == ">":
            targets[-1] += (board.at(next(tokens)),)
        elif token[0].isdigit():
            targets.append((board.at(token),))
        else:
            name = token
    return Action(name, tuple(targets), tuple(notes))


def _read_note(board: Board, tokens: Iterator[str]) -> tuple[str, int]:
    kind, _, place = next(tokens), next(tokens), next(tokens)
    return kind, board.at(place)


def write_action(board: Board, action: Action) -> str:
    """Write an action as in a record."""
    words = [] if action.name == MANDATORY else [action.name]
    words += [">".join(map(board.name, target)) for target in action.targets]
    words += [f"{sign}{kind}@{board.name(place)}" for sign, kind, place in action.notes]
    return " ".join(words)


def write_turn(board: Board, line: Line) -> str:
    """Write a turn as in a record."""
    names = {symbol: name for name, symbol in TERRAINS.items()}
    cards = "/".join(names[symbol] for symbol in line.drawn)
    actions = "; ".join(write_action(board, action) for action in line.actions)
    return f"{line.player} {cards}: {actions}".rstrip()


def write_record(heading: str, record: Record) -> str:
    """Write a record whose board is that of the heading."""
    board = record.board
    lines = [f"board {heading}"]
    if record.cards:
        lines.append("cards " + " ".join(record.cards))
    lines += [f"players {record.players}", f"start {record.start}"]
    lines += [f"nomad {board.name(place)} {kind}" for place, kind in record.nomads.items()]
    for word, places in (("capitol", record.capitols), ("caves", record.caves)):
        lines += [" ".join([word, *map(board.name, places)])] if places else []
    lines += [write_turn(board, line) for line in record.lines]
    if record.claim is not None:
        lines.append("gold " + " ".join(map(str, record.claim)))
    return "\n".join(lines) + "\n"
