"""What went wrong, in one sentence for a model and the person behind it, with what mends it."""

from __future__ import annotations

from loremark.client.call import ApiError
from loremark.mcp.shown import one_line

_LONGEST = 300


class Problem(Exception):
    """A tool cannot do what was asked; the text says why and what helps."""


def told(error: ApiError, url: str) -> str:
    """A refusal of the server as such a sentence."""
    words = one_line(str(error), _LONGEST).rstrip(".")
    if error.status == 0:
        return f"The Loremark server is not reachable at {url}: start it (`loremark serve`) or check the address."
    if error.status == 401 and "ignature" not in words:
        return f"The Loremark server at {url} refused the key: sign in again with `loremark login`."
    if error.status == 403 and words == "Forbidden":
        return "You may look at this project but not change it: ask an owner or admin to make you a member of it."
    if error.status == 404 and words == "Project not found":
        return "There is no such project, or you may not see it: check the project argument or run `loremark init`."
    if error.status == 429:
        return f"{words}. Wait a moment and try again."
    if error.status >= 500:
        return f"The Loremark server could not do it now ({words}): try again in a moment."
    return f"{words}."
