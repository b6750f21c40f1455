"""Exports to other tools' formats: deterministic, inside the folder, and readable again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loremark.exchange import adr, basic_memory, madr_export, markdown_export
from tests.exchange.samples import extracted

ITEM: dict[str, Any] = {
    "title": 'Sessions live in "Redis"',
    "content": "They outlive a restart.\n\n## Why\nBecause people came back to empty carts.",
    "type": "decision",
    "schemaKey": "root/api/sessions",
    "status": "approved",
    "confidence": 0.875,
    "files": ["src/sessions.py"],
    "tags": ["redis", "Two Words"],
    "evidence": [{"event": "evt_1", "quote": "we keep sessions\nin Redis"}],
    "createdAtMs": 5,
}


def test_an_exported_note_can_be_imported_again() -> None:
    ((name, text),) = markdown_export.note_files([ITEM])
    assert name == "root/api/sessions/sessions-live-in-redis.md"
    assert basic_memory.looks_like(text)
    (note,) = basic_memory.read_document(text, name)
    assert (note.title, note.type, note.schema_key) == ("Sessions live in 'Redis'", "decision", "root/api/sessions")
    assert note.content == ITEM["content"]
    assert (note.files, note.tags, note.confidence) == (("src/sessions.py",), ("redis", "Two Words"), 0.875)


def test_an_exported_decision_can_be_imported_again() -> None:
    ((name, text),) = madr_export.decision_files([ITEM, {**ITEM, "type": "bug"}])
    assert name == "0001-sessions-live-in-redis.md"
    assert "> we keep sessions in Redis" in text
    assert adr.looks_like(Path(name), text)
    note = adr.read_document(text, name)
    (item,) = extracted(note)
    assert (item.title, item.type, item.status) == ('Sessions live in "Redis"', "decision", "draft")
    assert "They outlive a restart." in item.content
    retired = dict(madr_export.decision_files([{**ITEM, "status": "deprecated"}]))[name]
    assert [item.status for item in extracted(adr.read_document(retired, name))] == ["deprecated"]


def test_file_names_are_deterministic_and_stay_in_the_folder() -> None:
    hostile = {**ITEM, "schemaKey": "../../../etc", "title": "../../.ssh/authorized_keys\n\0"}
    items = [ITEM, dict(ITEM), {**ITEM, "content": "Another."}, hostile]
    exported = list(markdown_export.note_files(items))
    assert exported == list(markdown_export.note_files(items[::-1]))
    assert len({name for name, _ in exported}) == 4
    assert all(".." not in name and not name.startswith("/") for name, _ in exported)
    assert dict(madr_export.decision_files(items)) == dict(madr_export.decision_files(items[::-1]))
