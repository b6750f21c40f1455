"""Converts rows to export lines. A row gives the same bytes in every project."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import msgspec

from loremark.base import limits
from loremark.base.redaction.redactor import redact_payload
from loremark.features.transfer.evidence import parse_evidence
from loremark.features.transfer.refs import Refs
from loremark.features.transfer.sanitizer import Sanitizer
from loremark.storage.database import Row
from loremark.wire.transfer import (
    QUOTES,
    REVISION_CHARS,
    VERSION,
    AnyLine,
    ContextLine,
    EventLine,
    EvidenceQuote,
    HeaderLine,
    ItemConflict,
    ItemLine,
    ProjectSettings,
    RevisionLine,
    SessionLine,
)

# Sorted payload keys; line fields in declaration order.
_encode = msgspec.json.Encoder(order="deterministic").encode


def encode_line(line: AnyLine) -> bytes:
    return _encode(line) + b"\n"


def header_line(project: Row) -> HeaderLine:
    clean = Sanitizer()
    settings = ProjectSettings(
        name=clean.name(project["name"], limits.PROJECT_NAME_CHARS),
        description=clean.text(project["description"], limits.DESCRIPTION_CHARS),
        ai_tier=project["ai_tier"],
        deep_enrich_enabled=bool(project["deep_enrich_enabled"]),
        auto_approve_threshold=project["auto_approve_threshold"],
        repo_url=project["repo_url"],
    )
    return HeaderLine(version=VERSION, project=settings)


def context_line(row: Row, parent: str | None, refs: Refs) -> ContextLine:
    clean = Sanitizer()
    return ContextLine(
        ref=refs.swap(row["id"]),
        parent_schema_key=parent,
        name=clean.name(row["name"], limits.CONTEXT_NAME_CHARS),
        description=clean.text(row["description"], limits.DESCRIPTION_CHARS),
        content=clean.text(row["content"]),
        schema_key=row["schema_key"],
        state=row["state"],
        tier=row["tier"],
        context_type=row["context_type"],
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def session_line(row: Row, refs: Refs) -> SessionLine:
    active, clean = row["status"] == "active", Sanitizer()
    return SessionLine(
        ref=refs.swap(row["id"]),
        source=clean.source(row["source"]),
        status="active" if active else "completed",
        items_extracted=row["items_extracted"],
        enrichment_model=clean.model(row["enrichment_model"]),
        last_event_at_ms=row["last_event_ms"],
        created_at_ms=row["created_at_ms"],
        completed_at_ms=None if active else row["completed_at_ms"] or row["last_event_ms"],
    )


def event_line(row: Row, payload: Any, refs: Refs) -> EventLine:
    """``payload`` must have its large texts inlined."""
    return EventLine(
        ref=refs.swap(row["id"]),
        session=refs.swap(row["session_id"]),
        event=row["event"],
        payload=redact_payload(payload)[0],
        enriched=row["enriched_by"] is not None,
        created_at_ms=row["created_at_ms"],
    )


def item_line(
    row: Row, files: Mapping[str, str | None], conflicts: Iterable[Row], refs: Refs, known: Container[str]
) -> ItemLine:
    """``known``: the project's events. Evidence from other events is dropped."""
    clean = Sanitizer()
    paths = clean.paths(files)
    written_conflicts = [
        ItemConflict(
            item=refs.swap(conflict["other_id"]),
            reason=clean.reason(conflict["reason"]),
            detected_at_ms=conflict["found_at_ms"],
        )
        for conflict in conflicts
    ]
    quoted = [
        EvidenceQuote(event=refs.swap(event_id), quote=clean.quote(quote), commit=commit)
        for event_id, quote, commit in parse_evidence(row["evidence"])
        if event_id in known
    ]
    return ItemLine(
        ref=refs.swap(row["id"]),
        title=clean.name(row["title"]),
        content=clean.text(row["content"]),
        type=row["type"],
        schema_key=row["schema_key"],
        status=row["status"],
        confidence=row["confidence"],
        files=list(paths),
        tags=clean.tags(msgspec.json.decode(row["tags"], type=list[str])),
        evidence=quoted[:QUOTES],
        flags=msgspec.json.decode(row["flags"]),
        tier=row["tier"],
        branch=clean.branch(row["branch"]),
        merged_from=[refs.swap(merged) for merged in msgspec.json.decode(row["merged_from"], type=list[str])],
        superseded_by=refs.swap(row["superseded_by"]),
        reviewed=bool(row["reviewed"]),
        session=refs.swap(row["session_id"]),
        source_ref=clean.model(refs.swap(row["source_ref"])),
        merged_at_ms=row["merged_at_ms"],
        fingerprints={path: state for path, state in paths.items() if state is not None},
        conflicts=sorted(written_conflicts, key=lambda conflict: conflict.item),
        version=row["version"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"],
    )


def revision_line(row: Row, refs: Refs, known: Container[str]) -> RevisionLine:
    clean = Sanitizer()
    snapshot = msgspec.json.decode(row["snapshot"], type=dict[str, Any])
    snapshot["content"] = clean.text(snapshot["content"])
    if row["record_kind"] == "item":
        snapshot["title"] = clean.name(snapshot["title"])
        snapshot["files"] = list(clean.paths(dict.fromkeys(snapshot["files"])))
        snapshot["tags"] = clean.tags(snapshot["tags"])
        snapshot["branch"] = clean.branch(snapshot["branch"])
        snapshot["evidence"] = [
            {"event": refs.swap(quoted["eventId"]), "quote": clean.quote(quoted["quote"])}
            | ({"commit": quoted["commitSha"]} if "commitSha" in quoted else {})
            for quoted in snapshot["evidence"]
            if quoted["eventId"] in known
        ][:QUOTES]
        snapshot["mergedFrom"] = [refs.swap(merged) for merged in snapshot["mergedFrom"]]
        snapshot["supersededBy"] = refs.swap(snapshot["supersededBy"])
    else:
        snapshot.pop("source", None)
        snapshot["name"] = clean.name(snapshot["name"], limits.CONTEXT_NAME_CHARS)
        snapshot["description"] = clean.text(snapshot["description"], limits.DESCRIPTION_CHARS)
    return RevisionLine(
        kind=row["record_kind"],
        ref=refs.swap(row["record_id"]),
        version=row["version"],
        change=clean.name(row["reason"], REVISION_CHARS),
        snapshot=snapshot,
        created_at_ms=row["created_at_ms"],
    )
