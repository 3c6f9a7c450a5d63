"""New games: their boards, cards and tiles are dealt, and people get help."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Name
from kb_score.errors import InputError, describe_list, guess, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, Hex, find_quadrants
from kb_score.games.kingdom_builder.records import (
    Names,
    find_spaces,
    hyphenate,
    load_names,
    read_hex,
    read_record,
    write_hex,
)
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.labels import NO_LABELS, Labels
from kb_score.games.match import MatchSetup
from kb_score.games.schema import write_sentence

if TYPE_CHECKING:
    from kb_score.games.rules_match import RulesMatch

_QUADRANTS = 4


def choose_cards(words: str | None, names: Names) -> list[str]:
    """Return the cards that a string names, each once, without those that pay in every game.

    Blanks or commas separate the names. An unknown card is an InputError.
    """
    known = [*names.chosen, *sorted(names.in_game - names.always)]
    spelt = {name.lower(): name for name in (*known, *names.always)}
    found: list[str] = []
    for word in _split_words(words):
        name = spelt.get(word.lower())
        if name is None:
            listed = describe_list(known) + guess(word, known)
            raise InputError("--cards", f"there is no card {visible(word)!r}: use {listed}")
        if name not in names.always and name not in found:
            found.append(name)
    return found


def choose_queenies(words: str | None, names: Names) -> list[str]:
    """Return the small sets that a string names, each once, in alphabetical order.

    Blanks or commas separate the names. An unknown set is an InputError.
    """
    chosen = {word.lower() for word in _split_words(words)}
    unknown = chosen.difference(names.headings)
    if unknown:
        word = min(unknown)
        listed = describe_list([*names.headings])
        raise InputError("--queenies", f"there is no small set {visible(word)!r}: use {listed}")
    return sorted(chosen)


def _split_words(words: str | None) -> list[str]:
    """Return the words of a string, which blanks or commas separate."""
    if words is None:
        return []
    return words.replace(",", " ").split()


def deal_game(
    names: Names,
    words: Sequence[str],
    players: int,
    random: Random,
    cards: Sequence[str] = (),
    labels: Labels = NO_LABELS,
) -> str:
    """Return the headings of a game on four quadrants, with its cards and nomad tiles dealt.

    The words name four different quadrants, such as ``farm/180`` for one that is turned. The cards
    are drawn if none are given.
    """
    quadrants = tuple(find_quadrants(words, names.quadrants))
    if len(quadrants) != _QUADRANTS:
        sample = "such as oracle farm/180 tavern paddock"
        raise InputError("board", f"expected four quadrants, {sample}, not {len(quadrants)}")
    spaces = find_spaces(quadrants, names.notation)
    deck = list(names.chosen)
    if spaces:
        # The cards that pay during the game belong to the nomads.
        deck += sorted(names.in_game - names.always)
    chosen = cards
    if not chosen:
        number = min(names.dealt, len(deck))
        chosen = sorted(random.sample(deck, number))
    tiles = random.sample(names.nomads, len(names.nomads))
    lines = [
        " ".join(["board", *map(str.lower, words)]),
        f"players {players}",
        "start 1",
        *(f"% player {player}: {name}" for player, name in sorted(labels.names.items())),
    ]
    if chosen:
        lines.insert(1, " ".join(["cards", *map(hyphenate, chosen)]))
    for space, tile in zip(spaces, tiles, strict=False):
        lines.append(f"nomad {write_hex(space)} {hyphenate(tile)}")
    return "".join(f"{line}\n" for line in lines)


def deal(rules: GameRules, setup: MatchSetup, random: Random) -> str:
    """Return the headings of a new game that is dealt according to a setup."""
    names = load_names(rules)
    settings = setup.settings
    cards = choose_cards(settings["cards"], names)
    quadrants = settings["board"].split()
    labels = Labels(names=setup.names)
    headings = deal_game(names, quadrants, setup.players, random, cards, labels)
    words = choose_queenies(settings.get("queenies"), names)
    return headings + place_queenies(rules, headings, words, random)


def place_queenies(rules: GameRules, headings: str, words: Collection[str], random: Random) -> str:
    """Return headings for capitols or caves at random places, one in each quadrant that allows it.

    The words are the headings of the small sets.
    """
    names = load_names(rules)
    game = read_record(headings, rules)
    rows: Sequence[tuple[Any, ...]] = game.facts["terrain"]
    lines: list[str] = []
    for word in words:
        terrain, kind = names.headings[word]
        spots = [(row, column) for found, row, column in rows if found == Name(terrain)]
        silent_rules = replace(rules, warn=None)
        facts = {**game.facts, "lies_on": [(Name(kind), hex_) for hex_ in spots]}
        answer = silent_rules.ask(asp.PLACES, facts)
        offered: dict[int, list[Hex]] = {}
        for _, quadrant, place in sorted(answer["offers"]):
            places = offered.setdefault(quadrant, [])
            places.append(read_hex(place))
        chosen = [write_hex(random.choice(places)) for places in offered.values()]
        if chosen:
            lines.append(" ".join([hyphenate(word), *chosen]))
    return "".join(f"{line}\n" for line in lines)


def draw_setup(rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
    """Return a setup whose board and number of players are drawn where they are missing."""
    given = dict(setup.settings)
    if not given["board"]:
        names = [quadrant.name for quadrant in load_names(rules).quadrants]
        words: list[str] = []
        for name in random.sample(names, _QUADRANTS):
            angle = random.choice(["", "/180"])
            words.append(name + angle)
        given["board"] = " ".join(words)
    players = given.pop("players")
    if not players:
        players = random.randint(2, MAX_PLAYERS)
    return replace(setup, settings=given, players=players)


def write_help(match: RulesMatch) -> str:
    """Return lines that describe what the cards pay and where tiles lie."""
    facts, seen = match.begun
    rules = load_rules(match.rules)
    paying = rules.list_cards([str(card) for (card,) in facts.get("chosen", ())])
    lines = [f"{card.name}: {card.text}" for card in rules.cards if card.name in paying]
    for tile, place, number, _ in sorted(seen["lies"], key=lambda row: row[1]):
        where = write_sentence((place,))
        lines.append(f"tiles to get: {number} {hyphenate(tile)} from {where}")
    return "\n".join(lines)
