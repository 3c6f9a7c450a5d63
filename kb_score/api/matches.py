"""Matches: a program plays them move by move, and may take moves back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from kb_score.api.arguments import TEXT_NAME, expect, expect_text, wrong
from kb_score.api.positions import Position, group_moves, join_moves
from kb_score.api.questions import Questions
from kb_score.api.replays import Replay, draw_record
from kb_score.errors import Fault, IllegalMoveError, InputError, KbScoreError
from kb_score.games.game import Legal, MatchSetup, Turn

if TYPE_CHECKING:
    from kb_score.games.game import File
    from kb_score.games.game import Match as Played

T = TypeVar("T")

# A match that can be saved keeps its state after each of the last 16 moves, and after every 16th
# move before these.
_RECENT = 16
_EVERY = 16


class Match:
    """A match that a program plays; `Game.new_match` begins one.

    One thread at a time may use a match; different matches do not affect each other.

    Attributes:
        seed: What is drawn depends on it.
    """

    def __init__(self, game: Questions, setup: MatchSetup) -> None:
        self._game = game
        self.seed = setup.seed
        self._setup = setup
        self._played: Played = game.run(self._begin)
        # All moves, those taken back included, and the piece of the record for each.
        self._moves: list[str] = []
        self._pieces: list[str] = []
        self._number = 0  # how many of the moves count
        self._saved: dict[int, object] = {}
        self._save()

    def _begin(self, game: Questions) -> Played:
        return game.type.arena.new_match(game.rules, self._setup, Random(self._setup.seed))

    def __str__(self) -> str:
        """Draw the board as text."""
        return self._played.picture().write(1 << 20)

    @property
    def players(self) -> int:
        """How many players there are."""
        return self._setup.players

    @property
    def mover(self) -> int:
        """The player who has the turn, from 1."""
        return self._played.mover

    @property
    def turn(self) -> int:
        """How many turns were played; a turn of Kingdom Builder may take several moves."""
        return self._played.turn

    @property
    def finished(self) -> bool:
        """Whether the match is over: the game is, or ``most_turns`` turns were played."""
        return self._played.finished or self.is_cut

    @property
    def is_cut(self) -> bool:
        """Whether the match was cut off by ``most_turns``, before the game was over."""
        most = self._setup.settings.get("most_turns")
        return not self._played.finished and self.turn == most

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that were played, without those that were taken back."""
        return tuple(self._moves[: self._number])

    def observation(self) -> str:
        """Write what the mover may know, as a bot reads it."""
        return self._game.run(lambda _: self._played.tell())

    def board(self, *held: str) -> tuple[str, ...]:
        """Return the board as people see it: its rows, with one symbol for each place.

        Args:
            held: Actions of the present turn that are drawn as well, in Kingdom Builder.

        Raises:
            InputError: A move of this game has no parts.
        """
        return self._game.run(self._hold, held, _list_rows)

    def legal_moves(self, *held: str) -> tuple[str, ...]:
        """List the legal moves of the mover; none if the game is over.

        Where a turn moves several people or rabbits, these are the moves of all; see
        `moves_by_player`. In Kingdom Builder they are single actions: a move joins several of them
        with ``;``.

        Args:
            held: Actions of the same turn that come before, in Kingdom Builder.

        Raises:
            InputError: The actions before are illegal, or a move of this game has no parts.
            RuleError: A rule of the caller's is wrong.
        """
        return join_moves(self._list_legal(held))

    def moves_by_player(self, *held: str) -> dict[int | str, tuple[str, ...]]:
        """List the legal moves of each who moves in this turn; arguments as for `legal_moves`."""
        return group_moves(self._list_legal(held))

    def _list_legal(self, held: tuple[str, ...]) -> Sequence[Legal]:
        if self.finished and not held:
            return ()
        return self._game.run(self._hold, held, _list_legal)

    def _hold(self, _game: Questions, held: tuple[str, ...], look: Callable[[Played], T]) -> T:
        """Look at the match after some actions of the turn, and take them back."""
        if not held:
            return look(self._played)
        for part in held:
            expect_text(part, "held")
        if self.finished:
            raise InputError("held", f"the game is over after turn {self.turn}")
        if self._played.hold(held) is None:
            raise InputError("held", f"a move of {self._game.name} has no parts")
        try:
            return look(self._played)
        finally:
            self._played.hold(())

    def can_end_turn(self, *held: str) -> bool:
        """Return whether a turn of Kingdom Builder may end after some actions, which are legal.

        It may also end where the cards so far leave nothing to do: then a further one is drawn.

        Args:
            held: Actions of the turn that come before.

        Raises:
            InputError: A move of this game has no parts.
        """
        return self._game.run(self._hold, held, _can_end_turn)

    def position(self) -> Position:
        """Return the position as it is now, to ask why something is illegal."""
        found = self._game.run(lambda _: self._played.position())
        return Position.open(self._game, found)

    def apply(self, move: str) -> None:
        """Play a move of the mover.

        Args:
            move: The whole answer, as a bot gives it: for all people who move, or all actions of a
                turn. In Slime an illegal one counts as a pass, and rabbits skip it.

        Raises:
            IllegalMoveError: It is illegal, it cannot be read, or the game is over. The match is
                as before.
            RuleError: A rule of the caller's is wrong.
        """
        expect_text(move, "move")
        move = move.removesuffix("\n")
        if self.finished:
            raise IllegalMoveError(f"the game is over after turn {self.turn}", "illegal")
        if "\n" in move:
            raise IllegalMoveError("a move is one line", "garbage")
        number = self._number
        try:
            piece = self._game.run(self._answer, move)
        except KbScoreError:
            self._game.run(self._return_to, number)
            raise
        except Fault as fault:
            # The rules have taken in what they refuse.
            self._game.run(self._return_to, number)
            message = f"turn {self.turn + 1}: player {self.mover} {fault.detail}"
            raise IllegalMoveError(message, fault.kind) from fault
        self._moves[number:] = [move]
        self._pieces[number:] = [piece]
        for later in [saved for saved in self._saved if saved > number]:
            del self._saved[later]
        self._number += 1
        self._save()

    def _answer(self, _game: Questions, move: str) -> str:
        """Play a move, and return its piece of the record; raise a Fault if it is refused."""
        played = self._played
        told = played.tell() if played.keeps_told else ""
        turn: Turn = played.answer(move)
        if turn.fault is not None:
            raise turn.fault
        return f"{told}{turn.record}"

    def undo(self, moves: int = 1) -> None:
        """Take back moves, the last one unless more are named.

        Raises:
            InputError: Fewer moves were played.
        """
        self._step(moves, -1, self._number, "take back")

    def redo(self, moves: int = 1) -> None:
        """Play moves again that were taken back; raise an InputError if fewer were."""
        self._step(moves, 1, len(self._moves) - self._number, "play again")

    def _step(self, moves: int, sign: int, most: int, what: str) -> None:
        if type(moves) is not int or not 0 <= moves <= most:
            raise wrong("moves", f"a number from 0 to {most}, of moves to {what},", moves)
        if moves:
            self._game.run(self._return_to, self._number + sign * moves)

    def _return_to(self, _game: Questions, number: int) -> None:
        """Return to the match after the first moves."""
        nearest = max((saved for saved in self._saved if saved <= number), default=0)
        if nearest in self._saved:
            self._played.restore(self._saved[nearest])
        else:
            self._played = self._begin(self._game)
        for self._number in range(nearest, number):
            self._save()
            self._answer(self._game, self._moves[self._number])
        self._number = number
        self._save()

    def _save(self) -> None:
        """Save the match, if it can be saved, and drop most of the older states."""
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
        """Copy the match for ``copy.copy``."""
        return self.copy()

    def __deepcopy__(self, _known: dict[int, Any]) -> Match:
        """Copy the match for ``copy.deepcopy``."""
        return self.copy()

    def copy(self) -> Match:
        """Return a match in the same state, which goes on independently of this one."""
        other = Match(self._game, self._setup)
        other._moves = list(self._moves)
        other._pieces = list(self._pieces)
        other._saved |= self._saved
        other._game.run(other._return_to, self._number)
        return other

    def random_move(self, random: Random | None = None) -> str:
        """Draw a legal move of the mover, a whole answer.

        Args:
            random: The generator; None for one that depends on the seed and the moves so far.

        Raises:
            InputError: The game is over.
            RuleError: A rule of the caller's leaves nothing legal.
        """
        if self.finished:
            raise InputError("match", f"the game is over after turn {self.turn}")
        chosen = Random(f"{self.seed} {self._number}") if random is None else random
        expect(chosen, "random", (Random,), "a random.Random, or None")
        return self._game.run(lambda _: self._played.choose(chosen))

    def result(self) -> dict[str, Any]:
        """Return the result as it is now, with the keys that `Game.check` uses."""
        return self._game.run(lambda _: self._played.result())

    def ranks(self) -> tuple[int, ...]:
        """Rank the players as the result is now, by what contests compare: 1 is best, ties share.

        Raises:
            RuleError: The rules compare nothing that is known now.
        """
        return self._game.run(self._find_ranks)

    def _find_ranks(self, game: Questions) -> tuple[int, ...]:
        scoring = game.type.arena.scoring
        scores = scoring.score(game.rules, self._played.result(), self._setup.players)
        merits = [merit for _, merit in scores]
        return tuple(1 + sum(other > merit for other in merits) for merit in merits)

    def record(self) -> str:
        """Write the record, which `Game.check` accepts.

        A record of rabbits or of the search party needs at least one turn.
        """
        played = self._played
        if not self._number and not self.finished:
            return played.blank()
        pieces = self._pieces[: self._number]
        closing = self._game.run(lambda _: played.closing()) if played.finished else ""
        return "".join([played.opening(), *pieces, closing])

    def replay(self) -> Replay:
        """Draw all turns so far; errors are those of `Game.replay`."""
        files: list[File] = []
        if self._game.type.maps:
            files += self._setup.files
        record = self.record()
        if record:
            files.append((TEXT_NAME, record))
        options = self._game.take_options("draw", {})
        return draw_record(self._game, files, options)


def _list_legal(played: Played) -> list[Legal]:
    return list(played.legal())


def _can_end_turn(played: Played) -> bool:
    return played.can_end_turn()


def _list_rows(played: Played) -> tuple[str, ...]:
    return tuple(played.picture().rows)
