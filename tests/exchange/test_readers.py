"""Readers for other tools' formats: files become notes, and notes always become the same events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loremark.exchange import detection
from loremark.exchange.notes import Note, to_event
from tests.exchange import samples
from tests.exchange.samples import extracted


def notes_in(path: Path, tool: str | None = None) -> list[Note]:
    found = detection.detect(path)
    assert tool is None or [part.tool for part in found] == [tool]
    return [note for part in found for note in detection.read(part)]


def test_a_claude_code_session(tmp_path: Path) -> None:
    file = samples.claude_transcript(tmp_path)
    for path in (file, tmp_path):
        (note,) = notes_in(path, "claude-code")
        event = to_event(note)
        assert event.event == "session_save"
        asked, decided = event.payload["turns"]
        assert asked == {
            "prompt": "Why does the cart lose its items?",
            "answer": "The cart was keyed by the session; it is keyed by the user now.",
            "files": ["src/cart.py"],
        }, "nothing outside the project"
        assert decided["prompt"].startswith("Use Redis from now on")
        assert decided["answer"] == "Redis it is."
        assert "hunter2" not in json.dumps(event.payload), "secrets are redacted"
        assert (event.payload["summary"], event.payload["files"]) == (asked["prompt"], ["src/cart.py"])
        assert (event.payload["branch"], event.payload["source"]) == ("feature/cart", "claude-code:5f0c")
        assert "an old thing" not in json.dumps(event.payload), "a briefing is not captured again"
        assert to_event(note) == event


def test_a_codex_session(tmp_path: Path) -> None:
    samples.codex_rollout(tmp_path)
    (note,) = notes_in(tmp_path, "codex")
    payload = to_event(note).payload
    (turn,) = payload["turns"]
    assert turn["prompt"] == payload["summary"] == "Make the retries slower"
    assert turn["answer"].startswith("Retries wait twice as long")
    assert turn["files"] == payload["files"] == ["src/retry.py", "tests/test_retry.py"]
    assert (payload["agentSession"], payload["branch"], payload["source"]) == ("0199", "main", "codex:0199")


def test_what_a_session_settled_becomes_an_item(tmp_path: Path) -> None:
    shared = {"sessionId": "s", "cwd": "/w"}
    said = (
        ("user", "Can we use Redis for the cart?"),
        ("assistant", "We could, but it would be one more service to run."),
        ("user", "We decided to keep carts in PostgreSQL, because it is backed up."),
        ("assistant", "Done."),
        ("user", "Never store card numbers in a cart, only the token of the payment provider."),
        ("assistant", "The tests failed. The problem was that the factory made a card number for each cart."),
    )
    records = [{"type": kind, **shared, "message": {"content": text}} for kind, text in said]
    (note,) = notes_in(samples.write_lines(tmp_path / "s.jsonl", records), "claude-code")
    assert [(item.type, item.title) for item in extracted(note)] == [
        ("decision", "Keep carts in PostgreSQL, because it is backed up"),
        ("convention", "Never store card numbers in a cart, only the token of the payment provider"),
        ("bug", "The factory made a card number for each cart"),
    ]


def test_a_long_session_is_split_into_parts(tmp_path: Path) -> None:
    shared = {"sessionId": "s", "cwd": "/w"}
    records = [
        {"type": kind, **shared, "message": {"content": f"{kind} {number} " + "word " * 600}}
        for number in range(40)
        for kind in ("user", "assistant")
    ]
    notes = notes_in(samples.write_lines(tmp_path / "s.jsonl", records), "claude-code")
    assert len(notes) > 3
    parts = [json.dumps(note.extra["turns"]) for note in notes]
    assert all(len(part) <= 32_000 for part in parts)
    assert all(f"assistant {number} " in "".join(parts) for number in range(40))


def test_instructions_are_documents_without_a_context(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(samples.CLAUDE_MD)
    (tmp_path / ".cursor" / "rules").mkdir(parents=True)
    (tmp_path / ".cursor" / "rules" / "api.mdc").write_text(samples.CURSOR_RULE)
    shop, handlers = notes_in(tmp_path, "instructions")
    event = to_event(shop)
    assert event.event == "context_update"
    assert event.payload.keys() == {"content", "source", "origin"}, "no name and no key, so no context"
    assert (event.payload["origin"], event.payload["source"]) == ("CLAUDE.md", "import:instructions")
    assert "Loremark's own" not in shop.content
    assert [(item.type, item.title) for item in extracted(shop)] == [
        ("convention", "Shop: Run everything through `make`"),
        ("convention", "Shop: Tests use real databases; nothing of ours is mocked"),
        ("convention", "Slow ones: Mark tests that take longer than a second as slow"),
    ]
    (rule,) = extracted(handlers)
    assert (rule.title, rule.files) == (
        "A handler validates its input first and never talks to the database itself",
        ("src/routes.ts",),
    )
    assert handlers.files == ("src/api/**/*.ts", "src/routes.ts")


def test_mirrored_instruction_files_are_one_document(tmp_path: Path) -> None:
    shared = "# Rules\n\n- Never push to `main` without a review\n- Use the ledger for all amounts\n"
    (tmp_path / "CLAUDE.md").write_text(shared)
    (tmp_path / "GEMINI.md").write_text(shared + "- Answer in English, always\n")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    (tmp_path / ".windsurfrules").write_text("# Other\n\nTabs are required in Makefiles, spaces elsewhere.\n")
    other, rules = notes_in(tmp_path, "instructions")
    assert (other.origin, rules.origin) == (".windsurfrules", "GEMINI.md, CLAUDE.md")
    assert rules.content.count("Never push") == rules.content.count("Answer in English") == 1


def test_a_long_instruction_file_is_split_at_its_headings(tmp_path: Path) -> None:
    sections = [f"## Part {number}\n\n{'- Never touch generated files.' * 300}\n" for number in range(12)]
    (tmp_path / "CLAUDE.md").write_text("# Guide\n\n" + "\n".join(sections))
    notes = notes_in(tmp_path / "CLAUDE.md")
    assert len(notes) == 3
    assert all(len(note.content) <= 50_000 and note.content.startswith("# Guide") for note in notes)
    assert sum(note.content.count("## Part") for note in notes) == 12


def test_decisions_and_their_status(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0001-use-postgresql.md").write_text(samples.MADR)
    (folder / "0002-sessions.md").write_text(samples.NYGARD)
    (folder / "README.md").write_text("# Decisions\nAll of them.\n")
    (first,), (second,) = map(extracted, notes_in(tmp_path, "adr"))
    assert (first.title, first.type, first.status, first.confidence) == (
        "Use PostgreSQL for orders",
        "decision",
        "draft",
        0.9,
    )
    assert "because it keeps what it has acknowledged" in first.content
    assert (second.title, second.status) == ("Keep sessions in memory", "deprecated")
    assert second.content.startswith("Status: Superseded by")


def test_a_memory_bank_becomes_contexts(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    (bank / "features").mkdir(parents=True)
    for name in ("projectbrief", "productContext", "activeContext", "systemPatterns", "techContext", "progress"):
        (bank / f"{name}.md").write_text(f"# {name} of the shop\nText.\n")
    (bank / "features" / "cartRules.md").write_text("Rules of the cart.\n")
    for path in (bank, tmp_path):
        keys = {note.schema_key: note.title for note in notes_in(path, "cline")}
        assert set(keys) == {
            *("root/project", "root/product", "root/active", "root/patterns", "root/tech", "root/progress"),
            "root/features/cart-rules",
        }
    event = to_event(notes_in(bank)[0])
    assert event.event == "context_update"
    assert {"schemaKey", "name", "content", "source"} <= event.payload.keys()


@pytest.mark.parametrize("old", [False, True])
def test_claude_mem_databases_of_all_versions(tmp_path: Path, old: bool) -> None:
    path = samples.claude_mem(tmp_path / "claude-mem.db", old=old)
    before = path.read_bytes()
    notes = notes_in(path, "claude-mem")
    assert [(note.type, note.title) for note in notes[:2]] == [
        ("bug", "Cart lost items"),
        ("decision", "Redis for sessions"),
    ]
    assert "- Keyed by user now" in notes[0].content
    assert notes[0].files == (() if old else ("src/cart.py",))
    assert [note.kind for note in notes] == (["item"] * 3 if old else ["item"] * 3 + ["session"])
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["claude-mem.db"]


def test_basic_memory_notes(tmp_path: Path) -> None:
    (tmp_path / "coffee.md").write_text(samples.BASIC_NOTE)
    (tmp_path / "plain.md").write_text("---\ntitle: Plain\npermalink: guides/plain\n---\nJust prose.\n")
    notes = notes_in(tmp_path, "basic-memory")
    assert [(note.title, note.type) for note in notes] == [
        ("Pour over gives more clarity", "convention"),
        ("We buy beans from one roaster", "decision"),
        ("Plain", "implementation"),
    ]
    assert notes[0].content == "Pour over gives more clarity\n\n(tested in May)"
    assert notes[0].tags == ("pour-over", "coffee", "brewing")
    assert notes[0].schema_key == "root/guides/coffee-brewing"


def test_mem0_exports_in_both_formats(tmp_path: Path) -> None:
    markdown = tmp_path / "mem0-export-shop-2026.md"
    markdown.write_text(samples.MEM0)
    first, second = notes_in(markdown, "mem0")
    assert (first.type, first.confidence, first.files) == ("decision", 0.85, ("src/pay.py",))
    assert (first.tags, first.schema_key) == (("payments", "stripe"), "root/payments")
    assert (second.type, second.content) == ("bug", "Do not log card numbers.")
    document = tmp_path / "export.json"
    entry = {"id": "1", "memory": "We prefer tabs.", "categories": ["preferences"], "metadata": {"confidence": 0.7}}
    for whole in ([entry], {"results": [entry]}, {"memories": [entry]}):
        document.write_text(json.dumps(whole))
        (note,) = notes_in(document, "mem0")
        assert (note.type, note.confidence, note.title) == ("convention", 0.7, "We prefer tabs.")


def test_mcp_memory_files_in_both_formats(tmp_path: Path) -> None:
    lines = samples.write_lines(tmp_path / "memory.jsonl", samples.MCP_RECORDS)
    entities = [{name: value for name, value in each.items() if name != "type"} for each in samples.MCP_RECORDS[:2]]
    document = tmp_path / "memory.json"
    document.write_text(json.dumps({"entities": entities, "relations": samples.MCP_RECORDS[2:]}))
    for path in (lines, document):
        first, second = notes_in(path, "mcp-memory")
        assert (first.title, first.type) == ("Order service", "architecture")
        assert first.content == "- Written in Go\n- Owns orders"
        assert second.content == "- Ana maintains Order_service"
