"""Games without Python: a folder of rules, a grammar and a manifest, and what is made of them.

docs/write-a-game.md has the contract: which files the folder has, and which predicates the rules
derive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_score.engine.program import OPEN
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import Remembered, list_remembered
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Row, Value
from kb_score.errors import RuleError
from kb_score.games.agreement import MERIT, STEP
from kb_score.games.declared_files import GameFiles
from kb_score.games.declared_match import RENEWAL, DeclaredMatch, check_movers
from kb_score.games.game import (
    MOST_TURNS,
    TIMEOUT,
    Arena,
    BotProtocol,
    File,
    Game,
    Match,
    MatchSetup,
    Position,
    Score,
    Scoring,
    Wording,
    find_turn,
    refuse,
)
from kb_score.games.record import RecordKind, check, follow
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import IllegalRow, MoverRow, ResultRow, TerminalRow, judge, to_json
from kb_score.games.texts import ReadText

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict


class ClaimedResultRow(NamedTuple):
    """A figure that a record claims."""

    key: str
    value: Value


class DeclaredRecord(RecordKind[ReadText]):
    """The records of a game without Python."""

    type = ReadText

    def __init__(self, files: GameFiles, who: str) -> None:
        """Judge records of a game; ``who`` is what a player is called."""
        manifest = files.manifest
        self.game = files.name
        self.keys = ("turns", *manifest.figures, "finished")
        self.caption = manifest.check.caption
        self.who = who
        self._files = files

    def ask(self, rules: GameRules, record: ReadText, *more: str) -> Answer:
        """Ask about all turns of the record side by side.

        The state before a turn, where neither the record nor the rules give it, is found by playing
        the record turn by turn. To explain a reason, or to change rules in a page, takes a program
        in which it follows from the turn before: there rules look back.
        """
        use = self._files.uses.check.plus(*more)
        if rules.listener is not None:
            return rules.ask(replace(use, state="chained"), record.facts)
        remembered = list_remembered(rules.program(use))
        states = self._find_states(rules, record, remembered) if remembered else {}
        return rules.ask(use, {**record.facts, **states})

    def make_verdict(self, answer: Answer, record: ReadText, name: str) -> Verdict:
        """Make the verdict; a figure that no rule says is None."""
        said = {row.key for row in answer.read(ResultRow)}
        keys = [key for key in self.keys if key in said]
        claimed = {row.key: to_json(row.value) for row in answer.read(ClaimedResultRow)}
        verdict = judge(
            self.game,
            name,
            answer,
            *keys,
            claimed=claimed or None,
            caption=self.caption,
            who=self.who,
        )
        if not verdict.violations:
            self._check_movers(answer, verdict)
        result = {**dict.fromkeys(self.keys), **verdict.result}
        return replace(verdict, result=result)

    def _check_movers(self, answer: Answer, verdict: Verdict) -> None:
        """Check that the rules say of each turn that can be played whose it is."""
        movers = defaultdict[int, set[int]](set)
        for row in answer.read(MoverRow):
            movers[row.turn].add(row.player)
        last = verdict.result["turns"]
        if not verdict.result["finished"]:
            last += 1
        for turn in range(1, last + 1):
            check_movers(self._files, turn, movers[turn])

    def _find_states(
        self, rules: GameRules, record: ReadText, remembered: Sequence[Remembered]
    ) -> Facts:
        """Find the state before each turn and after the last, as far as the game goes."""
        states = defaultdict[str, list[Row]](list)
        program = rules.program(self._files.uses.play)
        start = record.list_start()
        live = Stepper(program, start, renewal=RENEWAL, remembered=remembered)
        has_open = program.has_part(OPEN)
        _, *turns = record.list_turns()
        for turn, given in enumerate((*turns, None), start=1):
            live.next_turn()
            if has_open:
                live.play([OPEN])
            is_over = bool(live.news(TerminalRow))
            if not is_over and given is not None:
                live.play([STEP], given)
            for name, rows in live.list_handed().items():
                states[name] += [(*row, turn) for row in rows]
            if is_over or live.news(IllegalRow):
                break
        return states


class DeclaredScoring(Scoring):
    """What contests compare, as the manifest says."""

    def __init__(self, files: GameFiles) -> None:
        contest = files.manifest.contest
        self.figures = contest.figures
        self.metrics = contest.metrics
        self.counts_if = contest.counts_if
        if not files.has_file("merit"):
            self.score_key = Use((MERIT,))

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Find the figures of each player; one that no rule has said is 0."""
        said = {key: 0 if value is None else value for key, value in result.items()}
        for figure in self.figures:
            value = said[figure]
            values: list[Any] = value if isinstance(value, list) else [value] * players
            if len(values) != players or not all(isinstance(one, int) for one in values):
                message = f"figure/3 gives {value} for {figure}, which contests compare"
                raise RuleError(f"{message}: a number is expected, or one for each player")
        return super().score(rules, said, players)


class DeclaredBots(BotProtocol):
    """How a program plays, as the manifest says."""

    def __init__(self, files: GameFiles) -> None:
        manifest = files.manifest
        self.times = (replace(TIMEOUT, default=manifest.play.timeout),)
        self.case_map = manifest.bot.map


class DeclaredArena(Arena):
    """How bots play a game without Python."""

    settings = (MOST_TURNS,)

    def __init__(self, files: GameFiles) -> None:
        players = files.manifest.players
        self.players = (players, players)
        self.bots = DeclaredBots(files)
        self.scoring = DeclaredScoring(files)
        if files.texts.has_map:
            self.maps = (files.texts.map,)
        self._files = files

    def new_match(self, rules: GameRules, setup: MatchSetup, _random: Random) -> Match:
        self._files.check()
        start = self._files.texts.read_start(setup.files)
        map_text = "".join(text for _, text in setup.files)
        if self.maps and not map_text:
            raise self._files.manifest.error("[bot] map is missing: the map of the cases", "bot")
        if map_text and not map_text.endswith("\n"):
            map_text += "\n"
        return DeclaredMatch(self._files, rules, start, map_text)


class DeclaredGame(Game):
    """A game without Python.

    Attributes:
        files: Its folder.
    """

    def __init__(self, files: GameFiles) -> None:
        """Make the game of a folder."""
        self.name = files.name
        self.files = files
        texts = files.texts
        self.record = texts.record
        self.maps = texts.kinds
        self.sample = "map.txt game.txt" if self.maps else "game.txt"
        has_one_player = files.manifest.players == 1
        self.wording = Wording(who="{}" if has_one_player else "player {}")
        self.arena = DeclaredArena(files)
        self._kinds = (DeclaredRecord(files, self.wording.who),)

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        return check(self._read, self._kinds, rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Replay:
        return follow(self._read, self._kinds, rules, files)

    def _read(self, _rules: GameRules, files: Sequence[File]) -> ReadText:
        self.files.check()
        return self.files.texts.read(files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **_options: Any
    ) -> Position:
        rules = apply_rulings(rules, *files)
        record = self._read(rules, files)
        name, _ = files[-1]
        _, *turns = record.list_turns()
        turn = find_turn(turn, len(turns), name)
        match = DeclaredMatch(self.files, rules, record.list_start())
        for given in turns[: turn - 1]:
            if match.finished:
                break
            for row in sorted(match.play(given), key=str):
                raise refuse(name, row)
        return match.position()
