"""Contexts and the context tree."""

from __future__ import annotations

from typing import Any

from loremark.client.call import Call, body, path
from loremark.wire.contexts import CompactionResult, ContextDetail, ContextEntry, ContextNode, PopulateResult
from loremark.wire.history import Revision


def list_contexts(
    project_id: str | None = None, parent_id: str | None = None, cursor: str | None = None, limit: int | None = None
) -> Call[list[ContextEntry]]:
    url = path("/api/contexts", projectId=project_id, parentId=parent_id, cursor=cursor, limit=limit)
    return Call(method="GET", path=url, response_type=list[ContextEntry])


def get_tree(project_id: str | None = None) -> Call[list[ContextNode]]:
    return Call(method="GET", path=path("/api/contexts/tree", projectId=project_id), response_type=list[ContextNode])


def get_context(context_id: str) -> Call[ContextDetail]:
    return Call(method="GET", path=path("/api/contexts/{}", context_id), response_type=ContextDetail)


def create_context(name: str, **fields: Any) -> Call[ContextDetail]:
    """``fields`` are API fields such as ``content``, ``schemaKey``, ``projectId``."""
    return Call(method="POST", path="/api/contexts", response_type=ContextDetail, body=body(name=name, **fields))


def update_context(context_id: str, *, if_match: str | None = None, **changes: Any) -> Call[ContextDetail]:
    return Call(
        method="PATCH",
        path=path("/api/contexts/{}", context_id),
        response_type=ContextDetail,
        body=body(**changes),
        if_match=if_match,
        idempotent=True,
    )


def decide_context(context_id: str, action: str) -> Call[ContextDetail]:
    """``approve`` or ``deprecate``."""
    return Call(
        method="POST",
        path=path("/api/contexts/{}/approve", context_id),
        response_type=ContextDetail,
        body=body(action=action),
        idempotent=True,
    )


def delete_context(context_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/contexts/{}", context_id), response_type=type(None))


def compact_context(context_id: str) -> Call[CompactionResult]:
    return Call(method="POST", path=path("/api/contexts/{}/compact", context_id), response_type=CompactionResult)


def list_revisions(context_id: str) -> Call[list[Revision]]:
    return Call(method="GET", path=path("/api/contexts/{}/revisions", context_id), response_type=list[Revision])


def populate(
    project_id: str, nodes: list[dict[str, Any]], source: str | None = None, dry_run: bool = False
) -> Call[PopulateResult]:
    sent = body(projectId=project_id, nodes=nodes, source=source, dryRun=dry_run)
    return Call(method="POST", path="/api/contexts/populate", response_type=PopulateResult, body=sent, idempotent=True)
