"""Memory items."""

from __future__ import annotations

from typing import Any

from loremark.client.call import Call, body, path
from loremark.wire.history import Revision
from loremark.wire.items import MemoryItem


def list_items(
    project_id: str | None = None,
    *,
    status: str | None = None,
    type: str | None = None,
    schema_key: str | None = None,
    branch: str | None = None,
    flag: str | None = None,
    file: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[list[MemoryItem]]:
    url = path(
        "/api/v2/items",
        projectId=project_id,
        status=status,
        type=type,
        schemaKey=schema_key,
        branch=branch,
        flag=flag,
        files=file,
        cursor=cursor,
        limit=limit,
    )
    return Call(method="GET", path=url, response_type=list[MemoryItem])


def get_item(item_id: str) -> Call[MemoryItem]:
    return Call(method="GET", path=path("/api/v2/items/{}", item_id), response_type=MemoryItem)


def update_item(item_id: str, *, if_match: str | None = None, **changes: Any) -> Call[MemoryItem]:
    """``changes`` are API fields: title, content, type, status, schemaKey, tier, tags, files."""
    return Call(
        method="PATCH",
        path=path("/api/v2/items/{}", item_id),
        response_type=MemoryItem,
        body=body(**changes),
        if_match=if_match,
        idempotent=True,
    )


def delete_item(item_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/v2/items/{}", item_id), response_type=type(None))


def list_revisions(item_id: str) -> Call[list[Revision]]:
    return Call(method="GET", path=path("/api/v2/items/{}/revisions", item_id), response_type=list[Revision])


def revert_item(item_id: str, version: int) -> Call[MemoryItem]:
    sent = body(version=version)
    return Call(method="POST", path=path("/api/v2/items/{}/revert", item_id), response_type=MemoryItem, body=sent)
