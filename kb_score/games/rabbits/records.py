"""The kinds of records, told apart by what is in them."""

from __future__ import annotations

import re
from typing import Literal

from kb_score.errors import FormatError, Place

Kind = Literal["session", "log", "table"]

_SESSION = re.compile(r"\s*(?:turnsleft|run[ ]+\d)")
_TABLE = re.compile(r"\s*(?:Running:[^\n]*\n\s*)?Run\s+Seed\s+Score")
_LOG = re.compile(r"\s*Running:")


def recognise_record(text: str, name: str) -> Kind:
    """Say what kind of record a text is.

    Args:
        text: The file.
        name: What errors call it.

    Raises:
        FormatError: It is none.
    """
    if _SESSION.match(text):
        return "session"
    if _TABLE.match(text):
        return "table"
    if _LOG.match(text):
        return "log"
    lines = text.split("\n")
    number = next(number for number, line in enumerate(lines) if line.strip())
    message = (
        'this is no record: a session begins with "turnsleft N" or "run K seed S", a run log with '
        '"Running: ", a score table with that or "Run Seed Score"'
    )
    raise FormatError(Place(name, number + 1, 1, lines[number]), message)
