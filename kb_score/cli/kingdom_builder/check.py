"""The command ``check kingdom-builder``, which checks games, or claims about boards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import click

from kb_score.cli.check import Judge, ReplayHint, judge_all, open_workers, report_all
from kb_score.cli.kingdom_builder.score import players_option
from kb_score.cli.run import Run, run_command
from kb_score.cli.why import CHECKED
from kb_score.engine.rules import GameRules, catch
from kb_score.errors import InputError, KbScoreError, unwrap, visible
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    Board,
    is_game,
    parse_board,
    print_notes,
)
from kb_score.games.kingdom_builder.check import Checker, Pair, check_pairs, check_record
from kb_score.games.kingdom_builder.claims import CLAIMS_FILE
from kb_score.games.kingdom_builder.records import GAME_FILE, recognises
from kb_score.games.kingdom_builder.rules import GAME, load_rules
from kb_score.resources import is_folder, stem_of
from kb_score.shell.files import (
    Input,
    Inputs,
    find_inputs,
    hint_if_swapped,
    list_inputs,
    read_input,
)
from kb_score.shell.options import make_timeout_option
from kb_score.shell.output import Exit, Messages
from kb_score.shell.verdict import Verdict

_CODES = {"wrong-claim": "wrong"}


@run_command(
    GAME,
    "kingdom-builder",
    short_help="Check a whole game, or the claimed scores of a board.",
    epilog="Example: kb-score check kingdom-builder game.txt",
    has_workers=True,
    has_reasons=True,
    saves_results=True,
)
@click.argument("files", metavar="GAME...|BOARDS CLAIMS...", nargs=-1, required=True)
@click.option(
    "--program",
    metavar="COMMAND",
    help="Run COMMAND on each board, and check its output as the claims. COMMAND reads the board "
    "from standard input, unless it contains {}, which stands for the name of the board's file.",
)
@make_timeout_option(10, "Time limit for COMMAND on each board.")
@players_option
def check(
    run: Run, files: tuple[str, ...], program: str | None, timeout: float, players: int | None
) -> Exit:
    """Check each GAME turn by turn, or the scores that CLAIMS state for BOARDS.

    A game has headings, such as "board oracle farm/180 tavern paddock" and "players 2", and a line
    for each turn, such as "1 grass: 4,11 4,12 5,11; farm 6,12". A folder stands for all its .txt
    files.

    CLAIMS have lines such as "1 3 7  52 46 43 62" (three cards, then a total for each player) or
    "miners: 4, 12, 11, 4", or are the output of score as json or csv. All CLAIMS belong to one
    BOARD; or each belongs to the board of a folder whose file has the same name, whatever the
    endings. With --program, there are only BOARDS. One of the files may be "-", standard input.
    """
    messages = Messages()
    pairs: Iterable[Pair] | None = None
    runs: Callable[[str, str], str] | None = None
    records = find_inputs(files, GAME_FILE)
    is_alone = records.alone
    first = find_inputs(files[:1], BOARD_FILE if len(files) > 1 else GAME_FILE)
    if program is not None:
        runs = _open_program(program, timeout, files)
        pairs = _pair_with_program(find_inputs(files, BOARD_FILE), run.rules, messages)
    elif not _are_games(first, files[1:]):
        pairs = _pair_up(first, files[1:], run.rules, messages)
        is_alone = first.alone and len(files) == 2 and not is_folder(files[1])
    elif players is not None:
        raise click.UsageError("--players applies only to boards: a game names its own players")
    with messages, open_workers(run, is_alone=is_alone) as pool:
        found: Iterable[Verdict | KbScoreError]
        if pairs is not None:
            checker = Checker(load_rules(run.rules), players, runs)
            found = check_pairs(pairs, checker, pool)
            progress = "records"
        else:
            texts = chain(first, find_inputs(files[1:], GAME_FILE))
            found = judge_all(Judge(check_record, run.rules), texts, pool)
            progress = f"of {len(records.paths)} records"
        hint = ReplayHint("kingdom-builder", run.rules)
        status = report_all(run, found, messages, hint, is_alone, progress)
    if status is not Exit.UNUSABLE:
        run.explain(CHECKED, codes=_CODES)
    return status


def _are_games(first: Inputs, others: Sequence[str]) -> bool:
    """Return whether files are games rather than boards and claims, by their contents.

    A single file is assumed to be a game. The first of two files decides. If there are more files
    and the first is not a game, it may be a broken one, so the other files decide.
    """
    if not others:
        return True
    _, text = first.peek()
    if isinstance(text, str) and (is_game(text) or len(others) == 1):
        return is_game(text)
    for path in others:
        if path == "-":
            continue  # standard input can be read only once
        _, text = find_inputs([path], GAME_FILE).peek()
        if isinstance(text, str) and is_game(text):
            return True
    return False


def _open_program(program: str, timeout: float, files: Sequence[str]) -> Callable[[str, str], str]:
    """Return a function that runs a program on a board's file name and text."""
    if "{}" in program and "-" in files:
        raise click.UsageError("standard input has no file name to replace {}")
    from kb_score.shell.bots import run_on_file  # most checks start no program

    return partial(run_on_file, program, timeout)


def _pair_with_program(boards: Inputs, rules: GameRules, messages: Messages) -> Iterator[Pair]:
    """Yield each board with its own text, from which a program makes the claims."""
    for name, text in boards:
        board = _read_board((name, text), rules, messages)
        yield Pair(name, board, text)


def _pair_up(
    boards: Inputs, named: Sequence[str], rules: GameRules, messages: Messages
) -> Iterator[Pair]:
    """Yield each file of claims with the board of the same file name, or with the only board."""
    unwrap(boards.paths[0])
    claims = defaultdict[str, list[str]](list)
    for path in list_inputs(named, ending=""):
        stem = "" if boards.alone else stem_of(path)
        claims[stem].append(path)
    names = ["" if boards.alone else stem_of(str(path)) for path in boards.paths]
    if claims.keys().isdisjoint(names):
        message = "no claims file has the same name as a board, such as"
        raise InputError(named[0], f"{message} {visible(names[0])}")
    for name, board in zip(names, boards, strict=True):
        paths = claims.pop(name, [])
        texts = [catch(read_input, path, CLAIMS_FILE) for path in paths]
        read = _read_board(board, rules, messages, *texts[:1])
        for path, text in zip(paths, texts, strict=True):
            yield Pair(path, read, text)
        if not paths:
            error = InputError(board[0], "no claims file has the same name as this board")
            yield Pair(board[0], error, "")
    for path in chain(*claims.values()):
        error = InputError(path, "no board has the same name as this claims file")
        yield Pair(path, error, "")


def _read_board(
    record: Input, rules: GameRules, messages: Messages, claims: str | KbScoreError = ""
) -> Board | KbScoreError:
    """Return a board or its error, with a hint if the claims look like a board instead."""
    name, text = record
    if isinstance(text, KbScoreError):
        return text
    try:
        with hint_if_swapped(swapped=isinstance(claims, str) and recognises(claims)):
            return print_notes(parse_board(text, rules, name=name), messages)
    except KbScoreError as error:
        return error


COMMANDS = {"check": check}
