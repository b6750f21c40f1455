"""What a limited API key must not do, whatever its scopes: it would get around its own limits."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.caller import Caller


def require_unlimited(caller: Caller) -> None:
    """Raise for a limited key. It must not handle keys and logins, nor give people access that it could then use."""
    if caller.is_limited:
        raise errors.FORBIDDEN()
