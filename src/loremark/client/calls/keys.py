"""API keys."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.client.call import Call, body, path
from loremark.wire.keys import KeyCreated, KeyEntry


def list_keys(cursor: str | None = None, limit: int | None = None) -> Call[list[KeyEntry]]:
    return Call(method="GET", path=path("/api/keys", cursor=cursor, limit=limit), response_type=list[KeyEntry])


def create_key(
    name: str,
    *,
    scopes: Sequence[str] | None = None,
    project_id: str | None = None,
    expires_at: str | None = None,
    allowed_addresses: Sequence[str] | None = None,
) -> Call[KeyCreated]:
    """Without limits, the key can do all that its user can."""
    fields = body(
        name=name, scopes=scopes, projectId=project_id, expiresAt=expires_at, allowedAddresses=allowed_addresses
    )
    return Call(method="POST", path="/api/keys", response_type=KeyCreated, body=fields)


def delete_key(key_id: str) -> Call[None]:
    return Call(method="DELETE", path="/api/keys", response_type=type(None), body=body(keyId=key_id))
