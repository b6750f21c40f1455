"""Our memory as files of other tools: the same each time, inside the folder, and to be read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loremark.exchange import basic_memory, decisions, madr, markdown

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


def test_a_note_is_read_again_as_it_was() -> None:
    ((name, text),) = markdown.notes([ITEM])
    assert name == "root/api/sessions/sessions-live-in-redis.md"
    assert basic_memory.looks_like(text)
    (note,) = basic_memory.read_document(text, name)
    assert (note.title, note.type, note.schema_key) == ("Sessions live in 'Redis'", "decision", "root/api/sessions")
    assert note.content == ITEM["content"]
    assert (note.files, note.tags, note.confidence) == (("src/sessions.py",), ("redis", "Two Words"), 0.875)


def test_a_decision_is_read_again_as_it_was() -> None:
    ((name, text),) = madr.records([ITEM, {**ITEM, "type": "bug"}])
    assert name == "0001-sessions-live-in-redis.md"
    assert "> we keep sessions in Redis" in text
    assert decisions.looks_like(Path(name), text)
    note = decisions.read_document(text, name)
    assert (note.title, note.type, note.status) == ('Sessions live in "Redis"', "decision", None)
    assert "They outlive a restart." in note.content
    retired = dict(madr.records([{**ITEM, "status": "deprecated"}]))[name]
    assert decisions.read_document(retired, name).status == "deprecated"


def test_names_are_the_same_each_time_and_lead_nowhere() -> None:
    hostile = {**ITEM, "schemaKey": "../../../etc", "title": "../../.ssh/authorized_keys\n\0"}
    items = [ITEM, dict(ITEM), {**ITEM, "content": "Another."}, hostile]
    made = list(markdown.notes(items))
    assert made == list(markdown.notes(items[::-1]))
    assert len({name for name, _ in made}) == 4
    assert all(".." not in name and not name.startswith("/") for name, _ in made)
    assert dict(madr.records(items)) == dict(madr.records(items[::-1]))
