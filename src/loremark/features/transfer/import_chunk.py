"""Converts parsed lines to table rows: redacts secrets, resolves refs and packs search terms. No database access."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from loremark.base import limits
from loremark.base.caller import Scope
from loremark.base.redaction.redactor import redact_payload
from loremark.features.history.store import encode
from loremark.features.history.tokens import count_tokens
from loremark.features.index.store import SEARCHABLE
from loremark.features.ingest.payload import CapturedEvent, SentEvent, build_event
from loremark.features.items import records
from loremark.features.transfer.line_parser import read_snapshot
from loremark.features.transfer.refs import Refs
from loremark.features.transfer.sanitizer import Sanitizer
from loremark.memory.items import Item, Quote
from loremark.wire.contexts import ContextState
from loremark.wire.transfer import (
    REVISION_CHARS,
    AnyLine,
    ContextLine,
    ContextSnapshot,
    EventLine,
    HeaderLine,
    ItemLine,
    ItemSnapshot,
    RevisionLine,
    SessionLine,
)

IMPORTED = "import"
"""Stored instead of a job id for events enriched before the import."""
_REDACTED = "redacted"

Columns = dict[str, Any]


class NewContext(NamedTuple):
    number: int
    columns: Columns
    parent: str | None


class NewSession(NamedTuple):
    number: int
    columns: Columns


class NewEvent(NamedTuple):
    number: int
    columns: Columns
    blobs: dict[str, bytes]


class NewItem(NamedTuple):
    number: int
    columns: Columns
    files: list[Columns]
    conflicts: list[Columns]
    entry: Columns
    others: frozenset[str]
    """Ids of referenced items, which must belong to the same project."""

    @property
    def evidence(self) -> str:
        return str(self.columns["evidence"])


class NewRevision(NamedTuple):
    number: int
    columns: Columns
    others: frozenset[str]

    @property
    def snapshot(self) -> str:
        return str(self.columns["snapshot"])


@dataclass
class Chunk:
    """The rows of a chunk, without duplicates."""

    lines: int = 0
    header: HeaderLine | None = None
    contexts: dict[str, NewContext] = field(default_factory=dict)
    sessions: dict[str, NewSession] = field(default_factory=dict)
    events: dict[str, NewEvent] = field(default_factory=dict)
    items: dict[str, NewItem] = field(default_factory=dict)
    revisions: dict[tuple[str, int], NewRevision] = field(default_factory=dict)
    redacted: int = 0


class ChunkBuilder:
    """Builds the rows of a chunk for one project.

    ``keep_reviews``: what the file says was reviewed counts as reviewed here. Anyone can write that into a file.
    """

    def __init__(self, scope: Scope, project_id: str, *, keep_reviews: bool) -> None:
        self._keep_reviews = keep_reviews
        self._shared = {"team_id": str(scope), "project_id": project_id}
        self._refs = Refs(project_id)
        self._chunk = Chunk()
        self._clean = Sanitizer()

    def build(self, lines: Iterable[tuple[int, AnyLine]]) -> Chunk:
        for number, line in lines:
            self._chunk.lines += 1
            if isinstance(line, HeaderLine):
                self._chunk.header = line
            elif isinstance(line, ContextLine):
                self._add_context(number, line)
            elif isinstance(line, SessionLine):
                self._add_session(number, line)
            elif isinstance(line, EventLine):
                self._add_event(number, line)
            elif isinstance(line, ItemLine):
                self._add_item(number, line)
            elif isinstance(line, RevisionLine):
                self._add_revision(number, line)
        self._chunk.redacted = self._clean.found
        return self._chunk

    def _add_context(self, number: int, line: ContextLine) -> None:
        content = self._clean.text(line.content)
        columns: Columns = {
            **self._shared,
            "id": self._refs.swap(line.ref),
            "project_key": self._shared["project_id"],
            "name": self._clean.name(line.name, limits.CONTEXT_NAME_CHARS),
            "description": self._clean.text(line.description, limits.DESCRIPTION_CHARS),
            "content": content,
            "schema_key": line.schema_key,
            "state": self._context_state(line.state),
            "tier": line.tier,
            "context_type": line.context_type,
            "token_count": count_tokens(content),
            "version": line.version,
            "created_at_ms": line.created_at_ms,
            "updated_at_ms": line.updated_at_ms,
        }
        self._chunk.contexts.setdefault(line.schema_key, NewContext(number, columns, line.parent_schema_key))

    def _add_session(self, number: int, line: SessionLine) -> None:
        columns: Columns = {
            **self._shared,
            "id": self._refs.swap(line.ref),
            "source": self._clean.source(line.source),
            "status": line.status,
            "event_count": 0,
            "items_extracted": line.items_extracted,
            "enrichment_model": self._clean.model(line.enrichment_model),
            "last_event_ms": line.last_event_at_ms,
            "created_at_ms": line.created_at_ms,
            "completed_at_ms": line.completed_at_ms,
        }
        self._chunk.sessions.setdefault(columns["id"], NewSession(number, columns))

    def _add_event(self, number: int, line: EventLine) -> None:
        payload, found = redact_payload(line.payload)
        self._clean.found += found
        sent = SentEvent(line.event, payload)
        event: CapturedEvent = build_event(sent, self._shared["project_id"], self._shared["team_id"], "")
        columns: Columns = {
            **self._shared,
            "id": self._refs.swap(line.ref),
            "session_id": self._refs.swap(line.session),
            "event": event.event,
            "payload": event.payload,
            "content_hash": event.content_hash,
            "size_bytes": event.size_bytes,
            "created_at_ms": line.created_at_ms,
            "enriched_by": IMPORTED if line.enriched else None,
            "actor_id": None,
        }
        self._chunk.events.setdefault(columns["id"], NewEvent(number, columns, event.blobs))

    def _item(self, state: ItemSnapshot) -> Item:
        clean, before = self._clean, self._clean.found
        item = Item(
            title=clean.name(state.title),
            content=clean.text(state.content),
            type=state.type,
            schema_key=state.schema_key,
            status=state.status,
            confidence=state.confidence,
            files=tuple(clean.paths(dict.fromkeys(state.files))),
            tags=tuple(clean.tags(state.tags)),
            evidence=tuple(
                Quote(self._refs.swap(each.event), clean.quote(each.quote), each.commit) for each in state.evidence
            ),
            flags=tuple(state.flags),
            branch=clean.branch(state.branch),
            tier=state.tier,
            merged_from=tuple(map(self._refs.swap, state.merged_from)),
            reviewed=state.reviewed and self._keep_reviews,
        )
        if clean.found == before:
            return item
        return dataclasses.replace(item, flags=(*item.flags, _REDACTED))

    def _add_item(self, number: int, line: ItemLine) -> None:
        item_id, superseded_by = self._refs.swap(line.ref), self._refs.swap(line.superseded_by)
        item = dataclasses.replace(self._item(line), id=item_id)
        session_id = self._refs.swap(line.session)
        columns: Columns = {
            **self._shared,
            **records.to_columns(item),
            "id": item_id,
            "session_id": session_id,
            "source_ref": self._clean.model(self._refs.swap(line.source_ref)),
            "merged_at_ms": line.merged_at_ms,
            "superseded_by": superseded_by,
            "version": line.version,
            "created_at_ms": line.created_at_ms,
            "updated_at_ms": line.updated_at_ms,
        }
        fingerprints = Sanitizer().paths({path: line.fingerprints.get(path) for path in line.files})
        files: list[Columns] = [
            {**self._shared, "item_id": item_id, "path": path, "fingerprint": fingerprint}
            for path, fingerprint in fingerprints.items()
        ]
        conflicts: list[Columns] = [
            {
                **self._shared,
                "item_id": item_id,
                "other_id": self._refs.swap(conflict.item),
                "reason": self._clean.reason(conflict.reason),
                "found_at_ms": conflict.detected_at_ms,
                "resolved_at_ms": None,
            }
            for conflict in {conflict.item: conflict for conflict in line.conflicts}.values()
        ]
        others = {
            *item.merged_from,
            *(row["other_id"] for row in conflicts),
            *([superseded_by] if superseded_by else []),
        }
        new = NewItem(number, columns, files, conflicts, self._entry(item, line, session_id), frozenset(others))
        self._chunk.items.setdefault(item_id, new)

    def _entry(self, item: Item, line: ItemLine, session_id: str | None) -> Columns:
        """The search index entry; its version is assigned in the transaction."""
        entry = records.to_entry(
            item,
            session_id,
            line.created_at_ms,
            merged=line.merged_at_ms is not None,
            superseded_by=self._refs.swap(line.superseded_by),
        )
        return {
            **self._shared,
            "item_id": item.id,
            "status": entry.status,
            "type": entry.type,
            "schema_key": entry.schema_key,
            "session_id": entry.session_id,
            "branch": entry.branch,
            "created_at_ms": entry.created_at_ms,
            "confidence": entry.confidence,
            "terms": entry.terms if entry.status in SEARCHABLE else b"",
        }

    def _add_revision(self, number: int, line: RevisionLine) -> None:
        state = read_snapshot(number, line)
        others: frozenset[str] = frozenset()
        if isinstance(state, ItemSnapshot):
            item, superseded_by = self._item(state), self._refs.swap(state.superseded_by)
            snapshot = records.to_snapshot(item, superseded_by)
            others = frozenset((*item.merged_from, *([superseded_by] if superseded_by else [])))
        else:
            snapshot = self._context_snapshot(state)
        columns: Columns = {
            **self._shared,
            "record_id": self._refs.swap(line.ref),
            "version": line.version,
            "record_kind": line.kind,
            "snapshot": encode(snapshot),
            "reason": self._clean.name(line.change, REVISION_CHARS),
            "actor_id": None,
            "created_at_ms": line.created_at_ms,
        }
        self._chunk.revisions.setdefault((columns["record_id"], line.version), NewRevision(number, columns, others))

    def _context_state(self, state: ContextState) -> ContextState:
        """The state of a context. An approved one is shown without a mark, so it must have been approved here."""
        return state if state != "approved" or self._keep_reviews else "draft"

    def _context_snapshot(self, state: ContextSnapshot) -> dict[str, Any]:
        return {
            "name": self._clean.name(state.name, limits.CONTEXT_NAME_CHARS),
            "description": self._clean.text(state.description, limits.DESCRIPTION_CHARS),
            "content": self._clean.text(state.content),
            "schemaKey": state.schema_key,
            "state": self._context_state(state.state),
            "tier": state.tier,
            "contextType": state.context_type,
        }
