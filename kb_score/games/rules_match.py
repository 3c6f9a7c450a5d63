"""Matches of games that have no Python code of their own: the rules alone run them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, NamedTuple, NoReturn

from clingo import Symbol

from kb_score.engine.live import Live, SavedGame
from kb_score.engine.program import OPEN
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.state import find_asking_parts
from kb_score.engine.terms import Facts, Row, Term, Value, to_symbol, to_value
from kb_score.errors import Fault, FormatError, InputError, RuleError, write_count
from kb_score.games.agreement import CHANCE_PART, JUDGE, LEGAL, STEP, TURN, WAYS
from kb_score.games.files import GameFiles, restricts
from kb_score.games.live import (
    CHANCE_PLAYER,
    RENEWAL,
    check_movers,
    check_usable,
    explain_illegal,
    explain_unreadable,
    refuse_misuse,
)
from kb_score.games.manifest import list_fields
from kb_score.games.match import File, Legal, Match, Reason, Turn, refuse
from kb_score.games.position import (
    RulesPosition,
    check_legal,
    check_written,
    find_player,
    list_legal,
    list_reasons,
    show_end,
)
from kb_score.games.record import RecordJudge
from kb_score.games.rulings import write_rulings
from kb_score.games.schema import IllegalRow, TerminalRow, calls_illegal, to_json, write_sentence
from kb_score.games.texts import ANSWER, CHANCE, ReadText
from kb_score.games.told import Told
from kb_score.resources import MANIFEST
from kb_score.shell.picture import TextBoard

# The code and the message of an answer that goes on when another player is to move.
_AFTER_TURN = "after-turn"
_TURN_OVER = "the turn is over before the end of the answer"
# How many times chance may decide in a turn.
_MOST_DRAWN = 200
# The answer of a player without a move, in games in which every answer counts as something.
_PASS = "pass"


class WeightRow(NamedTuple):
    """The weight of an answer in random games; other answers have weight 1."""

    who: Value
    action: Value
    weight: int
    turn: int


def draw(
    draws: Iterable[Sequence[Symbol]], items: Iterable[Sequence[Symbol]], random: Random
) -> dict[str, Sequence[Any]]:
    """Return the facts of what chance decides: a value of each key, and places of the items.

    There is a row for each value of a key, and one for each item.
    """
    values = defaultdict[Symbol, list[Symbol]](list)
    for key, value in sorted(map(tuple, draws)):
        values[key].append(value)
    drawn = [(key, random.choice(choices)) for key, choices in values.items()]
    shuffled = sorted(item for (item,) in items)
    random.shuffle(shuffled)
    return {"drawn": drawn, "shuffled": list(enumerate(shuffled, start=1))}


def play_once(rules: GameRules, use: Use, facts: Facts, random: Random) -> list[Row]:
    """Return the rows of opening_line/3 after a single step, which chance decides."""
    live = Live(rules.program(use), facts, renewal=RENEWAL)
    live.next_turn()
    live.play([OPEN])
    live.play([STEP], draw(live.list_new(("draw", 3)), live.list_new(("shuffle", 2)), random))
    check_usable("the game", live.news("unusable"))
    return live.news("opening_line")


class RulesMatch(Match):
    """A match of a game that is made of its folder.

    Attributes:
        map_name: The name of its map; empty if it has none.
        met: The cases that the current position meets.
        counts: The number of answers of each kind that each player gave, by kind and player.
        kinds: The place of each kind of answer among the kinds, and its name.
    """

    turn = 0
    mover = 1
    finished = False

    def __init__(
        self,
        files: GameFiles,
        rules: GameRules,
        start: Facts,
        map_: File = ("", ""),
        *,
        kind: str = "",
        players: int = 0,
        random: Random | None = None,
    ) -> None:
        """Begin a match from the initial facts; a map that cannot be used is an InputError.

        Args:
            map_: The name and the text of the map, if there is one.
            kind: The kind of records whose turns are played; empty for the kind of play.
            players: The number of players; 0 if it is not known.
            random: The generator that decides for chance; None if a record does.
        """
        self.keeps_told = files.manifest.play.record_told
        self._files = files
        self._rules = rules
        self._start = start
        self.map_name, self._map = map_
        # What records begin with: the map, unless it is another file, or what setup has made.
        texts = files.texts
        self._head = "" if texts.has_map and not texts.is_map_in_record else self._map
        self._random = random
        self._players = players
        self._step = 0  # the number of steps that were played
        self.met: set[str] = set()
        self.counts = Counter[tuple[str, int]]()
        use = files.uses.find_play(kind)
        program = rules.program(use)
        self._program = program
        self._has_open = program.has_part(OPEN)
        self._has_figures = ("figure", 3) in program.derived
        self._has_ways = program.has_part(WAYS)
        self._judging = [JUDGE] if program.has_part(JUDGE) else []
        self._has_chance_part = program.has_part(CHANCE_PART)
        self._is_ways_due = False  # whether the current step still needs its part `ways`
        # Live play does not rederive what the part legal asks about, and forbidden actions may be
        # known only once there is an answer.
        can_list = program.has_part(LEGAL) and not restricts(program)
        self._has_legal = can_list and LEGAL not in find_asking_parts(program)
        self._options: list[Legal] = []  # of the current turn; empty until they are needed
        self._weights: dict[tuple[Value, str], int] = {}
        self._game = Live(program, start, renewal=RENEWAL)
        # The state to which the game has to return before it is used; see `restore`.
        self._due: _SavedMatch | None = None
        # A random answer and the state after it, as long as the game is in that state.
        self._chosen: tuple[str, _SavedMatch] | None = None
        self._told = Told(files.title)
        # What chance may decide at this step: keys with their values, and items to shuffle.
        self._draws: Sequence[Sequence[Symbol]] = ()
        self._items: Sequence[Sequence[Symbol]] = ()
        self._queue: list[Facts] = []  # the steps of chance that have not been grounded
        self._drawn: list[str] = []  # what chance has decided since the last turn, as text
        self._said: list[str] = []  # the answers of a turn that is not over
        self._lines: list[str] = []  # of the record so far
        self._judged: tuple[str, dict[str, Any]] = ("", {})  # the last record judged, its figures
        self._is_chance = False  # whether chance decides if nobody answers
        self._held: object | None = None  # the state before held parts of an answer
        self._movers = defaultdict[int, set[int]](set)
        self._chances = set[int]()  # the steps at which chance decides if nobody answers
        self._figures: dict[str, Any] = dict.fromkeys(files.manifest.figures)
        # What the rules derive at the current step of the predicates that the manifest lists, and
        # the position and these rows when the turn began.
        self.seen: Mapping[str, Sequence[tuple[Any, ...]]] = {}
        self.begun: tuple[Facts, Mapping[str, Sequence[tuple[Any, ...]]]] = ({}, {})
        self.kinds = self._live.news("kind")
        self._advance()
        self._begin_turn()
        self._begun = self._let_chance_decide()  # what a record begins with

    @property
    def _live(self) -> Live:
        """The game in the state of the match."""
        self._return()
        self._flush()
        return self._game

    def _flush(self) -> None:
        """Play the steps of chance that wait."""
        if self._queue:
            queue, self._queue = self._queue, []
            self._play_queue(queue, lists=False)

    def _return(self) -> None:
        """Return to the state of the match, without the steps of chance that wait."""
        self._chosen = None
        due = self._due
        if due is not None:
            self._due = None
            parts = [OPEN] if self._has_open and not due.finished else []
            self._game.restore(due.game, parts, self._number_step())

    def _play_queue(self, queue: Sequence[Facts], *, lists: bool) -> None:
        """Play steps of chance within a turn, and perhaps list what is legal then."""
        for row in self._play_steps(queue, ends_turn=False, lists=lists, is_listed=True):
            self._refuse(f"turn {self.turn + 1}: chance did what is illegal: {row.code}")

    def _advance(self) -> None:
        """Update the match after a turn, and open the next turn if there is one."""
        self.met = {case for case, _ in self._live.news("meets")}
        self._update()
        if not self.finished:
            self._live.next_turn()
            if self._has_open:
                self._live.play([OPEN], self._number_step())
                self._update()
        self._prepare()

    def _prepare(self) -> None:
        """Prepare for the next turn, which is open, if there is one."""
        now = self._step + 1
        seen = {name: self._live.news(name) for name in self._files.manifest.functions.seen}
        self.seen = {name: [row for row in rows if row[-1] == now] for name, rows in seen.items()}
        self._is_ways_due = self._has_ways
        if not self.finished:
            self._check_movers()
        self._options = []

    def _take_ways(self) -> list[str]:
        """Return the part that judging an answer and listing answers share, once a step."""
        if not self._is_ways_due:
            return []
        self._is_ways_due = False
        return [WAYS]

    def _number_step(self) -> Facts:
        """Return the fact with the turn of the next step, if turns have several steps."""
        if not self._files.texts.format.has_steps:
            return {}
        return {STEP: [(self.turn + 1,)]}

    def _begin_turn(self) -> None:
        """Note what players know at the beginning of a turn, in a game that tells it itself."""
        if self._files.manifest.functions.tell and any(self.seen.values()):
            self.begun = (self.position().facts, self.seen)

    def follow(self, record: ReadText) -> None:
        """Play the turns of a record; an illegal one is an InputError."""
        turns = defaultdict[int, list[Facts]](list)
        for step, given in enumerate(record.list_turns()[1:], start=1):
            facts = {name: rows for name, rows in given.items() if name not in (TURN, STEP)}
            turns[record.count_turn(step)].append(facts)
        for turn, steps in turns.items():
            for row in self._play_steps(steps):
                raise refuse("the game", row._replace(turn=turn))
            self._begin_turn()

    def draw_with(self, random: Random, drawn: str = "") -> None:
        """Let a generator decide for chance from now on, but for what chance has drawn already."""
        self._random = random
        if drawn:
            self._drawn.append(drawn)
            self._queue.append(self._files.read_answer(self._rules, drawn, "drawn", CHANCE))
            self._is_chance = False
        self._begun = self._let_chance_decide()

    def _let_chance_decide(self) -> str:
        """Play the steps of chance, and return the lines that records have for them."""
        if self._random is None:
            return ""
        while not self.finished and self._is_chance:
            line, given = self._draw(self._random)
            if line:
                self._drawn.append(line)
            if len(self._drawn) > _MOST_DRAWN:
                self._refuse(f"turn {self.turn + 1}: chance decides without end")
            if self.mover != CHANCE_PLAYER:
                # The player goes on: the step is grounded with the answer.
                self._queue.append(given)
                self._is_chance = False
                break
            is_turn = bool(line) and not self._has_drawn
            for row in self.play(given, ends_turn=is_turn):
                self._refuse(f"turn {self.turn + 1}: chance did what is illegal: {row.code}")
        if self._has_drawn:
            return ""
        lines = "".join(f"{line}\n" for line in self._drawn)
        self._drawn.clear()
        return lines

    @cached_property
    def _has_drawn(self) -> bool:
        """Whether the line of an answer contains what chance has decided before it."""
        return "drawn" in list_fields(self._files.manifest.play.line)

    def _draw(self, random: Random) -> tuple[str, Facts]:
        """Return what chance decides at a step: a line for the record, if it has one, and facts."""
        if self._draws or self._items:
            given = draw(self._draws, self._items, random)
            line = self._write_drawn(given)
            if not line:
                return "", given
        else:
            if not self._files.texts.format.has_chance:
                self._refuse("player 0 is chance, but the grammar has no rule chance")
            line = self._choose_step(random, is_chance=True)
        return line, self._files.read_answer(self._rules, line, "what chance decides", CHANCE)

    def _write_drawn(self, given: Mapping[str, Sequence[Any]]) -> str:
        """Return what chance has decided as a line of a record, if the grammar has one."""
        format_ = self._files.texts.format
        words = list[str]()
        for name, rows in given.items():
            if (name, 2) in format_.actions:
                for row in rows:
                    values = tuple(map(to_value, map(to_symbol, row)))
                    words.append(format_.write_action(Term(name, values)))
        return " ".join(words)

    def _update(self, since: int = 0) -> None:
        """Update the match with what the rules have derived since the last update.

        Texts for players that belong to steps before ``since`` are out of date.
        """
        live = self._live
        check_usable(self.map_name or "the game", live.news("unusable"))
        refuse_misuse(self._rules, live)
        self._told.take_in(live, since)
        self._take_in_figures(live.news("figure"))
        self._draws = live.list_new(("draw", 3))
        self._items = live.list_new(("shuffle", 2))
        for player, turn in live.news("mover"):
            self._movers[turn].add(player)
        self._chances |= {turn for (turn,) in live.news("chance")}
        if live.news(TerminalRow):
            self.finished = True

    def _take_in_figures(self, figures: Sequence[Row]) -> None:
        """Update the figures of the result; one that has two values at once is a RuleError."""
        values: dict[tuple[Value, Value], Value] = {}
        for key, value, turn in figures:
            other = values.setdefault((key, turn), value)
            if other != value:
                self._refuse(f"figure/3 gives {key} two values after turn {turn}")
            self._figures[str(key)] = to_json(value)

    def _refuse(self, message: str) -> NoReturn:
        """Raise a RuleError that names the game."""
        raise RuleError(f"the rules of {self._files.title}: {message}")

    def _check_movers(self) -> None:
        """Find whose turn it is; a RuleError if the rules name no player or several."""
        step = self._step + 1
        movers = self._movers.pop(step, set())
        check_movers(self._files, self.turn + 1, movers, self._players)
        # The rules of a game for one player need not name the player.
        if movers:
            (self.mover,) = movers
        self._is_chance = step in self._chances or self.mover == CHANCE_PLAYER
        self._chances.discard(step)

    def answer(self, line: str) -> Turn:
        """Play an answer; the record of a turn that waits for chance is empty.

        In games in which every answer counts as something, an unreadable answer is a pass.
        """
        try:
            steps = self._files.read_steps(self._rules, line, "the answer")
        except FormatError as error:
            raise explain_unreadable(error) from error
        turn = self.turn
        said = line
        has_form = self._files.manifest.play.line and self._files.texts.fits_answer(line)
        if has_form:
            said = self._files.texts.write_answer(line)
        repeated = self._repeat([*self._said, said]) if has_form else line
        illegal: Sequence[IllegalRow] = ()
        if self._chosen is not None and self._chosen[0] == line:
            _, after = self._chosen
            self._due = self._chosen = None
            self._take_over(after)
        else:
            illegal = self._play_steps(steps)
        if illegal:
            raise explain_illegal(illegal, self._repeat([said]) if has_form else line)
        if self.turn == turn:
            self._said.append(said)
            self._let_chance_decide()
            return Turn("")
        self._said.clear()
        self._drawn.clear()
        self._begin_turn()
        piece = f"{repeated}\n{self._let_chance_decide()}"
        self._lines.append(piece)
        return Turn(piece)

    def _play_steps(
        self,
        steps: Sequence[Facts],
        *,
        ends_turn: bool = True,
        lists: bool = False,
        is_listed: bool = False,
    ) -> Sequence[IllegalRow]:
        """Play the steps of an answer; an illegal one of several takes all of them back.

        What is legal afterwards may be listed, as the steps may have been. The reasons why a step
        is illegal are returned, if there is one. A turn does not end while chance has something to
        decide.
        """
        has_steps = self._files.texts.format.has_steps
        if not has_steps:
            return self.play(steps[0])
        before = self.save()
        mover = self.mover
        number = len(self._queue) + len(steps)
        self._return()
        if self._has_open and self._game.can_play_turns(number):
            if self._play_together(steps, ends_turn=ends_turn, lists=lists, is_listed=is_listed):
                return ()
            self.restore(before)
        self._flush()
        for number, given in enumerate(steps, start=1):
            rest = steps[number - 1 :]
            if self._only_ends(rest):
                self.turn += ends_turn
                break
            if self._ends_early(rest, is_chance=self._is_chance):
                break
            illegal: Sequence[IllegalRow]
            if self.finished and number == 1:
                over = ("the game is over after turn", self.turn)
                illegal = [IllegalRow(self._step + 1, "after-end", "", over)]
            elif self.finished or self.mover != mover:
                illegal = [IllegalRow(self._step + 1, _AFTER_TURN, mover, (_TURN_OVER,))]
            else:
                is_end = ends_turn and number == len(steps)
                illegal = self.play(given, ends_turn=is_end)
            if illegal:
                self.restore(before)
                return illegal
        return ()

    def _ends_early(self, steps: Sequence[Facts], *, is_chance: bool) -> bool:
        """Return whether some steps only end the turn, but chance has something to decide."""
        end = self._files.texts.format.end
        return is_chance and all(list(step) == [end] for step in steps)

    def _only_ends(self, steps: Sequence[Facts]) -> bool:
        """Return whether the game is over, and some steps do nothing but end the turn."""
        end = self._files.texts.format.end
        return self.finished and all(list(step) == [end] for step in steps)

    def save(self) -> _SavedMatch:
        due = self._due
        return _SavedMatch(
            game=due.game if due is not None else self._game.save(),
            queue=tuple(self._queue),
            chance=self._random.getstate() if self._random else None,
            drawn=tuple(self._drawn),
            said=tuple(self._said),
            lines=tuple(self._lines),
            seen=self.seen,
            begun=self.begun,
            is_chance=self._is_chance,
            step=self._step,
            turn=self.turn,
            mover=self.mover,
            finished=self.finished,
            met=self.met,
            told=self._told.copy(),
            counts=self.counts.copy(),
            figures=dict(self._figures),
            movers={turn: set(movers) for turn, movers in self._movers.items()},
        )

    def restore(self, saved: object) -> None:
        assert isinstance(saved, _SavedMatch)
        self._take_over(saved)
        # Grounding the rules again takes long, and a random answer is played right away.
        self._due = saved

    def _take_over(self, saved: _SavedMatch) -> None:
        """Set all but the game to a saved state."""
        if self._random is not None:
            self._random.setstate(saved.chance)
        self._queue = list(saved.queue)
        self._drawn = list(saved.drawn)
        self._said = list(saved.said)
        self._lines = list(saved.lines)
        self.seen = saved.seen
        self.begun = saved.begun
        self._is_chance = saved.is_chance
        self._step = saved.step
        self.turn = saved.turn
        self.mover = saved.mover
        self.finished = saved.finished
        self.met = saved.met
        self._told = saved.told.copy()
        self.counts = saved.counts.copy()
        self._figures = dict(saved.figures)
        self._movers.clear()
        for turn, movers in saved.movers.items():
            self._movers[turn] = set(movers)
        self._chances.clear()
        self._options = []
        self._weights = {}
        self._is_ways_due = self._has_ways
        self._draws = self._items = ()  # a match is saved when chance has decided

    def _repeat(self, said: Sequence[str]) -> str:
        """Return the answers of a turn in the form in which records contain it."""
        play = self._files.manifest.play
        answer = play.join(said)
        drawn = _Lines("\n".join(self._drawn))
        return play.line.format(answer=answer, mover=self.mover, drawn=drawn).rstrip(" ")

    def play(self, given: Facts, *, ends_turn: bool = True) -> list[IllegalRow]:
        """Play a step by the facts of its answer; return the reasons why it is illegal, if any."""
        given = self._files.add_actions(self._program, given, has_turn=False)
        self._live.play([*self._take_ways(), STEP, *self._judging], given)
        illegal = self._live.news(IllegalRow)
        if not illegal:
            self._step += 1
            if ends_turn:
                self.turn += 1
            for kind, _ in self._live.news("counts_as"):
                self.counts[str(kind), self.mover] += 1
            self._advance()
        return illegal

    def _play_together(
        self, steps: Sequence[Facts], *, ends_turn: bool, lists: bool, is_listed: bool
    ) -> bool:
        """Play the steps of a player's turn in one grounding, which takes a fraction of the time.

        It may list what is legal then. If it returns False, the match has to be restored: a step is
        illegal, or the turn ends before the last step, or chance has to decide before it ends.
        """
        program = self._program
        number = self._number_step()
        steps = [*self._queue, *steps]
        self._queue = []
        given = [self._files.add_actions(program, step, has_turn=False) for step in steps]
        given[1:] = [{**step, **number} for step in given[1:]]
        following = {STEP: [(self.turn + 1 + ends_turn,)]}
        ways = [WAYS] if self._has_ways else []
        # An action that the rules have listed is not judged again, unless a user's rules do.
        judging = [] if is_listed and not calls_illegal(program) else self._judging
        parts = [*ways, STEP, *judging]
        listing = [*ways, LEGAL] if lists and self._has_legal else []
        known = () if self._is_ways_due else (WAYS,)
        live = self._live
        live.play_turns(parts, given, [OPEN], following, listing, known)
        last = self._step + len(steps)
        ends = [row.turn for row in live.news(TerminalRow)]
        if live.news(IllegalRow) or any(end < last for end in ends):
            return False
        mover = self.mover
        self._step = last
        self.turn += ends_turn
        self.met = {case for case, _ in live.news("meets")}
        self._update(since=last + 1)
        between = range(last - len(steps) + 2, last + 1)
        if any(self._movers.pop(step) != {mover} for step in between):
            return False
        if self._ends_early([steps[-1]], is_chance=last in self._chances):
            return False
        self._chances = {step for step in self._chances if last < step}
        self.finished = bool(ends)
        self._prepare()
        if listing:
            self._is_ways_due = False
            self._options = self._read_options(is_chance=False)
        return True

    def tell(self) -> str:
        """Return the text that the mover receives: the template, filled by the rules."""
        tell = self._files.find_function("tell")
        if tell is not None:
            text: str = tell(self)
            return text
        if self.finished:
            return self.closing()
        return self._write(self._files.manifest.play.tell)

    def _write(self, template: str) -> str:
        """Fill a template for the mover; fields without a value are empty."""
        told = self._told.list_texts(self.mover)
        figures = {key: _write_figure(value) for key, value in self._find_figures().items()}
        rows = self._told.list_rows(self.mover)
        fields = defaultdict[str, Any](str)
        fields["turn"] = self.turn + 1
        fields["turns"] = self.turn
        fields["mover"] = self.mover
        fields["grid"] = _Lines("\n".join(rows))
        fields["drawn"] = _Lines("\n".join(self._drawn))
        fields.update(figures)
        fields.update(told)
        return template.format_map(fields)

    def notes(self) -> str:
        self._flush()
        told = self._told.list_texts(self.mover)
        if self._told.has_grid and self._files.manifest.play.state:
            # The picture and the state show what all players are told.
            told = self._told.list_own(self.mover)
        return "\n".join(f"{key}: {text}" for key, text in told.items())

    def help(self) -> str:
        help_ = self._files.find_function("help")
        text: str = help_(self) if help_ is not None else ""
        return text

    def default(self, fault: Fault) -> str:
        """Return the faulty answer itself if every answer counts, else a random legal one."""
        if self._files.counts_answers:
            return fault.answer
        return self.choose(Random(self.turn))

    def check_record(self, pieces: Sequence[tuple[str, str]]) -> None:
        text = "".join(piece for _, piece in pieces)
        files = [(self.map_name, self._map)] if self._files.texts.kinds else []
        manifest = str(self._files.folder / MANIFEST)
        try:
            turns = self._files.read(self._rules, [*files, ("the record", text)]).turns
        except FormatError as error:
            source = _find_source(pieces, error.place.line)
            words = _SOURCES[source]
            if source == "line" and not self._files.manifest.play.line:
                words = "an answer stands in records, which"
            first = FormatError(error.place, error.message)  # the others are like it
            message = f"{words} the grammar cannot read there:\n{first}"
            raise InputError(manifest, message) from error
        if turns < self.turn:
            played = f"{write_count(self.turn, 'turn')} were played, but the grammar reads {turns}"
            raise InputError(manifest, f"{played} in their record: is a line of it empty?")

    @property
    def rules(self) -> GameRules:
        """The rules of the game."""
        return self._rules

    @property
    def drawn(self) -> Sequence[str]:
        """What chance has decided for this turn, as text."""
        return self._drawn

    @property
    def said(self) -> str:
        """The actions of this turn so far, if it waits for chance."""
        return self._files.manifest.play.join(self._said)

    @property
    def record(self) -> str:
        """The record so far."""
        return "".join([self.opening(), *self._lines])

    def position(self) -> RulesPosition:
        facts = {**self._start}
        for state, rows in self._live.list_state().items():
            facts[state] = [(*row, self._step + 1) for row in rows]
        return RulesPosition(
            files=self._files,
            rules=self._rules,
            facts=facts,
            step=self._step + 1,
            turn=self.turn + 1,
            name="the answer",
            mover=self.mover,
            end=self.turn if self.finished else None,
            is_live=True,
            awaits_chance=self._is_chance,
        )

    def choose(self, random: Random) -> str:
        end = self._files.texts.format.end
        if not self._files.texts.format.has_steps or self.mover == CHANCE_PLAYER:
            return self._choose_step(random)
        before = self.save()
        mover = self.mover
        chosen: list[str] = []
        is_done = False
        while self.mover == mover and not (self.finished or is_done):
            step = self._choose_step(random)
            if not step and (self._is_chance or not end):
                is_done = True
                break
            is_done = not step
            chosen.append(step)
            steps = self._read_step(step)
            illegal = self._play_steps(steps, ends_turn=is_done, lists=not is_done, is_listed=True)
            for row in illegal:
                self._refuse(f"turn {self.turn + 1}: {step} is listed, but illegal: {row.code}")
        after = self.save()
        answer = self._files.manifest.play.join(chosen)
        self.restore(before)
        if is_done:
            self._chosen = (answer, after)
        return answer

    def _read_step(self, text: str) -> Sequence[Facts]:
        """Return the facts of a step; an empty text ends the turn."""
        end = self._files.texts.format.end
        if end and not text:
            return [{end: [()]}]
        steps = self._files.read_steps(self._rules, text, "the answer")
        return steps[:1]

    def hold(self, parts: Sequence[str]) -> str | None:
        if not self._files.texts.format.has_steps:
            return None
        if self._held is not None:
            self.restore(self._held)
            self._held = None
        if parts:
            self._held = self.save()
            for part in parts:
                reasons: Sequence[Reason]
                # An empty part ends the turn, which is not played yet.
                if not part.strip():
                    reasons = () if self.can_end_turn() else self.position().judge(part).reasons
                else:
                    steps = self.position().read_parts(part, "held")
                    reasons = list_reasons(self._play_steps(steps, ends_turn=False))
                if reasons:
                    self.hold(())
                    raise InputError("held", "; ".join(map(str, reasons)))
        return self._files.manifest.play.join(parts)

    def can_end_turn(self) -> bool:
        end = self._files.texts.format.end
        return not end or any("" in one.moves for one in self._list_options()) or self._is_chance

    def _choose_step(self, random: Random, *, is_chance: bool = False) -> str:
        """Choose an action of the mover or of chance at random; it is empty if it ends the turn."""
        is_chance = is_chance or self.mover == CHANCE_PLAYER
        moves = [one for one in self._list_options(is_chance=is_chance) if one.moves]
        if self._files.counts_answers and not moves:
            return _PASS
        if not moves and self._is_chance and not is_chance:
            return ""  # chance has to decide first
        if not moves:
            problem = "no answer is legal (legal/3), but the game is not over"
            if is_chance:
                problem = "chance has nothing to decide (legal/3, draw/3 or shuffle/2)"
            self._refuse(f"turn {self.turn + 1}: {problem}")
        chosen = []
        for one in moves:
            if not self._weights:
                chosen.append(random.choice(one.moves))
                continue
            weights = [self._weights.get((one.player, move), 1) for move in one.moves]
            if not any(weights):
                who = f"turn {self.turn + 1}: weight/4 is 0 for every answer of player {one.player}"
                self._refuse(who)
            chosen += random.choices(one.moves, weights)
        answer = " ".join(chosen)
        start = CHANCE if is_chance else ANSWER
        check_legal(self._files, self._rules, [Legal(self.mover, (answer,))], start)
        return answer

    def legal(self) -> Sequence[Legal]:
        if self.finished:
            return ()
        return show_end(self._list_options())

    def _list_options(self, *, is_chance: bool = False) -> Sequence[Legal]:
        """Return the legal answers of this turn, or what chance may decide."""
        if is_chance and self._has_chance_part:
            self._live.play([CHANCE_PART])
        elif not self._has_legal:
            return self.position().options()
        else:
            if self._queue:
                queue, self._queue = self._queue, []
                self._play_queue(queue, lists=True)
            if self._options:
                return self._options
            self._live.play([*self._take_ways(), LEGAL])
        options = self._read_options(is_chance=is_chance)
        if not is_chance:
            self._options = options
        return options

    def _read_options(self, *, is_chance: bool) -> list[Legal]:
        """Return what the rules have listed as legal."""
        legal = self._live.news("legal")
        options = list_legal(self._files, legal, (), CHANCE_PLAYER if is_chance else self.mover)
        notes = self._live.news("legal_note")
        note = "; ".join(sorted(write_sentence(words) for words, _ in notes))
        if note:
            options = [replace(one, note=note) for one in options or [Legal(self.mover, ())]]
        if self.turn == 0:
            start = CHANCE if is_chance else ANSWER
            check_written(self._files, self._rules, legal, start)
            check_legal(self._files, self._rules, options, start)
        self._read_weights()
        return options

    def _read_weights(self) -> None:
        """Read how often random games choose each legal answer of this turn."""
        self._weights = {}
        for row in self._live.news(WeightRow):
            player = find_player(row.who, self.mover)
            key = (player, self._files.texts.format.write_action(row.action))
            other = self._weights.setdefault(key, row.weight)
            if row.weight < 0 or other != row.weight:
                found = " and ".join(map(str, sorted({other, row.weight})))
                self._refuse(f"weight/4 is {found}: it must be a single number, at least 0")

    def picture(self) -> TextBoard:
        return self._told.picture(self.mover, hexes=self._files.manifest.play.hexes)

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, **self._find_figures(), "finished": self.finished}

    def _find_figures(self) -> Mapping[str, Any]:
        """Return the figures so far; where no rule of play gives them, the record is judged."""
        if self._has_figures:
            return self._figures
        text = self.record
        judged, figures = self._judged
        if text != judged:
            name = "the match"
            record = self._files.read(self._rules, [(name, text)])
            verdict = RecordJudge(self._files, {}).judge(self._rules, record, name)
            figures = {key: verdict.result[key] for key in self._files.manifest.figures}
            self._judged = (text, figures)
        return figures

    def state(self) -> str:
        template = self._files.manifest.play.state
        text = super().state()
        if self._files.manifest.players > 1 and not self.finished:
            text += f", player {self.mover}"
        if template:
            text += f", {self._write(template)}"
        return text

    def opening(self) -> str:
        head = "" if self.keeps_told else self._head
        return write_rulings(self._rules) + head + self._begun

    def closing(self) -> str:
        if not self.finished:
            return ""
        return self._write(self._files.manifest.play.end)

    def blank(self) -> str:
        if self._head or self._files.texts.has_map:
            return self._head
        if self.keeps_told:
            return self.tell()
        return "\n"


@dataclass(frozen=True, slots=True)
class _SavedMatch:
    """A saved state of a `RulesMatch`: the game, and the attributes of the match."""

    game: SavedGame
    chance: Any  # the state of the generator, if there is one
    queue: tuple[Facts, ...]
    drawn: tuple[str, ...]
    said: tuple[str, ...]
    lines: tuple[str, ...]
    seen: Mapping[str, Sequence[tuple[Any, ...]]]
    begun: tuple[Facts, Mapping[str, Sequence[tuple[Any, ...]]]]
    is_chance: bool
    step: int
    turn: int
    mover: int
    finished: bool
    met: set[str]
    told: Told
    counts: Counter[tuple[str, int]]
    figures: Mapping[str, Any]
    movers: Mapping[int, Set[int]]


# What writes a piece of a record, by its name in `Match.check_record`.
_SOURCES = {
    "opening": "a record begins with the rulings and the map, which",
    "tell": "tell in [play] writes into records, because of record_told, what",
    "line": "line in [play] writes into records what",
    "end": "end in [play] writes into records what",
}


def _find_source(pieces: Sequence[tuple[str, str]], line: int) -> str:
    """Return what wrote a line of a record."""
    for source, piece in pieces:
        line -= piece.count("\n")
        if line <= 0:
            return source
    return source


def _write_figure(value: Any) -> str:
    """Return a figure as text for a record; the figures of several players have blanks between."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)


class _Lines(str):
    """A text of several lines in a template; its format, as in ``{grid:,}``, separates them."""

    def __format__(self, separator: str) -> str:
        if not separator:
            return str(self)
        return self.replace("\n", separator)
