"""Redirects unauthenticated browsers to the sign-in page, and back afterwards."""

from __future__ import annotations

from urllib.parse import quote

from loremark.web.request import Request
from loremark.web.response import HTML, Response

SIGN_IN = "/sign-in"
_MOST_CHARS = 8 * 1024
"""Longer return paths are dropped."""


def redirect_to_sign_in(request: Request) -> Response:
    """Redirect to the sign-in page. Only GET requests are resumed: signing in must never submit a form."""
    asked = _asked(request) if request.method in ("GET", "HEAD") else ""
    place = f"{SIGN_IN}?next={quote(asked, safe='')}" if asked else SIGN_IN
    return Response(303, b"", HTML, [(b"location", place.encode())])


def _asked(request: Request) -> str:
    """Return the path and query. A path starting with ``//`` would lead to another host and is dropped."""
    query = request.query_string.decode("latin-1")
    asked = quote(request.path) + (f"?{query}" if query else "")
    is_ours = asked.startswith("/") and not asked.startswith("//")
    return asked if is_ours and len(asked) <= _MOST_CHARS else ""
