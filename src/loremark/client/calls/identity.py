"""Who one is."""

from __future__ import annotations

from loremark.client.call import Call
from loremark.wire.identity import Me


def get_me() -> Call[Me]:
    return Call(method="GET", path="/api/auth/me", answer=Me)
