"""Repository errors as messages for users. Git's own output is not shown, because it may contain local paths."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class RepositoryFailed(Exception):
    """The repository cannot be read; the message is for the user."""


class Unreadable(RepositoryFailed):
    """Unknown reason; the mirror may be damaged."""

    def __init__(self) -> None:
        super().__init__("The repository could not be read.")


class MirrorTooLarge(Exception):
    """The mirror exceeds its size limit."""


_SENTENCES = (
    (("returned error: 30",), "The repository has moved. Update its URL: redirects are not followed."),
    (("returned error: 403", "returned error: 401"), "The repository host denied access to this repository."),
    (
        ("not found", "returned error: 404", "returned error: 410"),
        "The repository was not found, or its access token cannot read it.",
    ),
    (("not our ref", "unadvertised object"), "The repository no longer has that commit."),
    (("returned error: 5", "returned error: 429"), "The repository host reported an error. Try again later."),
    (("certificate", "ssl", "tls"), "The repository host's TLS certificate is not trusted."),
    (("could not resolve", "failed to connect", "couldn't connect"), "The repository host cannot be reached."),
    (("too slow", "timed out"), "The repository host is too slow."),
)


def failure(said: str, *, with_token: bool) -> RepositoryFailed:
    """Return the error for git's output."""
    low = re.sub(r"'https://[^']*'", "", said.lower())  # the URL may contain any of these words
    if "could not read username" in low or "authentication failed" in low:
        if with_token:
            return RepositoryFailed("The repository host rejected the access token.")
        return RepositoryFailed("The repository cannot be read without an access token.")
    for signs, sentence in _SENTENCES:
        if any(sign in low for sign in signs):
            return RepositoryFailed(sentence)
    return Unreadable()


@asynccontextmanager
async def bounded(timeout_s: float) -> AsyncIterator[None]:
    """Apply a timeout and convert local failures to ``RepositoryFailed``."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError:
        raise RepositoryFailed("The repository could not be read in time.") from None
    except MirrorTooLarge:
        raise RepositoryFailed("The repository is too large.") from None
    except OSError:
        raise RepositoryFailed("The local mirror of the repository cannot be used.") from None
