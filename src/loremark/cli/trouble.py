"""What went wrong between here and the server, in words that lead on."""

from __future__ import annotations

import re
import socket
from typing import NamedTuple

from loremark.client.call import ApiError

_ERRNO = re.compile(r"\[Errno -?\d+\] ")
_START = "start it (loremark serve), or sign in to another: loremark login --url URL"
_ADDRESS = "is the address right? Sign in to another with: loremark login --url URL"


class Trouble(NamedTuple):
    """``mend`` is empty where only the error itself is known."""

    words: str
    mend: str = ""


def look_at(error: ApiError, url: str) -> Trouble:
    """What an error of the server at this address means."""
    words = plainly(error)
    if isinstance(error.__cause__, ConnectionRefusedError):
        return Trouble(words, _START)
    if isinstance(error.__cause__, socket.gaierror):
        return Trouble(words, _ADDRESS)
    if error.status < 500 and words == f"the server answered {error.status}":
        return Trouble(f"{url} does not answer like Loremark, but with {error.status}", _ADDRESS)
    return Trouble(words)


def explain(error: ApiError, url: str) -> str:
    """The same in one line."""
    words, mend = look_at(error, url)
    return f"{words}; {mend}" if mend else words


def plainly(error: ApiError) -> str:
    """The error without the numbers that only a machine knows."""
    return _ERRNO.sub("", str(error))
