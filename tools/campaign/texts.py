"""Mutations of text: what happens to files on their way, and what hostile people write."""

# ruff: noqa: SIM905 - tables of words are read more easily so

from __future__ import annotations

import random
import re
from collections.abc import Callable

Mutation = Callable[[random.Random, bytes], bytes]

# A mutated text is no longer than this, so that thousands of cases can be run.
LONGEST = 200_000

NUMBERS = (
    "0 -0 -1 00 007 +1 1.5 1e9 1e999 nan inf 256 257 65536 2147483647 2147483648 -2147483648"
    " 4294967296 9223372036854775807 9223372036854775808 99999999999999999999 0x10 1_000"
).split()
# Arabic, full-width, superscript and mathematical digits: int() takes some of them.
DIGITS = "\u0663\u0661\uff13\uff11\u00b2\u00bd\U0001d7d9\u0967\u2460"
CONTROLS = (
    "\0 \x01 \x07 \x08 \x0b \x0c \r \x1a \x1b[31m \x1b]0;x\x07 \x1b[2J \x1b \x7f \x85 \x9b31m "
    "\u200e \u200f \u202a \u202e \u2066 \u2069 \u2028 \u2029 \ufeff \u00a0 \u200b \u3000 \ufffe"
).split(" ")
NASTY = (*CONTROLS, "\t", "\n", "\n\n\n", "\r\n", " ", "%", ";", "[/x]", "[bold]", "{0}", "%s", "'")
RAW = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xfe\xff", b"\xef\xbb\xbf")


def mutate(rng: random.Random, text: bytes, times: int = 0) -> bytes:
    """Apply one or a few mutations; often such that the text may stay sound."""
    mutations = (_swap_alike, _nudge_number) if rng.random() < 0.4 else MUTATIONS
    for _ in range(times or rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(mutations)(rng, text)[:LONGEST]
    return text


def _place(rng: random.Random, text: bytes) -> int:
    return rng.randrange(len(text) + 1)


def _flip_byte(rng: random.Random, text: bytes) -> bytes:
    if not text:
        return rng.randbytes(3)
    at = rng.randrange(len(text))
    byte = text[at] ^ (1 << rng.randrange(5)) if rng.random() < 0.6 else rng.randrange(256)
    return text[:at] + bytes([byte]) + text[at + 1 :]


def _insert_nasty(rng: random.Random, text: bytes) -> bytes:
    at = _place(rng, text)
    word = rng.choice(NASTY).encode() if rng.random() < 0.8 else rng.choice(RAW)
    return text[:at] + word * rng.choice((1, 1, 1, 2, 300)) + text[at:]


def _cut_span(rng: random.Random, text: bytes) -> bytes:
    at = _place(rng, text)
    return text[:at] + text[at + rng.choice((1, 1, 2, 5, 30, 400)) :]


def _cut_short(rng: random.Random, text: bytes) -> bytes:
    return text[: _place(rng, text)]


def _swap_symbol(rng: random.Random, text: bytes) -> bytes:
    if not text:
        return text
    at, other = rng.randrange(len(text)), rng.randrange(len(text))
    return text[:at] + text[other : other + 1] + text[at + 1 :]


def _swap_alike(rng: random.Random, text: bytes) -> bytes:
    """Put a symbol of the text where another of its class stands: often the text stays sound."""
    sort = rng.choice((rb"\d", rb"[A-Za-z]", rb"[^\w\s]", rb"[^\s]"))
    places = [found.start() for found in re.finditer(sort, text)]
    if not places:
        return text
    at, other = rng.choice(places), rng.choice(places)
    return text[:at] + text[other : other + 1] + text[at + 1 :]


def _nudge_number(rng: random.Random, text: bytes) -> bytes:
    numbers = list(re.finditer(rb"\d{1,9}", text))
    if not numbers:
        return text
    found = rng.choice(numbers)
    number = max(0, int(found[0]) + rng.choice((-2, -1, 1, 2, 10)))
    return text[: found.start()] + str(number).encode() + text[found.end() :]


def _with_lines(rng: random.Random, text: bytes) -> bytes:
    lines = text.splitlines(keepends=True) or [b""]
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(7)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(at, lines[other])
    elif way == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 3:
        lines[at] = lines[at].rstrip(b"\r\n") + lines[other]
    elif way == 4:
        lines[at] = lines[at][: _place(rng, lines[at])] + b"\n"
    elif way == 5:
        lines[at] = rng.choice((b" ", b"\t", b"  ", b"\xc2\xa0")) + lines[at]
    else:
        lines[at : at + rng.choice((1, 5, 20))] = reversed(lines[at : at + 5])
    return b"".join(lines)


def _replace_number(rng: random.Random, text: bytes) -> bytes:
    numbers = list(re.finditer(rb"\d+", text))
    if not numbers:
        return text + rng.choice(NUMBERS).encode()
    found = rng.choice(numbers)
    word = rng.choice(NUMBERS) if rng.random() < 0.7 else rng.choice(DIGITS)
    return text[: found.start()] + word.encode() + text[found.end() :]


def _lengthen(rng: random.Random, text: bytes) -> bytes:
    at = _place(rng, text)
    piece = text[at : at + rng.choice((1, 1, 3, 40))] or b"x"
    return text[:at] + piece * rng.choice((10, 200, 3000)) + text[at:]


def _repeat(rng: random.Random, text: bytes) -> bytes:
    return rng.choice((b"", b"\n", b"\n\n")).join([text] * rng.choice((2, 2, 3, 20)))


def _encode(rng: random.Random, text: bytes) -> bytes:
    way = rng.randrange(6)
    if way == 0:
        return b"\xef\xbb\xbf" * rng.choice((1, 2)) + text
    if way == 1:
        return text.decode(errors="replace").encode("utf-16")
    if way == 2:
        return text.replace(b"\n", b"\r\n")
    if way == 3:
        return text.replace(b"\n", b"\r")
    if way == 4:
        return text.replace(b" ", b"\xc2\xa0")
    return text.replace(b" ", b"\t")


def _begin_anew(rng: random.Random, text: bytes) -> bytes:
    some = rng.randbytes(len(text) % 200)
    return rng.choice((b"", b"\n", b" ", b"\n\n\n", b"\xc2\xa0", b"\0", b"%", b"\r", some))


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip_byte, _flip_byte, _insert_nasty, _insert_nasty, _insert_nasty, _cut_span, _cut_short),
    *(_swap_symbol, _swap_symbol, _with_lines, _with_lines, _with_lines, _replace_number),
    *(_replace_number, _replace_number, _lengthen, _repeat, _encode, _begin_anew),
    *(_swap_alike, _nudge_number),
)
