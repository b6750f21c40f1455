"""The signed-in user."""

from __future__ import annotations

from loremark.client.call import Call
from loremark.wire.identity import CurrentUser


def get_me() -> Call[CurrentUser]:
    return Call(method="GET", path="/api/auth/me", response_type=CurrentUser)
