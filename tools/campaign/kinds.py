"""The kinds of cases, and how often each comes; a case is drawn from its seed and number alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tools.campaign import bots, calls, clashes, endless, rules, rulings, sandbox, texts
from tools.campaign.case import Case
from tools.campaign.command import ROLES, Command
from tools.campaign.commands import COMMANDS

Kind = Callable[[random.Random], Case]


def draw_case(seed: int, number: int) -> Case:
    """Draw a case of a campaign."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices(tuple(KINDS), tuple(weight for _, weight in KINDS.values()))[0]
    case = KINDS[kind][0](rng)
    return replace(case, kind=kind)


def _draw_command(rng: random.Random, needs: Callable[[Command], object]) -> Command:
    while True:
        made = rng.choice(COMMANDS)(rng)
        if needs(made):
            return made


def _of_role(role: str) -> Kind:
    """Make the kind that changes files of a role."""

    def draw(rng: random.Random) -> Case:
        made = _draw_command(rng, lambda command: role in command.roles.values())
        names = [name for name, its_role in made.roles.items() if its_role == role]
        name = rng.choice(names)
        made.files[name] = texts.mutate(rng, made.files[name])
        if name in made.words and rng.random() < 0.15:
            made.words[made.words.index(name)] = "-"
            made.given = made.files[name]
        return made.to_case(role, rng)

    return draw


_ANY_VALUES = (
    *("", " ", "0", "-0", "-1", "1", "2", "5", "1.5", "nan", "inf", "-inf", "1e999", "1e-999"),
    *("0x10", "1_0", "\u0663", "\uff12", "x", "-", "--", "a=b", "1,3,7", "1,,3", "1,1,1", "1,3,x"),
    *("miners", "castles", "MINERS", "all", "json", "2147483648", "9" * 30, "9" * 5000, "map.txt"),
    *("lords_need_settlement=1", "lords_need_settlement=x", "lords_need_settlement=-1", "nope=1"),
    *("sight=0", "sight=12", "sight=9999999999", "sight=-3", "largest_side=0", "largest_cast=1"),
    *("most_settlements=2147483648", "official_rows=0", "collide_in_pairs=0", "=", "=1", "a="),
    *("\x1b[31m", "\u202ex", "a\nb", "\x07", "\udcff", "[/x]", "{0}", "%s", "x" * 3000, "\u00b2"),
)
_OPTIONS = (
    *("--cards", "--card", "--player", "--players", "--format", "--const", "--rules", "--first"),
    *("--size", "--timeout", "--grace", "--kill", "--turns", "--seed", "--start-time", "--game"),
    *("--answer-time", "--seatings", "--maps", "--combinations", "--all", "--details", "--help"),
    *("--turn", "--watch", "--output", "--case", "--map", "--end-time", "--lines", "--persistent"),
    *("--settlements", "--placements", "--changes", "--boards", "--symbols"),
    *("--why", "--why-not", "--depth", "--width"),
    *("--version", "-h", "-o", "--", "-", "--nope", "--jobs"),
)
# Numbers in range that would rightly take long are none of these.
_JOBS = ("0", "-1", "2", "3", "", "x", "1.5", "nan")


def _draw_options(rng: random.Random) -> Case:
    made = rng.choice(COMMANDS)(rng)
    for _ in range(rng.choice((1, 1, 2, 3))):
        known = [word for word in made.options if word.startswith("--")]
        option = rng.choice(known) if known and rng.random() < 0.6 else rng.choice(_OPTIONS)
        value = rng.choice(_JOBS if option == "--jobs" else _ANY_VALUES)
        if option in ("--record", "--results", "--explain", "--run-log", "--bot", "--replay", "-o"):
            continue  # of these there are kinds of their own
        made.options += rng.choice(([option, value], [option, value], [f"{option}={value}"]))
        if rng.random() < 0.1:
            made.options.remove(rng.choice(made.options))
        if rng.random() < 0.1:
            made.verb[rng.randrange(len(made.verb))] = rng.choice((*_ANY_VALUES, "slime", "check"))
    return _permit(made.to_case("options", rng))


def _permit(case: Case) -> Case:
    """Take what odd options may turn into an output out of the comparison."""
    return replace(case, writes=(*case.writes, "*"), recheck=())


_NAMES = (
    *("\udcff.txt", "a\nb.txt", "\x1b[31mred.txt", "\x07.txt", "\u202etxt.exe", "\u2066x", "\x85x"),
    *("-x.txt", "--help", " ", "  a b ", "~", "%s", "{0}", "[red]x[/red]", "[/x].txt", "a:1:2"),
    *("'", '"', "\\", "$(id)", "a\tb", "a\rb", "x" * 255, "#1", "*", "?", "\u200f", "\U0001f600"),
    *("e\u0301", "d/../b.txt", "\udcc3(.txt", "nan", "0", "a=b", "con.txt", ".hidden"),
)


def _draw_names(rng: random.Random) -> Case:
    made = _draw_command(rng, lambda command: command.words and command.roles)
    old = rng.choice([word for word in made.words if word in made.files] or [made.words[0]])
    new = rng.choice(_NAMES)
    content = made.files.pop(old, None)
    if content is not None and rng.random() < 0.9:
        made.files[new] = content if rng.random() < 0.5 else texts.mutate(rng, content)
    if "d/.." in new:
        made.files["d/"] = b""
    shown = f"./{new}" if new.startswith("-") and rng.random() < 0.5 else new
    made.words = [shown if word == old else word for word in made.words]
    made.recheck = []
    made.writes.append("*")  # the results of a tournament lie beside its file
    return made.to_case("names", rng)


_TARGETS = (
    *("folder", "linked", "dangling", "loop", "taken.txt", "hard.txt", "/dev/full", "/dev/null"),
    *("missing/x.txt", "taken.txt/x", "x" * 300, "", "-", ".", "..", "/", "folder/", "new.txt"),
    *("folder/new.txt", "\udcff", "\x1b[31m", "a\nb", "loop/x", "/proc/x", "/dev/stdout/x"),
)
# The same for a page, whose name has to end so.
_PAGES = (
    *("folder.html", "linked.html", "dangling.html", "loop.html", "taken.html", "hard.html"),
    *("missing/x.html", "taken.txt/x.html", f"{'x' * 300}.html", "folder/new.html", "new.html"),
    *("-.html", ".html", "\udcff.html", "\x1b[31m.html", "a\nb.html", "/proc/x.html"),
)


def _draw_outputs(rng: random.Random) -> Case:
    if rng.random() < 0.4:
        made = rng.choice(COMMANDS)(rng)
        case = made.to_case("outputs", rng)
        return replace(case, stdout=rng.choice(("full", "closed", "gone")), real=True)
    made = _draw_command(rng, lambda command: command.writes)
    is_page = made.writes[0].endswith(".html") and rng.random() < 0.6
    target = rng.choice((*(_PAGES if is_page else _TARGETS), *made.roles))
    if made.verb[0] in ("tournament", "contest"):
        made.options += ["--results", target]
    elif made.verb[0] == "rules":
        made.words = [target]
    else:
        for name in made.writes:
            made.options = [target if word == name else word for word in made.options]
    made.files |= {"folder/": b"", "folder.html/": b""}
    made.files |= dict.fromkeys(("taken.txt", "taken.html"), b"taken\n")
    if rng.random() < 0.2 and "--record" not in made.options and made.verb[0] == "play":
        made.options += ["--record", target]
    # What leads to a file of the user's that is there may be written, if he says so.
    is_input = target in made.roles and target != "bots.results.jsonl"
    made.writes = [] if is_input else [target, "taken.txt", "taken.html", "nowhere"]
    if made.verb[0] in ("playouts", "contest"):
        made.writes.append("*")  # it fills the folder that it is told to
    if made.verb == ["rules", "export"] and target == "linked":
        made.writes.append("folder")
    links = {"linked": "folder", "dangling": "nowhere", "loop": "loop", "hard.txt": "taken.txt"}
    links |= {"linked.html": "folder", "dangling.html": "nowhere", "loop.html": "loop.html"}
    links["hard.html"] = "taken.html"
    made.recheck = []
    return replace(made.to_case("outputs", rng), links=links)


KINDS: dict[str, tuple[Kind, int]] = {
    **{role: (_of_role(role), 12) for role in ROLES if role != "tournaments"},
    "tournaments": (_of_role("tournaments"), 4),
    "rules": (rules.draw_rules, 14),
    "options": (_draw_options, 12),
    "names": (_draw_names, 7),
    "outputs": (_draw_outputs, 7),
    "api": (calls.draw_call, 9),
    "bots": (bots.draw_bots, 5),
    "signals": (bots.draw_signals, 2),
    "endless": (rules.draw_endless, 1),
    "clashes": (clashes.draw_clash, 10),
    "rulings": (rulings.draw_ruling, 8),
    "limits": (endless.draw_limit, 3),
    "sandbox": (sandbox.draw_look, 2),
    "nested": (sandbox.draw_nest, 1),
}
