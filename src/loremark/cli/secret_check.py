"""Check a project's signing secret without side effects."""

from __future__ import annotations

from loremark.client.call import ApiError
from loremark.client.calls.genesis import get_signed_scan
from loremark.client.client import Client

_NO_PROJECT = "Project not found"


def is_secret_accepted(client: Client, project: str) -> bool:
    """Whether the server accepts this client's signature for the project; raises on other errors."""
    try:
        # A read, because invalid events are rejected before a revoked secret is noticed.
        client.send(get_signed_scan(project))
    except ApiError as error:
        if error.status == 401:
            return False
        if error.status != 404 or str(error) == _NO_PROJECT:
            raise
    return True
