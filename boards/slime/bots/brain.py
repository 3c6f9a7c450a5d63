"""Brain: the rules themselves look for the move, see brain.lp."""

from pathlib import Path

from board import PASS, answer, read_argument
from clingo import Control, Number

from kb_score.resources import find_folder

HERE = Path(__file__).resolve().parent


def think(player, board):
    """Find the best move; a pass where there is none."""
    facts = [f"size({len(board)},{len(board)}). mover({player},1)."]
    for row, line in enumerate(board):
        for column, owner in enumerate(line):
            facts.append(f"before_holds(({row},{column}),{owner.replace('.', '0')},1).")
    control = Control(["--warn=none"])
    control.load(str(find_folder("asp") / "slime" / "rules" / "rules.lp"))
    control.load(str(HERE / "brain.lp"))
    control.add("base", [], "".join(facts))
    control.ground([("base", []), ("step", [Number(1)])])
    best = PASS
    with control.solve(yield_=True) as models:
        for model in models:  # each is better than the one before
            for atom in model.symbols(shown=True):
                source, target, _ = atom.arguments
                best = [number.number for place in (source, target) for number in place.arguments]
    return best


answer(think(*read_argument()))
