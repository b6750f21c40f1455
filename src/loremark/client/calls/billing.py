"""Usage and credits."""

from __future__ import annotations

from loremark.client.call import Call
from loremark.wire.billing import Credits, Usage


def get_usage() -> Call[Usage]:
    return Call(method="GET", path="/api/billing/usage", response_type=Usage)


def get_credits() -> Call[Credits]:
    return Call(method="GET", path="/api/billing/credits", response_type=Credits)
