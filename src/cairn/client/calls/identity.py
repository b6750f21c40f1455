"""Who one is."""

from __future__ import annotations

from cairn.client.call import Call
from cairn.wire.identity import Me


def get_me() -> Call[Me]:
    return Call(method="GET", path="/api/auth/me", answer=Me)
