"""Matches that a program plays move by move, with moves that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from kb_score.api.arguments import TEXT_NAME, expect, expect_text, wrong
from kb_score.api.positions import MovesByPlayer, Position, group_moves, join_moves
from kb_score.api.questions import Questions
from kb_score.api.replays import Replay, draw_record
from kb_score.errors import Fault, IllegalMoveError, InputError, KbScoreError
from kb_score.games.match import Legal, MatchSetup, Turn

if TYPE_CHECKING:
    from kb_score.games.match import File
    from kb_score.games.match import Match as Played

T = TypeVar("T")

# Matches that can be saved have their states saved after each of the last 16 moves, and after every
# 16th move before that.
_RECENT = 16
_EVERY = 16


class Match:
    """A match that a program plays; `Game.new_match` starts one.

    Only one thread at a time may use a match. Different matches are independent of each other.

    Attributes:
        seed: The random seed, which decides everything that is drawn at random.
    """

    def __init__(self, game: Questions, setup: MatchSetup) -> None:
        self._game = game
        self.seed = setup.seed
        self._setup = setup
        self._played: Played = game.run(self._begin)
        # All moves, including undone ones, and the part of the record for each.
        self._moves: list[str] = []
        self._pieces: list[str] = []
        self._number = 0  # of moves that are not undone
        self._saved: dict[int, object] = {}
        self._save()

    def _begin(self, game: Questions) -> Played:
        random = Random(self._setup.seed)
        return game.type.new_match(game.rules, self._setup, random)

    def __str__(self) -> str:
        """Return the board as text."""
        return self._played.picture().write(1 << 20)

    @property
    def players(self) -> int:
        """The number of players."""
        return self._setup.players

    @property
    def mover(self) -> int:
        """The player whose turn it is, from 1."""
        return self._played.mover

    @property
    def turn(self) -> int:
        """The number of turns that were played; in Kingdom Builder a turn may be several moves."""
        return self._played.turn

    @property
    def finished(self) -> bool:
        """Whether the match is over: the game is over, or ``most_turns`` turns were played."""
        return self._played.finished or self.is_cut

    @property
    def is_cut(self) -> bool:
        """Whether ``most_turns`` ended the match before the game was over."""
        if self._played.finished:
            return False
        return self.turn == self._setup.settings.get("most_turns")

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that were played, without undone ones."""
        return tuple(self._moves[: self._number])

    def observation(self) -> str:
        """Return everything that the mover may know, as a bot reads it."""
        return self._game.run(lambda _: self._played.tell())

    def board(self, *held: str) -> tuple[str, ...]:
        """Return the rows of the board as people see it, with one symbol for each place.

        Args:
            held: Actions of the current turn that are drawn, too; only in Kingdom Builder.

        Raises:
            InputError: A move of this game has no parts.
        """
        return self._game.run(self._hold, held, _list_rows)

    def legal_moves(self, *held: str) -> tuple[str, ...]:
        """Return the legal moves of the mover; an empty tuple if the game is over.

        If a turn moves several people or rabbits, these are the moves of all of them; see
        `moves_by_player`. In Kingdom Builder they are single actions: a move joins several of them
        by ``;``.

        Args:
            held: The actions of the turn so far; only in Kingdom Builder.

        Raises:
            InputError: The actions so far are illegal, or a move of this game has no parts.
            RuleError: One of the caller's rules is wrong.
        """
        return join_moves(self._list_legal(held))

    def moves_by_player(self, *held: str) -> MovesByPlayer:
        """Return the legal moves of each player, person or robot that moves in this turn.

        The arguments and the errors are those of `legal_moves`.
        """
        return group_moves(self._list_legal(held))

    def _list_legal(self, held: tuple[str, ...]) -> Sequence[Legal]:
        if self.finished and not held:
            return ()
        return self._game.run(self._hold, held, lambda played: played.legal())

    def _hold(self, _game: Questions, held: tuple[str, ...], read: Callable[[Played], T]) -> T:
        """Return what a function reads from the match after some actions, and undo the actions."""
        if not held:
            return read(self._played)
        for part in held:
            expect_text(part, "held")
        if self.finished:
            raise InputError("held", f"the game is over after turn {self.turn}")
        if self._played.hold(held) is None:
            raise InputError("held", f"a move of {self._game.name} has no parts")
        try:
            return read(self._played)
        finally:
            self._played.hold(())

    def can_end_turn(self, *held: str) -> bool:
        """Return whether a turn of Kingdom Builder may end after some legal actions.

        This is also true if the cards so far leave nothing to do: then a further card is drawn.

        Args:
            held: The actions of the turn so far.

        Raises:
            InputError: A move of this game has no parts.
        """
        return self._game.run(self._hold, held, _can_end_turn)

    def position(self) -> Position:
        """Return the current position, which can explain why a move is illegal."""
        found = self._game.run(lambda _: self._played.position())
        return Position.open(self._game, found)

    def apply(self, move: str) -> None:
        """Play a move of the mover.

        Args:
            move: The whole answer, as a bot writes it: the moves of all people, or all actions of a
                turn. In Slime an illegal answer counts as a pass, and in the rabbits game illegal
                moves are skipped.

        Raises:
            IllegalMoveError: The move is illegal or cannot be read, or the game is over. The match
                does not change.
            RuleError: One of the caller's rules is wrong.
        """
        expect_text(move, "move")
        move = move.removesuffix("\n")
        if self.finished:
            raise IllegalMoveError(f"the game is over after turn {self.turn}", "illegal")
        if "\n" in move:
            raise IllegalMoveError("a move must be a single line", "garbage")
        number = self._number
        try:
            piece = self._game.run(self._answer, move)
        except KbScoreError:
            self._game.run(self._return_to, number)
            raise
        except Fault as fault:
            # The match already contains the move that the rules refuse.
            self._game.run(self._return_to, number)
            message = f"turn {self.turn + 1}: player {self.mover} {fault.detail}"
            raise IllegalMoveError(message, fault.kind) from fault
        self._moves[number:] = [move]
        self._pieces[number:] = [piece]
        for saved in list(self._saved):
            if saved > number:
                del self._saved[saved]
        self._number += 1
        self._save()

    def _answer(self, _game: Questions, move: str) -> str:
        """Play a move and return its part of the record; raise a Fault if it is refused."""
        played = self._played
        told = played.tell() if played.keeps_told else ""
        turn: Turn = played.answer(move)
        if turn.fault is not None:
            raise turn.fault
        return f"{told}{turn.record}"

    def undo(self, moves: int = 1) -> None:
        """Take back a number of moves; an InputError if fewer were played."""
        self._step(moves, -1, self._number, "take back")

    def redo(self, moves: int = 1) -> None:
        """Play a number of undone moves again; an InputError if fewer were undone."""
        undone = len(self._moves) - self._number
        self._step(moves, 1, undone, "play again")

    def _step(self, moves: int, sign: int, most: int, what: str) -> None:
        if type(moves) is not int or not 0 <= moves <= most:
            raise wrong("moves", f"a number of moves to {what}, from 0 to {most}", moves)
        if moves:
            self._game.run(self._return_to, self._number + sign * moves)

    def _return_to(self, _game: Questions, number: int) -> None:
        """Set the match to its state after a number of moves."""
        nearest = max((saved for saved in self._saved if saved <= number), default=0)
        if nearest in self._saved:
            self._played.restore(self._saved[nearest])
        else:
            self._played = self._begin(self._game)
        for played in range(nearest, number):
            self._number = played
            self._save()
            self._answer(self._game, self._moves[played])
        self._number = number
        self._save()

    def _save(self) -> None:
        """Save the state of the match, if that is possible, and drop most of the older states."""
        now = self._number
        if now not in self._saved:
            saved = self._played.save()
            if saved is None:
                return
            self._saved[now] = saved
        for number in list(self._saved):
            if number % _EVERY and abs(number - now) > _RECENT:
                del self._saved[number]

    def __copy__(self) -> Match:
        """Return a copy of the match for ``copy.copy``."""
        return self.copy()

    def __deepcopy__(self, _known: dict[int, Any]) -> Match:
        """Return a copy of the match for ``copy.deepcopy``."""
        return self.copy()

    def copy(self) -> Match:
        """Return a match in the same state that is independent of this one."""
        other = Match(self._game, self._setup)
        other._moves = list(self._moves)
        other._pieces = list(self._pieces)
        other._saved |= self._saved
        other._game.run(other._return_to, self._number)
        return other

    def random_move(self, random: Random | None = None) -> str:
        """Return a random legal move of the mover, a whole answer.

        Args:
            random: The generator; None for one that depends on the seed and the number of moves.

        Raises:
            InputError: The game is over.
            RuleError: The caller's rules leave no legal move.
        """
        if self.finished:
            raise InputError("match", f"the game is over after turn {self.turn}")
        if random is None:
            random = Random(f"{self.seed} {self._number}")
        expect(random, "random", (Random,), "a random.Random, or None")
        return self._game.run(lambda _: self._played.choose(random))

    def result(self) -> dict[str, Any]:
        """Return the current result, with the keys that `Game.check` uses."""
        return self._game.run(lambda _: self._played.result())

    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each player by the current result; 1 is best, and ties share a rank.

        Contests compare players in the same way.

        Raises:
            RuleError: The result has nothing yet that the rules compare.
        """
        return self._game.run(self._find_ranks)

    def _find_ranks(self, game: Questions) -> tuple[int, ...]:
        scores = game.type.score(game.rules, self._played.result(), self._setup.players)
        merits = [merit for _, merit in scores]
        return tuple(1 + sum(other > merit for other in merits) for merit in merits)

    def record(self) -> str:
        """Return the record, which `Game.check` accepts.

        A record of rabbits or of the search party needs at least one turn.
        """
        played = self._played
        if not self._number and not self.finished:
            return played.blank()
        closing = ""
        if played.finished:
            closing = self._game.run(lambda _: played.closing())
        return "".join([played.opening(), *self._pieces[: self._number], closing])

    def replay(self) -> Replay:
        """Return the pictures of all turns so far; errors are those of `Game.replay`."""
        files: list[File] = []
        if self._game.type.maps:
            files += self._setup.files
        record = self.record()
        if record:
            files.append((TEXT_NAME, record))
        options = self._game.take_options("draw", {})
        return draw_record(self._game, files, options)


def _can_end_turn(played: Played) -> bool:
    return played.can_end_turn()


def _list_rows(played: Played) -> tuple[str, ...]:
    return tuple(played.picture().rows)
