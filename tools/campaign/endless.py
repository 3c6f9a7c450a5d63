"""Cases of rules that do not end, in every verb that runs rules, with limits of time and memory.

They end in time, with exit status 2, and the message names a rule that grows.
"""

from __future__ import annotations

import random

from tools.campaign.case import Case, Expected
from tools.campaign.questions import Question, draw_question

_CARD = 'card(zz, 40, "x").\n'
_EXAMPLE = "%*! Example: one each\n1 .\n . 2\nzz: 1 1 *%\n"
# Each grows without end, and what it derives is asked for.
_GROWING = (
    "n(0). n(X+1) :- n(X). {head} :- {body}, n(3).\n",
    "n(0). n(f(X)) :- n(X). {head} :- {body}, n(_).\n",
    "n(X,Y) :- n(X-1,Y). n(0,0). n(X,Y+1) :- n(X,Y). {head} :- {body}, n(2,2).\n",
)
# These would end after hours.
_LARGE = (
    "{head} :- {body}, n(A), n(B), n(C), n(D), n(E), A+B+C+D+E = 7. n(1..40).\n",
    "{head} :- {body}, S = #sum {{ A*B*C : A=1..2000, B=1..2000, C=1..2000 }}, S != 5.\n",
    "n(1..300). {head} :- {body}, not s. s :- n(A), n(B), n(C), n(D), A*B*C*D = 999999937.\n",
)
_HEADS = {
    "kingdom_builder": ("gold(zz, P, x, 1)", "player(P)"),
    "search_party": ('violation(T,"zz","","x")', "turn(T)"),
    "slime": ('violation(T,"zz","","x")', "turn(T)"),
    "rabbits": ('violation(T,"zz","","x")', "turn(T)"),
}
# Where the message may say which rule it is: its file, or its predicate.
_NAMED = r"r/endless\.lp|\bn/|\bn\(|\bgold\b|\bviolation\b"


def draw_limit(rng: random.Random) -> Case:
    """Draw a command that runs rules without an end, with a limit."""
    question = draw_question(rng)
    is_growing = rng.random() < 0.6
    head, body = _HEADS[question.game]
    rule = rng.choice(_GROWING if is_growing else _LARGE).format(head=head, body=body)
    text = rule
    if question.game == "kingdom_builder":
        text = f"{_CARD}{rule}\n{_EXAMPLE}"
    words = _draw_words(rng, question)
    limits = [*rng.choice((("--limit-seconds", "2"), ("--limit-seconds", "0.5")))]
    has_memory_limit = rng.random() < 0.3
    if has_memory_limit:
        limits += ["--limit-memory", rng.choice(("64", "300"))]
    # Some verbs look at rules without running them as a whole, and a card may not be asked for.
    statuses = (2,) if is_growing and words[0] in ("score", "explain", "check") else (0, 1, 2)
    # What grows can be named; of rules that only take long it is not known which one does.
    refusal = (_NAMED,) if is_growing and not has_memory_limit else ()
    return Case(
        "limits",
        (*words, *limits),
        {**question.files, "r/endless.lp": text.encode()},
        expected=Expected(statuses, refusal),
        patience=40.0,  # the limit is one of the processor, which others may keep busy
    )


def _draw_words(rng: random.Random, question: Question) -> tuple[str, ...]:
    files = tuple(question.files)
    rules = ("--rules", "r")
    ways: list[tuple[str, ...]] = [(*question.words, *rules)]
    game = question.game.replace("_", "-")
    ways.append(("rules", "coverage", *files, "--game", game, *rules))
    if question.game == "kingdom_builder":
        ways.append(("rules", "mutate", "r", "--count", "1"))
        ways.append(("rules", "test", "r"))
    if question.words[0] == "score":
        ways.append(("explain", *files, *rules, "--why", "gold(zz,1,x,1)"))
        ways.append(("explain", *files, *rules, "--why-not", "gold(zz,1,y,1)"))
    elif question.words[0] == "check":
        asked = "gold(zz,1,x,1)" if game == "kingdom-builder" else "violation(1,_,_,_)"
        ways.append((*question.words, *rules, "--why", asked))
    return rng.choice(ways)
