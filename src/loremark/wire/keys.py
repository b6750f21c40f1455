"""API keys."""

from __future__ import annotations

from loremark.wire.shapes import AnyId, KeyName, Shape


class NewKey(Shape):
    name: KeyName


class KeyDeletion(Shape):
    key_id: AnyId


class KeyEntry(Shape):
    id: str
    name: str
    prefix: str
    last_used: str | None
    created_at: str


class TeamKeyEntry(KeyEntry):
    """An API key in the team's list, with the user it belongs to."""

    user_id: str


class KeyCreated(Shape):
    """The only response that contains the full key."""

    id: str
    name: str
    key: str
    created_at: str
