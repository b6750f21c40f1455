"""Items from documents: instruction files, memory banks, decision records and other contexts."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.memory.dedup import classify_pair
from loremark.memory.extraction.extract import extract
from loremark.memory.extraction.markdown_blocks import parse_sections
from loremark.memory.items import Item, RawEvent


def _items(content: str, source: str = "import:instructions", **more: Any) -> list[Item]:
    payload = {"content": content, "source": source, **more}
    return list(extract(RawEvent("e1", "context_update", payload, actor_id="usr_1")).items)


def _stated(content: str, **more: Any) -> list[tuple[str, str]]:
    return [(item.type, item.title) for item in _items(content, **more)]


RULES = """# Repository Guidelines

This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository.
@AGENTS.md
See [the handbook](docs/handbook.md) for details.

<important>
</important>

## Error Handling

- Catch `SecurityException` silently when querying the calendar
  provider (permission not granted)
- Return empty lists, do not throw
- Should we log it?

### Don't

- Use `any` in **new** code (`src/**/*.ts` only)

## Known Issues

- The `failed_app` table grows without limit, because nothing deletes old rows.

## Commands

```bash
npm test              # all tests
npm test -- cart      # one file
```

## Project Structure

- `src/app.py` - starts the server
- `src/db/` - database access
- `tests/` - tests

## Tech Stack

- Python 3.12
- FastAPI

## Next Steps

- [x] Move `carts` to Redis
- [ ] Replace `moment` with `date-fns`
- [ ] Improve the documentation
"""


def test_each_rule_of_a_list_is_an_item_with_its_heading() -> None:
    assert _stated(RULES) == [
        (
            "convention",
            "Error Handling: Catch `SecurityException` silently when querying the calendar provider "
            "(permission not granted)",
        ),
        ("convention", "Error Handling: Return empty lists, do not throw"),
        ("convention", "Error Handling: Don't: Use `any` in new code (`src/**/*.ts` only)"),
        ("bug", "Known Issues: The `failed_app` table grows without limit, because nothing deletes old rows"),
        ("convention", "Repository Guidelines: Commands: `npm test`, …"),
        ("todo", "Next Steps: Replace `moment` with `date-fns`"),
    ]


def test_the_text_of_a_rule_is_whole_and_verbatim() -> None:
    wrapped, _, reversed_rule, *_ = _items(RULES)
    assert wrapped.content == (
        "Catch `SecurityException` silently when querying the calendar provider (permission not granted)"
    )
    (quote,) = wrapped.evidence
    assert " ".join(quote.quote.split()) == wrapped.content
    assert quote.quote in RULES
    assert reversed_rule.content == "Don't: Use `any` in **new** code (`src/**/*.ts` only)"


def test_what_belongs_together_stays_together() -> None:
    found = _items(
        "## Database\n\n"
        "Devices share the SPI bus, so every access must take the lock:\n\n```c\nif (lock()) { use(); }\n```\n\n"
        "## Adding a service\n\n1. Create `compose/x.yml`\n2. Add a route in `Caddyfile`\n\n"
        "## Microphone\n\n- **Pins:** GPIO 2, 4 and 18\n- **Port:** I2S_NUM_0\n\n"
        "## Release\n\nBefore every release:\n- Run `make e2e`\n- Tag the commit\n"
    )
    assert [item.title for item in found] == [
        "Database: Devices share the SPI bus, so every access must take the lock",
        "Adding a service",
        "Microphone",
        "Before every release",
    ]
    assert "if (lock()) { use(); }" in found[0].content
    assert found[1].content == "1. Create `compose/x.yml`\n2. Add a route in `Caddyfile`"
    assert found[2].content == "- **Pins:** GPIO 2, 4 and 18\n- **Port:** I2S_NUM_0"
    assert [item.type for item in found] == ["convention", "convention", "architecture", "convention"]


DECISIONS = """# Decision Log

## 2025-02-27 - Identifiers of jobs

**Context:** The `id` of `JobData` was a UUID, which one partner cannot send.

**Decision:**
- Use `Optional[str]` for the `id`.

**Rationale:** Strings hold UUIDs too.

## First review

1. **MongoDB**
   - **Decision:** MongoDB is the primary database.
   - **Rationale:** Applications have no fixed structure.
2. **RabbitMQ**
   - **Decision:** Notifications go through RabbitMQ.
   - **Rationale:** Sending mail must not block a request.
"""


def test_a_decision_keeps_its_reason() -> None:
    ids, mongo, rabbit = _items(DECISIONS, source="import:cline", origin="decisionLog.md")
    assert (ids.type, ids.title) == ("decision", "Identifiers of jobs")
    assert "Use `Optional[str]`" in ids.content
    assert "Strings hold UUIDs too." in ids.content
    assert (mongo.type, rabbit.type) == ("decision", "decision")
    assert "no fixed structure" in mongo.content
    assert "must not block a request" in rabbit.content


@pytest.mark.parametrize(
    ("status", "expected", "confidence"),
    [("Accepted", "draft", 0.9), ("Superseded by 0007", "deprecated", 0.9), ("Proposed", "draft", 0.6)],
)
def test_a_decision_record_is_one_item(status: str, expected: str, confidence: float) -> None:
    long = "It needs one sentence about the past and then another one. " * 20
    record = (
        f"# ADR-012: Use Redis for carts\n\n**Status:** {status}  \n**Date:** 2026-01-02\n\n## Context\n\n{long}\n\n"
        "## Considered Options\n\n- Redis\n- Cookies: rejected, they are too small\n\n"
        "## Decision\n\nCarts live in Redis with a TTL\nof 7 days.\n\n### Keys\n\n- `cart:{id}`\n\n"
        "## Consequences\n\n- A restart of Redis loses carts.\n\n## References\n\n- https://redis.io\n"
    )
    (item,) = _items(record, source="import:adr")
    assert (item.type, item.title, item.status) == ("decision", "Use Redis for carts", expected)
    assert item.confidence == confidence
    assert "## Decision\nCarts live in Redis with a TTL of 7 days.\n\n### Keys\n- `cart:{id}`" in item.content
    assert "A restart of Redis loses carts." in item.content
    assert "Cookies: rejected" in item.content
    assert "redis.io" not in item.content
    assert item.content.index("## Decision") < 400
    assert _items("# ADR-000: Title\n\n## Context\n\n## Decision\n\nTBD\n", source="import:adr") == []


def test_reports_of_work_leave_only_decisions() -> None:
    progress = (
        "# Progress\n\n## Completed\n\n- Fixed the `login` redirect in `auth.py`\n\n"
        "## Current Focus\n\n- Export of `csv`\n\n"
        "## Decisions\n\n- Exports are capped at 10,000 rows because the client freezes.\n"
    )
    found = _stated(progress, source="import:cline", origin="progress.md")
    assert found == [("decision", "Decisions: Exports are capped at 10,000 rows because the client freezes")]
    assert _stated("# Notes\n\n- Returns `csv` only\n", source="import:cline", origin="tasks/SHOP-12.md") == []
    jobs = {"name": "Background jobs", "content": "Never reorder jobs of one device."}
    assert _stated(**jobs, source="api") == [("convention", "Background jobs: Never reorder jobs of one device")]


def test_statements_of_one_document_are_neither_merged_nor_in_conflict() -> None:
    short, long = _items("## Timeouts\n\n- Uploads must time out after 30 s\n- Downloads must time out after 60 s\n")
    short, long = (
        Item(**{name: getattr(item, name) for name in item.__slots__} | {"origins": ("context_update",)})
        for item in (short, long)
    )
    assert classify_pair(short, long, 0.99) == "different"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a (b\n+ c)\n- d", [("paragraph", "a (b + c)"), ("list", "")]),
        ("Title\n=====\n\ntext", [("paragraph", "text")]),
        ("\\```mermaid\na --> b\n\\```\nend", [("code", "a --> b"), ("paragraph", "end")]),
        ("| a |\n|---|\n| b |\n\n---\n\n> q\n> r", [("table", "| a |\n|---|\n| b |"), ("paragraph", "q r")]),
        ("<!-- no\nno -->\n<tag>\nyes\n</tag>", [("paragraph", "yes")]),
        ("---\na: b\n---\ntext", [("paragraph", "text")]),
        ("- a\n  - b\n\n  c\n- d:\n```\ne\n```", [("list", "")]),
    ],
)
def test_blocks(source: str, expected: list[tuple[str, str]]) -> None:
    found = [(block.kind, block.text) for section in parse_sections(source) for block in section.blocks]
    assert found == expected


def test_a_quote_of_code_ends_at_a_control_character() -> None:
    (item,) = _items("## Rules\n\nNever log tokens:\n\n```py\nlog(token)  # wrong\x00\n```\n")
    assert [quote.quote for quote in item.evidence] == ["Never log tokens:", "```py\nlog(token)  # wrong"]


def test_code_without_words_is_not_an_item() -> None:
    found = _items("## Memory\n\n### Allocation\n\n```c\nuint8_t* buffer = (uint8_t*)ps_malloc(size);\n```\n")
    assert found == []


def test_a_title_is_not_cut_inside_code() -> None:
    (found,) = _items("## Checks\n\n- The quick check is `. .venv/activate && ./run.sh -fast` before every commit.\n")
    assert found.title == "The quick check is `. .venv/activate && ./run.sh -fast` before every commit"
