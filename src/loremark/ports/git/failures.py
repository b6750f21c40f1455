"""What went wrong with a repository, in one sentence of our own: what git says may name our folders."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class RepositoryFailed(Exception):
    """The repository cannot be read; the text is for the user who named it."""


class Unreadable(RepositoryFailed):
    """For no reason that we know; our copy may be damaged."""

    def __init__(self) -> None:
        super().__init__("The repository could not be read.")


class Outgrown(Exception):
    """The local copy has become larger than it may."""


_SENTENCES = (
    (("returned error: 30",), "The repository has moved: redirects are not followed."),
    (("returned error: 403", "returned error: 401"), "The repository host refuses to let us read this repository."),
    (
        ("not found", "returned error: 404", "returned error: 410"),
        "The repository was not found, or its access token may not read it.",
    ),
    (("not our ref", "unadvertised object"), "The repository does not have that commit any more."),
    (("returned error: 5", "returned error: 429"), "The repository host has a problem of its own; try again later."),
    (("certificate", "ssl", "tls"), "The repository host's TLS certificate was not accepted."),
    (("could not resolve", "failed to connect", "couldn't connect"), "The repository host cannot be reached."),
    (("too slow", "timed out"), "The repository host is too slow."),
)


def failure(said: str, *, with_token: bool) -> RepositoryFailed:
    """The sentence for what git said."""
    low = re.sub(r"'https://[^']*'", "", said.lower())  # its name may hold any of these words
    if "could not read username" in low or "authentication failed" in low:
        if with_token:
            return RepositoryFailed("The repository host does not accept the access token.")
        return RepositoryFailed("The repository cannot be read without an access token.")
    for signs, sentence in _SENTENCES:
        if any(sign in low for sign in signs):
            return RepositoryFailed(sentence)
    return Unreadable()


@asynccontextmanager
async def bounded(timeout_s: float) -> AsyncIterator[None]:
    """Let it take only so long, and say what else may happen to us in a sentence."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError:
        raise RepositoryFailed("The repository could not be read in time.") from None
    except Outgrown:
        raise RepositoryFailed("The repository is too large to be read.") from None
    except OSError:
        raise RepositoryFailed("The local copy of the repository cannot be used.") from None
