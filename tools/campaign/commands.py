"""Sound command lines: every verb and game, with files that it accepts."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

from tests.helpers import ROOT
from tools.campaign import seeds
from tools.campaign.command import Command
from tools.campaign.games import check_game, legal
from tools.campaign.moves import legal_in_turns, playouts, solve, try_bot

_SLIME = ("--size", "3", "--const", "last_turn=4", "--timeout", "1")
_SESSIONS = {
    "search-party": "boards/search_party/records/meadow/*-session.txt",
    "slime": "boards/slime/[sw]*.txt",
    "rabbits": "boards/rabbits/small.session",
}
_PYTHON = sys.executable
_QUADRANTS = ("oracle", "farm", "tavern", "paddock", "quarry", "village")
# Rulings and limits of each game, other than they are.
_CONSTANTS = {
    "kingdom-builder": (
        *("lords_need_settlement=1", "most_settlements=3", "official_rows=0"),
        *("fishermen_on_water=1", "miners_on_mountain=1", "nomads_are_locations=0"),
    ),
    "search-party": ("sight=2", "largest_cast=1"),
    "slime": ("last_turn=4", "last_turn=0"),
    "rabbits": ("collide_in_pairs=0",),
}


# What may be asked about, and what cannot.
_ATOMS = (
    *("violation", "result", "illegal", "wrong-cell", "turn(_)", "gold(_,_,_,_)", "size(_,_)"),
    *("score(_,1,_)", "at(_,_,1)", "holds(_,_,1)", "rabbit(_,1)", "gold(lords,1,_,_)", "turn(0)"),
    *("gold(", "X", "not a", "@f(1)", "a(b;c)", "1..3", "\u0663", "#true", "a:-b", "a.b", "a(-1)"),
    *('a("', "a(1+1)", "a(1/0)", "a(|X|)", "&a", "%a", "%*", " ", "", "((((", "a(#inf)"),
)


def ask_why(rng: random.Random) -> list[str]:
    """Options that ask why something is so, or is not; most often none."""
    if rng.random() < 0.75:
        return []
    asked = f"{rng.choice(('--why', '--why-not'))}={rng.choice(_ATOMS)}"
    return [asked, *rng.choice(([], ["--depth", "1"], ["--width", "1"], ["--depth", "9"]))]


def score(rng: random.Random) -> Command:
    """``score``, one board or several."""
    names = [f"b{i}.txt" for i in range(rng.choice((1, 1, 1, 3)))]
    made = Command("kingdom-builder", ["score"], list(names))
    for name in names:
        boards = [seeds.draw_board(rng) for _ in range(rng.choice((1, 1, 1, 4)))]
        made.files[name], made.roles[name] = b"\n".join(boards), "boards"
    chosen: tuple[list[str], ...] = (
        ["--cards", "1,4,7"],
        ["--combinations"],
        ["--players", "4"],
        ["--jobs", "2"],
        [],
        [],
    )
    made.options += rng.choice(chosen)
    return made


def lay(rng: random.Random) -> Command:
    """``board``, of four quadrants, mostly different ones."""
    names = [name + rng.choice(("", "/180")) for name in rng.sample(_QUADRANTS, 4)]
    if rng.random() < 0.2:
        names[rng.randrange(4)] = rng.choice(("farm", "farm/90", "farn", "/180", ""))
    made = Command("", ["board"], names, has_format=False)
    if rng.random() < 0.5:
        made.writes.append("board.txt")
        made.options += ["-o", "board.txt"]
    return made


def report(rng: random.Random) -> Command:
    """``report``, into a file or on standard output."""
    made = score(rng)
    made.verb, made.has_format = ["report"], False
    made.options = rng.choice((["--cards", "1,4,7"], ["--players", "4"], [], []))
    if rng.random() < 0.7:
        made.writes.append("page.html")
        made.options = [*made.options, "-o", "page.html"]
    return made


def explain(rng: random.Random) -> Command:
    """``explain``."""
    made = Command("kingdom-builder", ["explain"], ["board.txt"])
    made.files["board.txt"], made.roles["board.txt"] = seeds.draw_board(rng), "boards"
    made.options += rng.choice((["--card", "miners"], ["--card", "12"], ["--player", "2"], [], []))
    made.options += ask_why(rng)
    return made


def advise(rng: random.Random) -> Command:
    """``advise``, on any hexes or by a terrain card; a search stops in time."""
    made = Command("kingdom-builder", ["advise"], ["board.txt"])
    made.files["board.txt"], made.roles["board.txt"] = seeds.draw_board(rng), "boards"
    made.options += ["--player", rng.choice("123"), "--limit-seconds", "2"]
    made.options += rng.choice((["--card", "grass"], ["--card", "desert/flower"], [], []))
    made.options += rng.choice((["--cards", "1,4,7"], ["--placements", "9"], ["--players", "4"]))
    return made


def check_claims(rng: random.Random) -> Command:
    """``check kingdom-builder``."""
    made = Command("kingdom-builder", ["check", "kingdom-builder"], ["board.txt", "claims.txt"])
    made.files["board.txt"] = seeds.read("kingdom_builder/example.txt")
    made.files["claims.txt"] = seeds.draw_claims(rng)
    made.roles |= {"board.txt": "boards", "claims.txt": "claims"}
    made.options += ask_why(rng)
    return made


def restore(rng: random.Random) -> Command:
    """``restore`` of a board with some hidden hexes, or with changes."""
    made = check_claims(rng)
    made.verb = ["restore"]
    board = bytearray(made.files["board.txt"])
    hexes = [i for i, symbol in enumerate(board) if symbol not in b" \n"]
    for i in rng.sample(hexes, rng.choice((0, 1, 3, 8, 20))):
        board[i] = ord("?")
    made.files["board.txt"] = bytes(board)
    chosen: tuple[list[str], ...] = (["--changes", "1"], ["--boards", "3"], ["--symbols", ".W12"])
    made.options += ["--limit-seconds", "2", *rng.choice((*chosen, [], []))]
    return made


def check_search_party(rng: random.Random) -> Command:
    """``check search-party``: a plan, a stream or a session."""
    record = rng.choice(seeds.find("boards/search_party/records/*/*.txt"))
    made = Command("search-party", ["check", "search-party"], ["map.txt", "record.txt"])
    made.files["map.txt"] = seeds.read(f"search_party/maps/{record.parent.name}.txt")
    made.files["record.txt"] = seeds.cut_record(rng, record.read_bytes())
    made.roles |= {"map.txt": "maps", "record.txt": "records"}
    made.options += ask_why(rng)
    return made


def check_slime(rng: random.Random) -> Command:
    """``check slime``: a session or frames."""
    record = rng.choice(("session.txt", "frames.txt", "wrong.txt"))
    made = Command("slime", ["check", "slime"], ["record.txt"])
    made.files["record.txt"] = seeds.cut_record(rng, seeds.read(f"slime/{record}"))
    made.roles["record.txt"] = "records"
    if record == "frames.txt":
        made.options += ["--first", "2"]
    made.options += rng.choice((["--all"], [], [], []))
    made.options += ask_why(rng)
    return made


def check_rabbits(rng: random.Random) -> Command:
    """``check rabbits``: a session, a run log or a score table."""
    record = rng.choice(("small.session", "small.log", "small.table", "small-displaced.log"))
    made = Command("rabbits", ["check", "rabbits"], ["map.txt", "record.txt"])
    made.files["map.txt"] = seeds.read("rabbits/small.map")
    made.files["record.txt"] = seeds.cut_record(rng, seeds.read(f"rabbits/{record}"))
    made.roles |= {"map.txt": "maps", "record.txt": "records"}
    made.options += ask_why(rng)
    if rng.random() < 0.2:
        made.options += ["--explain", "session.txt"]
        made.writes.append("session.txt")
        made.recheck = [*made.verb, "map.txt", "session.txt"]
    return made


def rank(rng: random.Random) -> Command:
    """``rank search-party``: two entries on two maps."""
    made = Command("search-party", ["rank", "search-party"], ["one", "two"], ["--maps", "maps"])
    for name in ("meadow", "hollow"):
        made.files[f"maps/{name}.txt"] = seeds.read(f"search_party/maps/{name}.txt")
        made.roles[f"maps/{name}.txt"] = "maps"
        records = seeds.find(f"boards/search_party/records/{name}/*.txt")
        for path in (f"one/{name}.txt", f"two/{name}/1.txt", f"two/{name}/2.txt"):
            made.files[path], made.roles[path] = rng.choice(records).read_bytes(), "records"
    made.options += rng.choice((["--details"], []))
    return made


def draw(rng: random.Random) -> Command:
    """``draw`` and ``replay`` of a record, a map or a board."""
    if rng.random() < 0.3:
        made = explain(rng)
        options = rng.choice((["--card", "miners", "--player", "2"], []))
        made.verb, made.options = rng.choice((["draw"], ["draw", "kingdom-builder"])), options
        return _drawn(rng, made, "board.svg", "board.png")
    made = _draw_record(rng)
    if made.words[0] == "map.txt" and rng.random() < 0.2:
        made.words = ["map.txt"]
        made.files.pop("record.txt")
        made.roles.pop("record.txt")
    if rng.random() < 0.4:
        made.verb[0] = "replay"
        return _drawn(rng, made, "game.html", "game.gif")
    made.verb[0] = "draw"
    made.options += rng.choice((["--turn", "1"], ["--turn", "3"], ["--turn", "-1"], [], []))
    return _drawn(rng, made, "turn.svg", "turn.png")


def playground(rng: random.Random) -> Command:
    """``playground`` of a record, a board or nothing."""
    if rng.random() < 0.5:
        made = _draw_record(rng)
        made.verb[0] = "playground"
        if made.game in _SESSIONS and rng.random() < 0.7:  # other records are refused
            session = rng.choice(seeds.find(_SESSIONS[made.game])).read_bytes()
            made.files["record.txt"] = seeds.cut_record(rng, session)
    else:
        verb = rng.choice((["playground"], ["playground", "kingdom-builder"]))
        board = {"board.txt": seeds.draw_board(rng)} if rng.random() < 0.9 else {}
        roles = dict.fromkeys(board, "boards")
        made = Command("kingdom-builder", verb, [*board], files=board, roles=roles)
    made.options += rng.choice((["--const", rng.choice(_CONSTANTS[made.game])], [], []))
    return _drawn(rng, made, "page.html", "page.HTML")


def tabletop(rng: random.Random) -> Command:
    """``tabletop`` with players, cards and a board that may not be there."""
    made = Command("kingdom-builder", ["tabletop"], [])
    made.options += [f"--player={rng.choice(('human', 'greedy', 'nobody'))}" for _ in range(2)]
    made.options += rng.choice((["--cards", "lords,miner"], ["--cards", "lords"], []))
    made.options += rng.choice((["--board", "farm oracle tavern"], ["--seed", "-1"], []))
    return _drawn(rng, made, "page.html", "page.svg")


def _draw_record(rng: random.Random) -> Command:
    made = rng.choice((check_game, check_search_party, check_slime, check_rabbits))(rng)
    made.options = ["--first", "2"] if "--first" in made.options else []
    made.writes, made.recheck = [], []
    return made


def _drawn(rng: random.Random, made: Command, often: str, seldom: str) -> Command:
    made.has_format = False
    target = rng.choice((often, often, seldom, ""))
    if target:
        made.options += ["-o", target]
        made.writes.append(target)
    return made


def facts(rng: random.Random) -> Command:
    """``facts`` of any file."""
    other = rng.choice((score, check_game, check_search_party, check_slime, check_rabbits))(rng)
    name = rng.choice(sorted(other.files))
    made = Command(other.game, ["facts"], [name], has_format=False)
    made.files[name], made.roles[name] = other.files[name], other.roles[name]
    made.options += rng.choice((["--game", other.game], []))
    return made


def play_search_party(rng: random.Random) -> Command:
    """``play search-party`` with a bot that walks, or that ends at once."""
    made = Command("search-party", ["play", "search-party"], ["map.txt"], ["--timeout", "2"])
    made.files["map.txt"], made.roles["map.txt"] = seeds.draw_map(rng), "maps"
    made.bot = ["sh", "-c", rng.choice(("exit 1", "echo .", "echo @6.; read a; read b; echo @5."))]
    if rng.random() < 0.1:
        made.bot = [_PYTHON, str(seeds.BOARDS / "search_party" / "bots" / "walker.py")]
    return _recorded(rng, made, ["check", "search-party", "map.txt"])


def play_slime(rng: random.Random) -> Command:
    """``play slime`` on a small board."""
    made = Command("slime", ["play", "slime"], options=list(_SLIME))
    for _ in range(4):
        made.options += ["--bot", rng.choice(("true", "true", "false", "echo 0 0 0 1", "echo"))]
    return _recorded(rng, made, ["check", "slime"])


def play_rabbits(rng: random.Random) -> Command:
    """``play rabbits`` with a program that ends at once, says little, or leads."""
    made = Command("rabbits", ["play", "rabbits"], ["map.txt"], ["--turns", "4", "--runs", "2"])
    made.files["map.txt"] = seeds.read("rabbits/small.map")
    made.roles["map.txt"] = "maps"
    made.bot = ["sh", "-c", rng.choice(("true", "echo; echo; echo", "cat"))]
    if rng.random() < 0.1:
        made.bot = [_PYTHON, str(seeds.BOARDS / "rabbits" / "pathfinder.py")]
    if rng.random() < 0.3:
        made.options += ["--run-log", "run.log"]
        made.writes.append("run.log")
        made.recheck = ["check", "rabbits", "map.txt", "run.log"]
        return made
    return _recorded(rng, made, ["check", "rabbits", "map.txt"])


def play_kingdom_builder(rng: random.Random) -> Command:
    """``play kingdom-builder``: some turns, with bots that say little or build anywhere."""
    most = ("--const", f"most_settlements={rng.choice('123')}")
    made = Command("kingdom-builder", ["play", "kingdom-builder"], options=[*most])
    for _ in range(rng.choice((1, 2, 2, 2, 3, 5))):
        made.options += ["--bot", rng.choice(("true", "false", "cat", "sleep 0.1", "echo 0,0"))]
    if rng.random() < 0.1:
        made.options[-1] = f"{_PYTHON} {seeds.BOARDS}/kingdom_builder/bots/any_move.py"
    if rng.random() < 0.3:
        made.options += ["--board", " ".join(rng.sample(_QUADRANTS, 4))]
    made.options += rng.choice((["--cards", "miners,families"], ["--seed", "5"], []))
    made = _recorded(rng, made, ["check", "kingdom-builder"])
    if made.recheck:
        made.recheck += most
    return made


def _recorded(rng: random.Random, made: Command, check: list[str]) -> Command:
    made.options += rng.choice((["--watch"], [], [], []))
    if rng.random() < 0.2:
        made.options += ["--replay", "game.html"]
        made.writes.append("game.html")
    if rng.random() < 0.5:
        made.options += ["--record", "record.txt"]
        made.writes.append("record.txt")
        made.recheck = [*check, "record.txt"]
        if made.game == "slime":
            made.recheck += ["--const", "last_turn=4"]
    return made


def tournament(rng: random.Random) -> Command:
    """``tournament slime`` of one game."""
    made = Command("slime", ["tournament", "slime"], ["bots.toml"], list(_SLIME))
    made.files |= {"bots.toml": seeds.TOML, "bots/": b""}
    made.roles["bots.toml"] = "tournaments"
    made.writes.append("bots.results.jsonl")
    if rng.random() < 0.6:
        made.files["bots.results.jsonl"] = seeds.RESULT * rng.choice((1, 1, 3))
        made.roles["bots.results.jsonl"] = "tournaments"
    return made


def contest(rng: random.Random) -> Command:
    """``contest`` of one game, and what looks at it."""
    way = rng.choice(([], [], ["status"], ["table"]))
    made = Command("search-party", ["contest", *way], ["contest.toml"])
    made.files |= {"contest.toml": seeds.CONTEST, "map.txt": seeds.draw_map(rng)}
    made.roles["contest.toml"] = "tournaments"
    if not way:
        # A spoiled number of rounds may be a large one, and that many games take their time.
        made.options += ["--games", "40"]
        made.writes.append("contest.results")
    return made


def rules(rng: random.Random) -> Command:
    """``rules list``, ``show``, ``test``, ``export`` and ``compare``."""
    way = rng.randrange(5)
    if way == 0:
        section = rng.choice((["cards"], ["rulings"], ["predicates"], []))
        return Command("kingdom-builder", ["rules", "list"], section)
    if way == 1:
        name = rng.choice(("fishermen", "gold/4", "near", "score.lp", "lords_need_settlement"))
        return Command("kingdom-builder", ["rules", "show"], [name], has_format=False)
    if way == 2:
        # A file at the place of one of ours stands in for it, examples and all.
        path = rng.choice(seeds.find("asp/kingdom_builder/[ctr]*/*.lp"))
        name = f"{path.parent.name}/{path.name}"
        made = Command("kingdom-builder", ["rules", "test"], [name])
        made.files[name], made.roles[name] = path.read_bytes(), "boards"
        return made
    if way == 3:
        return Command("", ["rules", "export"], ["copy"], writes=["copy"], has_format=False)
    card = rng.choice(("miners", "lords", "9", "knights"))
    file = ROOT / f"asp/kingdom_builder/cards/{card.replace('9', 'merchants')}.lp"
    name = f"cards/{file.name}"
    made = Command("kingdom-builder", ["rules", "compare"], [card, name])
    text = file.read_bytes()
    made.files[name] = rng.choice((text, text.replace(b"P,", b"", 1), text[:-9], b"\n"))
    made.options += ["--limit-seconds", "2", *rng.choice(([], ["--players", "1"], ["--valid"]))]
    return made


def legal_move(rng: random.Random) -> Command:
    """``legal`` of one of the games in turns."""
    checks = {"search-party": check_search_party, "slime": check_slime, "rabbits": check_rabbits}
    return legal_in_turns(rng, checks)


COMMANDS: tuple[Callable[[random.Random], Command], ...] = (
    *(
        score,
        score,
        lay,
        report,
        explain,
        advise,
        check_claims,
        restore,
        check_search_party,
        check_slime,
        check_rabbits,
    ),
    *(check_game, check_game, legal, legal, legal_move, legal_move, playouts, solve, try_bot),
    *(rank, facts, play_search_party, play_slime, play_rabbits, play_kingdom_builder),
    *(tournament, contest, rules),
    *(draw, draw, report, playground, playground, tabletop),
)
