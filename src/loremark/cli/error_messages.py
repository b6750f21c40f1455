"""Turn client errors into messages that say what to do next."""

from __future__ import annotations

import re
import socket
from typing import NamedTuple

from loremark.client.call import ApiError

_ERRNO = re.compile(r"\[Errno -?\d+\] ")
_START = "start the server (loremark start), or use another one: loremark login --url URL"
_PROXY = "check the address and any proxy in front of it"
_ADDRESS = "check the address; to use another server: loremark login --url URL"


class Diagnosis(NamedTuple):
    """``fix`` is empty if there is no specific advice."""

    message: str
    fix: str = ""


def diagnose(error: ApiError, url: str) -> Diagnosis:
    """Explain an error from the server at this address."""
    message = plain_message(error)
    if isinstance(error.__cause__, ConnectionRefusedError):
        return Diagnosis(message, _START)
    if isinstance(error.__cause__, socket.gaierror):
        return Diagnosis(message, _ADDRESS)
    if error.status < 500 and message == f"the server responded with status {error.status}":
        return Diagnosis(f"{url} responded with status {error.status}, but not with a Loremark error", _PROXY)
    if error.status == 403 and message == "Forbidden":
        return Diagnosis("you don't have permission to do this", "ask a project owner or admin")
    return Diagnosis(message)


def explain(error: ApiError, url: str) -> str:
    """The diagnosis as one line."""
    message, fix = diagnose(error, url)
    return f"{message}; {fix}" if fix else message


def plain_message(error: ApiError) -> str:
    """The error text without errno codes."""
    return _ERRNO.sub("", str(error))
