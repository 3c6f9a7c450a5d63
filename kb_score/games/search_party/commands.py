"""The commands of the search party: ``check``, ``play``, ``legal`` and those that draw."""

from __future__ import annotations

from kb_score.games.bot_command import make_bot
from kb_score.games.command import make_check
from kb_score.games.legal import make_legal
from kb_score.games.pictures import make_pictures
from kb_score.games.playouts import make_playouts
from kb_score.games.referee import make_play
from kb_score.games.search_party.check import check_files, follow_files
from kb_score.games.search_party.compliance import list_cases
from kb_score.games.search_party.legal import look_at
from kb_score.games.search_party.play import SearchParty
from kb_score.games.search_party.playouts import play_randomly
from kb_score.games.search_party.records import FACTS_OF, RECORD_FILE
from kb_score.games.search_party.rules import GAME
from kb_score.games.search_party.solve_command import solve
from kb_score.shell.options import map_option, timeout_option

COMMANDS = {
    **make_pictures(GAME, follow_files, FACTS_OF, RECORD_FILE, example="map.txt plan.txt"),
    "check": make_check(
        GAME,
        check_files,
        FACTS_OF,
        RECORD_FILE,
        help_="""A plan, a stream or a session of Horror Movie Search Party.

        RECORD is a plan (what a bot answers), a stream (what the controller sends) or a session
        (both in turn); its contents show which. A folder is all its .txt files. One of the files
        may be "-", standard input.
        """,
        example="search-party map.txt plan.txt",
    ),
    "legal": make_legal(
        GAME,
        look_at,
        FACTS_OF,
        RECORD_FILE,
        help_="""Where everybody may go, or why not.

        RECORD is a plan, a stream or a session; without it, the first turn is meant. One of the two
        files may be "-", standard input. With --move a whole line of moves is judged.
        """,
        move="'@9 A2.'",
        example="search-party map.txt plan.txt --turn 3 --move '@9 A2.'",
    ),
    "playouts": make_playouts(
        GAME,
        play_randomly,
        FACTS_OF,
        help_="""Random games of the search party.

        Everybody makes legal moves. Who has just moved goes on in the same direction with a
        probability of 7/8, if that is legal, so that people come to see all of a map. The records
        are sessions, which `kb-score check` accepts.
        """,
        example="search-party map.txt --seed 7 --games 10 -o games",
    ),
    "solve": solve,
    "bot": make_bot(
        GAME,
        list_cases,
        map_option,
        timeout_option(60.0, "Time that the bot has for a turn."),
        help_="""A bot that moves the whole cast.

        COMMAND starts the bot anew for each case, as `kb-score play search-party` does. A case may
        begin with a later turn of a game: what the bot is told then is all that it needs.
        """,
        example="search-party -- python3 bot.py",
    ),
    "play": make_play(
        GAME,
        SearchParty,
        FACTS_OF,
        follow_files,
        timeout=60.0,
        help_="""A bot that moves the whole cast of Horror Movie Search Party.

        It is refereed live, as the challenge's controller does. COMMAND starts the bot, which reads
        every turn from its standard input and answers with a line of moves. The exit status is 1 if
        it does not play to the end.
        """,
        example="search-party map.txt --record session.txt -- python3 bot.py",
    ),
}
