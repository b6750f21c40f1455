"""API keys."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.base.caller import KeyScope
from loremark.wire.shapes import AnyId, KeyName, NetworkAddress, Shape, Time

KeyScopes = Annotated[list[KeyScope], Meta(min_length=1, max_length=limits.KEY_SCOPES)]
AllowedAddresses = Annotated[list[NetworkAddress], Meta(min_length=1, max_length=limits.KEY_ADDRESSES)]


class NewKey(Shape):
    """Without limits, the key can do all that its user can. ``expiresAt`` is a time such as 2027-01-31T00:00:00Z."""

    name: KeyName
    scopes: KeyScopes | UnsetType = UNSET
    project_id: AnyId | UnsetType = UNSET
    expires_at: Time | UnsetType = UNSET
    allowed_addresses: AllowedAddresses | UnsetType = UNSET


class KeyDeletion(Shape):
    key_id: AnyId


class KeyLimits(Shape):
    """The limits of an API key; a field is present if there is such a limit."""

    scopes: list[KeyScope] | UnsetType = UNSET
    project_id: str | UnsetType = UNSET
    expires_at: str | UnsetType = UNSET
    allowed_addresses: list[str] | UnsetType = UNSET


class KeyEntry(KeyLimits, kw_only=True):
    id: str
    name: str
    prefix: str
    last_used: str | None
    created_at: str


class TeamKeyEntry(KeyEntry, kw_only=True):
    """An API key in the team's list, with the user it belongs to."""

    user_id: str


class KeyCreated(KeyLimits, kw_only=True):
    """The only response that contains the full key."""

    id: str
    name: str
    key: str
    created_at: str
