"""API keys."""

from __future__ import annotations

from loremark.client.call import Call, body, path
from loremark.wire.keys import KeyCreated, KeyEntry


def list_keys(cursor: str | None = None, limit: int | None = None) -> Call[list[KeyEntry]]:
    return Call(method="GET", path=path("/api/keys", cursor=cursor, limit=limit), response_type=list[KeyEntry])


def create_key(name: str) -> Call[KeyCreated]:
    return Call(method="POST", path="/api/keys", response_type=KeyCreated, body=body(name=name))


def delete_key(key_id: str) -> Call[None]:
    return Call(method="DELETE", path="/api/keys", response_type=type(None), body=body(keyId=key_id))
