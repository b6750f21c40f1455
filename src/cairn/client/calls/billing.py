"""What is used, and what it costs."""

from __future__ import annotations

from cairn.client.call import Call
from cairn.wire.billing import Credits, Usage


def get_usage() -> Call[Usage]:
    return Call(method="GET", path="/api/billing/usage", answer=Usage)


def get_credits() -> Call[Credits]:
    return Call(method="GET", path="/api/billing/credits", answer=Credits)
