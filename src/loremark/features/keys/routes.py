"""/api/keys."""

from __future__ import annotations

from typing import Literal

import msgspec

from loremark.base import clock, errors
from loremark.features.identity.limited_keys import require_unlimited
from loremark.features.keys import service, store
from loremark.features.keys.last_use import KeyUse
from loremark.web.authentication import ANY_SCOPE, KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes
from loremark.wire.keys import KeyCreated, KeyDeletion, KeyEntry, NewKey, TeamKeyEntry

routes = Routes("keys")


class KeysQuery(Page, frozen=True):
    include: Literal["team"] | None = None


@routes.add("GET", "/api/keys", needs(KEY | LOGIN, "admin"), name="list", errors=(errors.FORBIDDEN,))
async def list_keys(call: Call, query: KeysQuery) -> list[KeyEntry | TeamKeyEntry]:
    """List the caller's API keys, newest first. Owners and admins can list the whole team's with ``include=team``."""
    require_unlimited(call.caller)
    whole_team = query.include == "team"
    if whole_team and not call.caller.manages:
        raise errors.FORBIDDEN()
    rows = await store.list_keys(
        call.tx,
        call.caller.scope,
        user_id=None if whole_team else call.caller.user_id,
        before=query.cursor,
        take=query.take,
    )
    last_use = call.use(KeyUse)
    entries: list[KeyEntry | TeamKeyEntry] = []
    for row in rows:
        fields = {
            "id": row["id"],
            "name": row["name"],
            "prefix": row["prefix"],
            "last_used": clock.iso_or_none(last_use.last_used_ms(row["id"], row["last_used_ms"])),
            "created_at": clock.iso(row["created_at_ms"]),
            **msgspec.structs.asdict(service.limits_of(row)),
        }
        entries.append(TeamKeyEntry(**fields, user_id=row["user_id"]) if whole_team else KeyEntry(**fields))
    return cut(call, query, entries, [row["id"] for row in rows])


@routes.add(
    "POST",
    "/api/keys",
    needs(KEY | LOGIN, "admin"),
    name="create",
    status=201,
    errors=(errors.FORBIDDEN, errors.PROJECT_NOT_FOUND),
)
async def create_key(call: Call, body: NewKey) -> KeyCreated:
    """Create an API key. The full key is returned only once, in this response."""
    return await service.create_key(call.tx, call.caller, body)


@routes.add(
    "DELETE",
    "/api/keys",
    needs(KEY | LOGIN, *ANY_SCOPE),
    name="delete",
    status=204,
    errors=(errors.KEY_NOT_FOUND, errors.FORBIDDEN),
)
async def delete_key(call: Call, body: KeyDeletion) -> None:
    """Delete an API key. It stops working immediately."""
    await service.delete_key(call.tx, call.caller, body.key_id)
