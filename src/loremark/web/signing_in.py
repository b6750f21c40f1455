"""The way of a browser that is not signed in: to the sign-in page, and from there back to the page it asked for."""

from __future__ import annotations

from urllib.parse import quote

from loremark.web.request import Request
from loremark.web.response import HTML, Response

SIGN_IN = "/sign-in"
_MOST_CHARS = 8 * 1024
"""Of an address to come back to; a longer one is not kept."""


def sign_in_first(request: Request) -> Response:
    """To the sign-in page. What a form has sent is not kept: nobody shall do by signing in what a form asked for."""
    asked = _asked(request) if request.method in ("GET", "HEAD") else ""
    place = f"{SIGN_IN}?next={quote(asked, safe='')}" if asked else SIGN_IN
    return Response(303, b"", HTML, [(b"location", place.encode())])


def _asked(request: Request) -> str:
    """Path and query, always of our own address: what begins with two slashes would be somebody else's."""
    query = request.query_string.decode("latin-1")
    asked = quote(request.path) + (f"?{query}" if query else "")
    is_ours = asked.startswith("/") and not asked.startswith("//")
    return asked if is_ours and len(asked) <= _MOST_CHARS else ""
