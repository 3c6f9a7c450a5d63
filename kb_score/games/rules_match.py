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
from kb_score.games.agreement import LEGAL, STEP, WAYS
from kb_score.games.files import GameFiles, restricts
from kb_score.games.live import explain_illegal, explain_unreadable, refuse_misuse
from kb_score.games.manifest import list_fields
from kb_score.games.match import File, Judged, Legal, Match, Position, Reason, Turn
from kb_score.games.position import (
    CHANCE_PLAYER,
    RulesPosition,
    check_legal,
    check_written,
    list_legal,
    list_reasons,
)
from kb_score.games.rulings import write_rulings
from kb_score.games.schema import IllegalRow, TerminalRow, to_json, write_sentence
from kb_score.games.texts import ANSWER, CHANCE
from kb_score.games.told import Told
from kb_score.resources import MANIFEST
from kb_score.shell.picture import TextBoard

# The number of turns after which a match grounds its rules again, to stay fast.
RENEWAL = 200
# The code and the message of an answer that goes on when another player is to move.
_AFTER_TURN = "after-turn"
_TURN_OVER = "the turn is over before the end of the answer"
# The answer of a player without a move, in games in which every answer counts as something.
_PASS = "pass"


class WeightRow(NamedTuple):
    """The weight of an answer in random games; other answers have weight 1."""

    who: Value
    action: Value
    weight: int
    turn: int


def check_usable(name: str, unusable: Iterable[Row]) -> None:
    """Raise an InputError if the rules have a reason against a map, a record or an option."""
    details = sorted(write_sentence(detail) for (detail,) in unusable)
    if details:
        raise InputError(name, "; ".join(details))


def check_movers(files: GameFiles, turn: int, movers: Set[int], players: int = 0) -> None:
    """Raise a RuleError unless a turn belongs to exactly one of some players.

    The number of players is the largest that the game may have if it is 0.
    """
    players = players or files.manifest.players
    if players == 1 and not movers:
        return
    if not movers:
        problem = "no rule says whose turn it is"
    elif len(movers) > 1:
        listed = " and ".join(sorted(map(str, movers)))
        problem = f"it belongs to players {listed}"
    else:
        (mover,) = movers
        if mover in range(1, players + 1) or (mover == CHANCE_PLAYER and files.has_chance):
            return
        problem = f"it belongs to player {mover}, but the last player is {players}"
        if mover == CHANCE_PLAYER:
            problem = "player 0 is chance, but no rule derives draw/3 or shuffle/2"
    raise RuleError(f"the rules of {files.title}: turn {turn}: {problem} (mover/2)")


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
        self._random = random
        self._players = players
        self._step = 0  # the number of steps that were played
        self.met: set[str] = set()
        self.counts = Counter[tuple[str, int]]()
        use = files.uses.find_play(kind)
        program = rules.program(use)
        self._program = program
        self._has_open = program.has_part(OPEN)
        self._has_ways = program.has_part(WAYS)
        self._is_ways_due = False  # whether the current step still needs its part `ways`
        # Live play does not rederive what the part legal asks about, and forbidden actions may be
        # known only once there is an answer.
        can_list = program.has_part(LEGAL) and not restricts(program)
        self._has_legal = can_list and LEGAL not in find_asking_parts(program)
        self._options: list[Legal] = []  # of the current turn; empty until they are needed
        self._weights: dict[tuple[Value, str], int] = {}
        self._live = Live(program, start, renewal=RENEWAL)
        self._told = Told(files.title)
        # What chance may decide at this step: keys with their values, and items to shuffle.
        self._draws: Sequence[Sequence[Symbol]] = ()
        self._items: Sequence[Sequence[Symbol]] = ()
        self._drawn: list[str] = []  # what chance has decided since the last answer, as text
        self._held: object | None = None  # the state before held parts of an answer
        self._movers = defaultdict[int, set[int]](set)
        self._figures: dict[str, Any] = dict.fromkeys(files.manifest.figures)
        self.kinds = self._live.news("kind")
        self._advance()
        self._begun = self._let_chance_decide()  # what a record begins with

    def _advance(self) -> None:
        """Update the match after a turn, and open the next turn if there is one."""
        self.met = {case for case, _ in self._live.news("meets")}
        self._update()
        if not self.finished:
            self._live.next_turn()
            self._is_ways_due = self._has_ways
            if self._has_open:
                self._live.play([OPEN], self._number_step())
                self._update()
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

    def _let_chance_decide(self) -> str:
        """Play the steps of chance, and return the lines that records have for them."""
        if self._random is None:
            return ""
        while not self.finished and self.mover == CHANCE_PLAYER:
            line, given = self._draw(self._random)
            if line:
                self._drawn.append(line)
            for row in self.play(given, ends_turn=bool(line) and not self._has_drawn):
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
            line = self.choose(random)
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

    def _update(self) -> None:
        """Update the match with what the rules have derived since the last update."""
        live = self._live
        check_usable(self.map_name or "the game", live.news("unusable"))
        refuse_misuse(self._rules, live)
        self._told.take_in(live)
        self._take_in_figures(live.news("figure"))
        self._draws = live.list_new(("draw", 3))
        self._items = live.list_new(("shuffle", 2))
        for player, turn in live.news("mover"):
            self._movers[turn].add(player)
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
        movers = self._movers.pop(self._step + 1, set())
        check_movers(self._files, self.turn + 1, movers, self._players)
        # The rules of a game for one player need not name the player.
        if movers:
            (self.mover,) = movers

    def answer(self, line: str) -> Turn:
        """Play an answer.

        In games in which every answer counts as something, an unreadable answer is a pass.
        """
        try:
            steps = self._files.read_steps(self._rules, line, "the answer")
        except FormatError as error:
            raise explain_unreadable(error) from error
        said = self._repeat(line)
        illegal = self._play_steps(steps)
        if illegal:
            raise explain_illegal(illegal, said)
        self._drawn.clear()
        drawn = self._let_chance_decide()
        return Turn(f"{said}\n{drawn}")

    def _play_steps(
        self, steps: Sequence[Facts], *, ends_turn: bool = True
    ) -> Sequence[IllegalRow]:
        """Play the steps of an answer; an illegal one of several takes all of them back.

        The reasons why a step is illegal are returned, if there is one.
        """
        if len(steps) == 1:
            return self.play(steps[0], ends_turn=ends_turn)
        before = self.save()
        mover = self.mover
        for number, given in enumerate(steps, start=1):
            if self._only_ends(steps[number - 1 :]):
                self.turn += ends_turn
                break
            illegal: Sequence[IllegalRow]
            if self.finished or self.mover != mover:
                illegal = [IllegalRow(self._step + 1, _AFTER_TURN, mover, (_TURN_OVER,))]
            else:
                is_end = ends_turn and number == len(steps)
                illegal = self.play(given, ends_turn=is_end)
            if illegal:
                self.restore(before)
                return illegal
        return ()

    def _only_ends(self, steps: Sequence[Facts]) -> bool:
        """Return whether the game is over, and some steps do nothing but end the turn."""
        end = self._files.texts.format.end
        return self.finished and all(list(step) == [end] for step in steps)

    def save(self) -> object:
        return _SavedMatch(
            game=self._live.save(),
            chance=self._random.getstate() if self._random else None,
            drawn=tuple(self._drawn),
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
        if self._random is not None:
            self._random.setstate(saved.chance)
        self._drawn = list(saved.drawn)
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
        self._options = []
        self._weights = {}
        parts = [OPEN] if self._has_open and not self.finished else []
        self._is_ways_due = self._has_ways
        self._live.restore(saved.game, parts, self._number_step())
        self._draws = self._items = ()  # a match is saved when chance has decided

    def _repeat(self, line: str) -> str:
        """Return an answer in the form in which records contain it."""
        template = self._files.manifest.play.line
        if not (template and self._files.texts.fits_answer(line)):
            return line
        return template.format(
            answer=self._files.texts.write_answer(line),
            mover=self.mover,
            drawn=_Lines("\n".join(self._drawn)),
        )

    def play(self, given: Facts, *, ends_turn: bool = True) -> list[IllegalRow]:
        """Play a step by the facts of its answer; return the reasons why it is illegal, if any."""
        given = self._files.add_actions(self._program, given, has_turn=False)
        self._live.play([*self._take_ways(), STEP], given)
        illegal = self._live.news(IllegalRow)
        if not illegal:
            self._step += 1
            if ends_turn:
                self.turn += 1
            for kind, _ in self._live.news("counts_as"):
                self.counts[str(kind), self.mover] += 1
            self._advance()
        return illegal

    def tell(self) -> str:
        """Return the text that the mover receives: the template, filled by the rules."""
        if self.finished:
            return self.closing()
        return self._write(self._files.manifest.play.tell)

    def _write(self, template: str) -> str:
        """Fill a template for the mover; fields without a value are empty."""
        told = self._told.list_texts(self.mover)
        figures = {key: _write_figure(value) for key, value in self._figures.items()}
        rows = self._told.list_rows(self.mover)
        fields = defaultdict[str, Any](str)
        fields["turn"] = self.turn + 1
        fields["turns"] = self.turn
        fields["mover"] = self.mover
        fields["grid"] = _Lines("\n".join(rows))
        fields.update(figures)
        fields.update(told)
        return template.format_map(fields)

    def notes(self) -> str:
        told = self._told.list_texts(self.mover)
        if self._told.has_grid and self._files.manifest.play.state:
            # The picture and the state show what all players are told.
            told = self._told.list_own(self.mover)
        return "\n".join(f"{key}: {text}" for key, text in told.items())

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

    def position(self) -> Position:
        if self._files.texts.format.has_steps:
            return StepsPosition(self, "the answer")
        return self.make_position("the answer", is_live=True)

    def make_position(self, name: str, *, is_live: bool = False) -> RulesPosition:
        """Return the current position; the name is that of an answer in messages."""
        facts = {**self._start}
        for state, rows in self._live.list_state().items():
            facts[state] = [(*row, self._step + 1) for row in rows]
        for key, numbers in self._number_step().items():
            facts[key] = [(*row, self._step + 1) for row in numbers]
        return RulesPosition(
            files=self._files,
            rules=self._rules,
            facts=facts,
            step=self._step + 1,
            end=self.turn if self.finished else None,
            mover=self.mover,
            name=name,
            is_live=is_live,
        )

    def choose(self, random: Random) -> str:
        if not self._files.texts.format.has_steps or self.mover == CHANCE_PLAYER:
            return self._choose_step(random)
        before = self.save()
        mover = self.mover
        chosen: list[str] = []
        while self.mover == mover and not self.finished:
            step = self._choose_step(random)
            if not step:
                break
            chosen.append(step)
            for row in self.play(self._read_step(step), ends_turn=False):
                self._refuse(f"turn {self.turn + 1}: {step} is listed, but illegal: {row.code}")
        self.restore(before)
        return self._files.manifest.play.between.join(chosen)

    def _read_step(self, text: str) -> Facts:
        """Return the facts of a step; an empty text ends the turn."""
        (step,) = self.read_parts(text, "the answer")
        return step

    def read_parts(self, text: str, name: str) -> Sequence[Facts]:
        """Return the facts of the steps of a part of an answer; an empty text ends the turn.

        The text has a name in messages.
        """
        if self.mover == CHANCE_PLAYER:
            return self._files.read_steps(self._rules, text, name, CHANCE)
        end = self._files.texts.format.end
        if end and not text.strip():
            return [{end: [()]}]
        steps = self._files.read_steps(self._rules, text, name)
        if len(steps) > 1 and end in steps[-1]:
            return steps[:-1]
        return steps

    def hold(self, parts: Sequence[str]) -> str | None:
        if not self._files.texts.format.has_steps:
            return None
        if self._held is not None:
            self.restore(self._held)
            self._held = None
        if parts:
            self._held = self.save()
            for part in parts:
                steps = self.read_parts(part, "held")
                # An empty part ends the turn, which is not played yet.
                is_end = not part.strip()
                reasons: Sequence[Reason]
                if is_end:
                    reasons = self.judge_steps(steps, "held").reasons
                else:
                    reasons = list_reasons(self._play_steps(steps, ends_turn=False))
                if reasons:
                    self.hold(())
                    raise InputError("held", "; ".join(map(str, reasons)))
        return self._files.manifest.play.between.join(filter(None, parts))

    @property
    def is_holding(self) -> bool:
        """Whether parts of an answer are held."""
        return self._held is not None

    def can_end_turn(self) -> bool:
        end = self._files.texts.format.end
        return not end or any("" in one.moves for one in self._list_options())

    def judge_steps(self, steps: Sequence[Facts], name: str) -> Judged:
        """Judge the steps of an answer, up to the first that is illegal.

        The match stays as it is. The name is that of the answer in messages.
        """
        before = self.save()
        mover = self.mover
        try:
            for number, given in enumerate(steps, start=1):
                if self._only_ends(steps[number - 1 :]):
                    break
                if self.finished or self.mover != mover:
                    return Judged([Reason(_AFTER_TURN, _TURN_OVER, mover)])
                judged = self.make_position(name).judge_facts(given)
                if judged.reasons:
                    return judged
                if number < len(steps):
                    self.play(given, ends_turn=False)
        finally:
            self.restore(before)
        return Judged([])

    def _choose_step(self, random: Random) -> str:
        """Choose an action of the mover at random; it is empty if it ends the turn."""
        moves = self._list_options()
        if self._files.counts_answers and not any(one.moves for one in moves):
            return _PASS
        if not moves:
            problem = "no answer is legal (legal/3), but the game is not over"
            if self.mover == CHANCE_PLAYER:
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
        check_legal(self._files, self._rules, [Legal(self.mover, (answer,))], self._start_rule)
        return answer

    @property
    def _start_rule(self) -> str:
        """The rule of the grammar for an action of the mover."""
        return CHANCE if self.mover == CHANCE_PLAYER else ANSWER

    def legal(self) -> Sequence[Legal]:
        if self.finished:
            return ()
        return show_end(self._list_options())

    def _list_options(self) -> Sequence[Legal]:
        """Return the legal answers of this turn."""
        if not self._has_legal:
            return self.make_position("the answer", is_live=True).moves()
        if not self._options:
            self._live.play([*self._take_ways(), LEGAL])
            legal = self._live.news("legal")
            self._options = list_legal(self._files, legal, (), self.mover)
            if self.turn == 0:
                check_written(self._files, self._rules, legal)
                check_legal(self._files, self._rules, self._options, self._start_rule)
            self._read_weights()
        return self._options

    def _read_weights(self) -> None:
        """Read how often random games choose each legal answer of this turn."""
        self._weights = {}
        for row in self._live.news(WeightRow):
            player = str(row.who) or self.mover
            key = (player, self._files.texts.format.write_action(row.action))
            other = self._weights.setdefault(key, row.weight)
            if row.weight < 0 or other != row.weight:
                found = " and ".join(map(str, sorted({other, row.weight})))
                self._refuse(f"weight/4 is {found}: it must be a single number, at least 0")

    def picture(self) -> TextBoard:
        return self._told.picture(self.mover)

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, **self._figures, "finished": self.finished}

    def state(self) -> str:
        template = self._files.manifest.play.state
        text = super().state()
        if self._files.manifest.players > 1 and not self.finished:
            text += f", player {self.mover}"
        if template:
            text += f", {self._write(template)}"
        return text

    def opening(self) -> str:
        rulings = write_rulings(self._rules)
        is_map_told = self.keeps_told or not self._files.texts.is_map_in_record
        if is_map_told:
            return rulings + self._begun
        return rulings + self._map + self._begun

    def closing(self) -> str:
        if not self.finished:
            return ""
        return self._write(self._files.manifest.play.end)

    def blank(self) -> str:
        if self._files.texts.is_map_in_record:
            return self._map
        if self._files.texts.has_map:
            return ""
        if self.keeps_told:
            return self.tell()
        return "\n"


@dataclass(frozen=True, slots=True)
class StepsPosition:
    """A position of a game in which a turn has several steps; the match must stay in it.

    Attributes:
        name: The name of an answer in messages.
    """

    match: RulesMatch
    name: str

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self.match.turn + 1

    @property
    def over(self) -> str:
        """Why no move is legal after the end of the game; empty if the game goes on."""
        if self.match.finished:
            return f"the game is over after turn {self.match.turn}"
        return ""

    def moves(self) -> Sequence[Legal]:
        """Return the legal actions of the mover."""
        return show_end(self.match.make_position(self.name).moves())

    def judge(self, line: str) -> Judged:
        """Judge some actions of a turn, or its end if the line is empty.

        What is held has been judged.
        """
        if self.match.is_holding and not line.strip():
            return Judged([])
        return self.match.judge_steps(self.match.read_parts(line, self.name), self.name)


def show_end(listed: Sequence[Legal]) -> list[Legal]:
    """Return lists of legal actions with a note in place of the action that ends the turn."""
    found = []
    for one in listed:
        note = one.note
        if "" in one.moves:
            note = "the turn may end here"
        found.append(replace(one, moves=tuple(filter(None, one.moves)), note=note))
    return found


@dataclass(frozen=True, slots=True)
class _SavedMatch:
    """A saved state of a `RulesMatch`: the game, and the attributes of the match."""

    game: SavedGame
    chance: Any  # the state of the generator, if there is one
    drawn: tuple[str, ...]
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
