"""Foresight: tries its best moves, lets the three others answer, and looks again. See foresight.md.

It is started with the board as its argument, or without one for a whole game, a line a turn.
"""

import sys

from board import PASS, answer, choose_greedily, read_line

# How many moves it tries now and at its next turns; more of them where few squares are empty.
WIDTHS = (10, 4)
ENDGAME_WIDTHS = (12, 6, 4, 3)
ENDGAME = 10
# It works out so many answers of the others a turn, then it goes by what it sees.
BUDGET = 1500
# On larger boards it would be late, and plays greedily.
LARGEST = 12
# What a square is worth that may be taken, and how much first sight counts beside foresight.
EXPOSED = 0.2
FIRST_SIGHT = 0.5


class Rules:
    """The rules on boards of one size. A set of squares is a number, a bit for each square."""

    def __init__(self, size):
        """Find the squares at a distance of 1 and of 2 from each square."""
        self.size = size
        self.full = (1 << size * size) - 1
        west = sum(1 << row * size for row in range(size))
        self.not_west, self.not_east = self.full ^ west, self.full ^ west << size - 1
        squares = [1 << square for square in range(size * size)]
        self.beside = [self.grow(square) ^ square for square in squares]
        self.around = [self.grow(self.grow(square)) ^ self.grow(square) for square in squares]

    def grow(self, squares):
        """Add all squares that touch these."""
        squares |= squares << 1 & self.not_west | squares >> 1 & self.not_east
        return (squares | squares << self.size | squares >> self.size) & self.full

    def list_moves(self, own, foes, *, all_of_them):
        """List what moves win, own and enemy squares after them, from where and whereto.

        Of the squares from which a move can come, the first is taken, unless all moves are wanted.
        A jump is left out if it takes nothing and there is another move.
        """
        empty = self.full & ~(own | foes)
        close = self.grow(own)
        moves = []
        for target in each(close & empty):
            hit = self.beside[target] & foes
            after = own | 1 << target | hit
            moves.append(
                (1 + hit.bit_count(), after, foes & ~hit, self.beside[target] & own, target)
            )
        for target in each(own):
            filled, sources = self.beside[target] & empty, self.beside[target] & own
            if filled:
                for source in each(sources) if all_of_them else list(each(sources))[:1]:
                    after = own & ~(1 << source) | filled
                    moves.append((filled.bit_count() - 1, after, foes, 1 << source, target))
        if all_of_them or not moves:
            moves += self.list_jumps(own, foes, close, quiet=not moves, all_of_them=all_of_them)
        return moves

    def list_jumps(self, own, foes, close, *, quiet, all_of_them):
        """List jumps to where no spread leads; those that take nothing only if they are wanted."""
        moves = []
        for target in each(self.grow(close) & ~(own | foes | close)):
            hit = self.beside[target] & foes
            if hit or quiet:
                for source in list(each(self.around[target] & own))[: None if all_of_them else 1]:
                    after = own & ~(1 << source) | 1 << target | hit
                    moves.append((hit.bit_count(), after, foes & ~hit, 1 << source, target))
        return moves

    def measure_threat(self, own, foes, reach):
        """Count the squares that one enemy move can take; enemies reach these squares."""
        targets = reach & self.grow(own) & ~(own | foes)
        return max(((self.beside[t] & own).bit_count() for t in each(targets)), default=0)


def each(squares):
    """List the numbers of the squares of a set."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


class Thinker:
    """Looks for the best move of one player in one turn."""

    def __init__(self, rules, me):
        """Players are 0 to 3."""
        self.rules = rules
        self.me = me
        self.answers = {}

    def judge(self, own, foes):
        """Judge by sight: own squares, less what one move takes, less a part of what is exposed."""
        empty = self.rules.full & ~(own | foes)
        if not empty:
            return own.bit_count()
        reach = self.rules.grow(self.rules.grow(foes))
        exposed = self.rules.grow(empty) & own & reach
        threat = self.rules.measure_threat(own, foes, reach)
        return own.bit_count() - threat - EXPOSED * exposed.bit_count()

    def list_best(self, boards, width):
        """List the moves that look best, each with its worth at first sight."""
        own = boards[self.me]
        moves = {}
        for move in self.rules.list_moves(own, unite(boards) & ~own, all_of_them=True):
            moves.setdefault(move[1], move)
        judged = [(self.judge(move[1], move[2]), move) for move in moves.values()]
        return sorted(judged, key=lambda pair: -pair[0])[:width]

    def reply(self, own, foes):
        """Guess the move of another: it wins most, less what can be taken back with one move."""
        if (own, foes) not in self.answers:
            best, worth = None, -99
            moves = self.rules.list_moves(own, foes, all_of_them=False)
            for move in sorted(moves, key=lambda move: -move[0]):
                if move[0] <= worth:
                    break
                reach = self.rules.grow(self.rules.grow(move[2]))
                safe = move[0] - self.rules.measure_threat(move[1], move[2], reach)
                if safe > worth:
                    best, worth = move, safe
            self.answers[own, foes] = best
        return self.answers[own, foes]

    def play_round(self, boards, move):
        """Make a move and let the three others answer."""
        boards = [board & move[2] for board in boards]
        boards[self.me] = move[1]
        for seat in range(self.me + 1, self.me + 4):
            other = seat % 4
            own, every = boards[other], unite(boards)
            if every == self.rules.full:
                break
            reply = self.reply(own, every & ~own) if own else None
            if reply:
                boards = [board & ~reply[1] for board in boards]
                boards[other] = reply[1]
        return boards

    def foresee(self, boards, widths):
        """Judge boards before an own move by what the best moves lead to."""
        own, every = boards[self.me], unite(boards)
        if every == self.rules.full or not own:
            return own.bit_count()
        best = self.rank(boards, widths) if widths and len(self.answers) <= BUDGET else []
        return best[0][0] / (1 + FIRST_SIGHT) if best else self.judge(own, every & ~own)

    def rank(self, boards, widths):
        """Rank the best moves by first sight and by what follows, the best one first."""
        ranked = [
            (self.foresee(self.play_round(boards, move), widths[1:]) + FIRST_SIGHT * worth, move)
            for worth, move in self.list_best(boards, widths[0])
        ]
        return sorted(ranked, key=lambda pair: -pair[0])

    def choose(self, boards):
        """Choose a move; None if there is none."""
        empty = self.rules.full & ~unite(boards)
        ranked = self.rank(boards, ENDGAME_WIDTHS if empty.bit_count() <= ENDGAME else WIDTHS)
        return ranked[0][1] if ranked else None


def unite(boards):
    """Find the squares with slime."""
    return boards[0] | boards[1] | boards[2] | boards[3]


def think(player, board):
    """Choose the four numbers of a move."""
    size = len(board)
    if size > LARGEST:
        return choose_greedily(board, player)
    squares = "".join(map("".join, board))
    boards = [
        sum(1 << square for square, owner in enumerate(squares) if owner == name) for name in "1234"
    ]
    move = Thinker(Rules(size), "1234".index(player)).choose(boards)
    if move is None:
        return PASS
    _, _, _, sources, target = move
    return *divmod(next(each(sources)), size), *divmod(target, size)


def main():
    """Answer once, or each line of standard input."""
    for line in sys.argv[1:2] or sys.stdin:
        answer(think(*read_line(line.strip())))


if __name__ == "__main__":
    main()
