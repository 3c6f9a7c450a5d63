"""Cases of rules that users write: ours with something changed, and those that are nasty."""

from __future__ import annotations

import random
from dataclasses import replace

from tools.campaign import seeds, texts
from tools.campaign.case import Case
from tools.campaign.command import Command
from tools.campaign.commands import COMMANDS, play_rabbits, play_slime, score

_CARD = 'card(zz, 12, "x").\n'
# Each is a whole file; {n} is a depth or a number, {c} a character that is none for a terminal.
_NASTY = (
    "a :- not a.",
    "a :- not b. b :- not a.",
    "{{ a }}.",
    ":- not b.",
    "card(zz,12,{n}). gold(zz,P,x,1) :- player(P).",
    "gold(zz,P,x,1) :- player(P).",
    _CARD + "gold(zz,P,x,{n}) :- player(P).",
    _CARD + "gold(zz,P,x,{n}) :- player(P). gold(zz,P,y,{n}) :- player(P).",
    _CARD + "gold(zz,P,x,{n}*65536+7) :- player(P).",
    _CARD + "gold(zz,P,hex({n},0),1) :- player(P).",
    _CARD + "gold(zz,P,area({n}),1) :- player(P).",
    _CARD + 'gold(zz,P,"why {c}x",1) :- player(P).',
    'card(zz, 12, "text {c}x"). gold(zz,P,x,1) :- player(P).',
    'card("{c}", 12, "x"). gold("{c}",P,x,1) :- player(P).',
    'violation(T,"a{c}","b{c}",("c{c}",T)) :- turn(T).',
    'violation({n},a,b,"c").',
    "violation(x,1,f(x),#sup) :- turn(T).",
    _CARD + "gold(zz,P,R,1) :- settlement(P,R,C), beside(R,C,montain).",
    _CARD + "gold(zz,P,R,1) :- settlement(P,R,C), beside(R,C,Water).",
    _CARD + "gold(zz,P,x,#inf) :- player(P).",
    _CARD + "gold(zz,P,x,1/0) :- player(P).",
    _CARD + 'gold(zz,P,x,"1") :- player(P).',
    'card(zz,12,"x"). card(zz,13,"y"). card(yy,12,"z"). gold(zz,9,x,1).',
    "player({n}). hex(0,{n}). settlement(1,{n},{n}). size({n},{n}).",
    "turn({n}). last({n}). mover(9,{n}).",
    "#script (python) import os\ndef main(prg): os.abort() #end.",
    "#script (lua) print(1) #end.",
    '#include "/etc/passwd".',
    '#include "x.lp".',
    "#show. #show gold/4.",
    "#const lords_need_settlement={n}.",
    "#const last_turn = last_turn.",
    "#external a. #minimize {{ 1 : a }}.",
    "#program {c}(t).",
    "#program step(t,k). a(t,k).",
    "a(X) :- not b(X).",
    "a(@f(1)).",
    "a :- {c}.",
    "a({n}..{n}+3).",
    "%* never closed",
    'a("never closed',
    "a(1..50000). b(X) :- a(X).",
    "next(P) :- mover(P,T+2), now(T).",
    "&diff {{ a - b }} <= 3.",
    "#defined nope/1. #project gold/4. #heuristic a. [1@1,true]",
    "#theory t {{ }}.",
    "",
)
_DEPTHS = (50, 200, 1000, 5000, 20000, 60000)
_ENDLESS = (
    "n(0). n(X+1) :- n(X).",
    "n(0). n(f(X)) :- n(X).",
    _CARD + "n(0). n(X+1) :- n(X). gold(zz,P,x,1) :- player(P), n(3).",
    "a(1..9999). b(X,Y,Z) :- a(X), a(Y), a(Z).",
    "{{ a(1..40) }}. :- #count {{ X : a(X) }} != 20. :- #sum {{ X : a(X) }} != 411, a(1).",
)


def draw_rules(rng: random.Random) -> Case:
    """Draw a case of a command with ``--rules``."""
    made = _draw_command(rng)
    _add(rng, made, _draw_file(rng, made.game))
    return made.to_case("rules", rng)


def draw_endless(rng: random.Random) -> Case:
    """Draw a case of rules without an end; a limit of time is added where there is one."""
    made = _draw_command(rng)
    _add(rng, made, rng.choice(_ENDLESS).format().encode())
    return replace(made.to_case("endless", rng), endless=True)


def _draw_command(rng: random.Random) -> Command:
    while True:
        made = rng.choice((*COMMANDS, score, score, play_slime, play_rabbits))(rng)
        if made.game and made.verb[0] != "facts":
            return made


def _add(rng: random.Random, made: Command, content: bytes) -> None:
    name = "mine.lp"
    if rng.random() < 0.4:  # a file at the place of one of ours stands in for it
        folder = f"asp/{made.game.replace('-', '_')}"
        path = rng.choice(seeds.find(f"{folder}/**/*.lp"))
        name = str(path.relative_to(seeds.ROOT / folder))
    made.files[f"r/{name}"] = content
    made.options += ["--rules", "r"]
    made.recheck = []  # other rules may judge otherwise


def _draw_file(rng: random.Random, game: str) -> bytes:
    way = rng.random()
    if way < 0.5:
        return texts.mutate(rng, seeds.draw_rules(rng, game))
    if way < 0.65:
        return _draw_deep(rng).encode()
    number = rng.choice(texts.NUMBERS)
    control = rng.choice(texts.CONTROLS)
    text = rng.choice(_NASTY).format(n=number, c=control)
    return text.encode() if way < 0.9 else texts.mutate(rng, text.encode())


def _draw_deep(rng: random.Random) -> str:
    depth = rng.choice(_DEPTHS)
    way = rng.randrange(7)
    nested = "f(" * depth + "x" + ")" * depth
    if way == 0:
        return f"{_CARD}gold(zz,P,{nested},1) :- player(P).\n"
    if way == 1:
        return f"{_CARD}gold(zz,P,x,{'-' * depth}1) :- player(P).\n"
    if way == 2:
        return f"{_CARD}gold(zz,P,x,{'1+' * depth}1) :- player(P).\n"
    if way == 3:
        rest = "gold(zz,P,X,1) :- player(P), d(X,900).\n"
        return f"{_CARD}d(x,0). d(f(X),N+1) :- d(X,N), N < 900. {rest}"
    if way == 4:
        return f"a({'(' * depth}1{')' * depth}).\n"
    if way == 5:
        return f"a :- {'not ' * depth}b. b.\n"
    return "".join(f"p{i} :- p{i + 1}. " for i in range(min(depth, 1000))) + "\n"
