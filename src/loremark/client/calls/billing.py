"""What is used, and what it costs."""

from __future__ import annotations

from loremark.client.call import Call
from loremark.wire.billing import Credits, Usage


def get_usage() -> Call[Usage]:
    return Call(method="GET", path="/api/billing/usage", answer=Usage)


def get_credits() -> Call[Credits]:
    return Call(method="GET", path="/api/billing/credits", answer=Credits)
