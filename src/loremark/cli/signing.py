"""Whether a project's secret is the right one, asked without leaving anything behind."""

from __future__ import annotations

from loremark.client.call import ApiError
from loremark.client.calls.genesis import get_scan
from loremark.client.client import Client

_NO_PROJECT = "Project not found"


def can_sign(client: Client, project: str) -> bool:
    """Whether the server takes what this client signs for the project; raises where that cannot be told."""
    try:
        # Only read. Not an event that is refused: of those, a secret that has just ended is not checked to the end.
        client.send(get_scan(project))
    except ApiError as error:
        if error.status == 401:
            return False
        if error.status != 404 or str(error) == _NO_PROJECT:
            raise
    return True
