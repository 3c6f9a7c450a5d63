"""Bytes of a file from the wild to text with plain line ends."""

from __future__ import annotations

from kb_score.errors import BoardError, FormatError, Place

_BOM = b"\xef\xbb\xbf"


def decode(data: bytes, name: str) -> str:
    """Decode a file.

    Args:
        data: The whole file. A byte order mark and line ends of any system are fine.
        name: What errors call the file, usually its path.

    Returns:
        The text, each line end a single line feed.

    Raises:
        FormatError: The file holds bytes that are no text.
        BoardError: The file is empty.
    """
    data = data.removeprefix(_BOM)
    if not data.strip():
        raise BoardError(name, "the file is empty")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_text(data, error.start, name) from error
    if (nul := text.find("\0")) >= 0:
        raise _not_text(data, len(text[:nul].encode()), name)
    return _plain_ends(text)


def normalise(text: str) -> str:
    """Give a text plain line ends, and drop a byte order mark."""
    return _plain_ends(text.removeprefix("\ufeff"))


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_text(data: bytes, position: int, name: str) -> FormatError:
    line = data.count(b"\n", 0, position) + 1
    column = position - (data.rfind(b"\n", 0, position) + 1) + 1
    message = f"byte {data[position]:#04x} is not text: a plain text file is expected"
    return FormatError(Place(name, line, column), message)
