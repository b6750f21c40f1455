"""Saved changes are kept however short, with their stated type, and do not hide the rest of the event."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.memory.extraction.extract import Extraction, extract
from loremark.memory.items import Item, RawEvent

SHORT = [
    ("decision", "Use JWT", "We use JWT for auth."),
    ("decision", "Use JWT", "Use JWT"),
    ("bug", "Fixed null pointer", "Fixed null pointer in user service"),
    ("todo", "Add tests", "Add tests for the parser"),
    ("feature", "Add login", "Added login form"),
    ("decision", "Test decision", "This is a test decision"),
    ("decision", "Test decision", "Test decision"),
    ("decision", "Item 7", "Content 7"),
    ("convention", "Use black", "Code is formatted with black."),
    ("pattern", "Use hooks", "Use hooks for state"),
    ("bug", "Slow list", "The list seems slow, maybe an index is missing."),
    ("decision", "Use Kafka", "We will probably use Kafka for events."),
    ("decision", "使用缓存", "我们使用缓存来加速。"),
]
EMPTY = [
    ("decision", "Done", "Everything works"),
    ("decision", "Hello", "hi there"),
    ("decision", "Status", "All tests pass"),
    ("bug", "Fix", "Fixed it"),
    ("feature", "Improvements", "Improved code quality and maintainability across several files."),
    ("implementation", "Changes", "Made some changes"),
    ("decision", "Test run", "collected 12 items\n12 passed in 3.2s"),
    ("bug", "Traceback", 'Traceback (most recent call last):\n  File "a.py", line 3'),
    ("bug", "Fix typo", "Fixed typo in README"),
    ("feature", "Worked on login", "Worked on login"),
    ("chore", "Add tests", "Add tests for the parser"),
    ("status", "Use JWT", "We use JWT for auth."),
]
CONFIRMED_TYPES = [
    ("decision", "Cache layer", "The cache layer stores results in Redis."),
    ("convention", "Cache layer", "The cache layer stores results in Redis."),
    ("decision", "API versioning", "All endpoints are prefixed with /api/v2."),
    ("decision", "Rate limiting", "The API limits each key to 100 requests per minute."),
    ("decision", "Use Redis", "We use Redis for sessions because Memcached lost them."),
    ("todo", "Add metrics", "Add Prometheus metrics to the worker."),
    ("todos", "Refactor auth", "Refactor the auth module into smaller files."),
    ("bug", "Wrong total", "The total was computed without tax."),
    ("architecture", "Event bus", "We use Kafka as the event bus."),
    ("implementation", "CSV export", "Orders can be exported as CSV."),
    ("codemap", "Models", "The models folder has the database models."),
]
OVERRIDDEN_TYPES = [
    ("bug", "decision", "Invoices were off by a cent when a line had three tax rates, since each was rounded alone."),
    ("todo", "implementation", "Only the German check exists so far; Austria has to follow before the May launch."),
    ("codemap", "implementation", "The nightly jobs live in lib/toll/jobs, and config/runtime.exs has their schedule."),
]


def _save(*changes: tuple[str, str, str], **more: Any) -> Extraction:
    listed = [{"category": category, "title": title, "content": content} for category, title, content in changes]
    return extract(RawEvent("e1", "session_save", {"changes": listed, **more}))


@pytest.mark.parametrize("change", SHORT)
def test_saved_changes_are_kept_however_short(change: tuple[str, str, str]) -> None:
    (item,) = _save(change).items
    assert 0.86 < item.confidence < 0.9, "kept automatically, but only people approve it"
    assert item.title
    assert item.evidence


def test_a_short_title_is_kept() -> None:
    titles = [item.title for item in _save(("decision", "Use JWT", "We sign in with JWT."), SHORT[7]).items]
    assert titles == ["Use JWT", "Item 7"]


def test_many_short_changes_yield_as_many_items() -> None:
    assert len(_save(*(("decision", f"Item {n}", f"Content {n}") for n in range(25))).items) == 25
    scripts = [("decision", "缓存", "我们使用缓存来加速。"), ("decision", "队列", "任务都在队列里运行。")]
    assert len(_save(*scripts).items) == 2


@pytest.mark.parametrize("change", EMPTY)
def test_saved_status_and_output_is_not_kept(change: tuple[str, str, str]) -> None:
    assert _save(change).items == ()


@pytest.mark.parametrize("change", CONFIRMED_TYPES)
def test_the_stated_type_holds(change: tuple[str, str, str]) -> None:
    (item,) = _save(change).items
    assert (item.type, item.type_margin) == (change[0].rstrip("s"), None)


@pytest.mark.parametrize(("kind", "category", "content"), OVERRIDDEN_TYPES)
def test_clear_words_override_the_stated_type(kind: str, category: str, content: str) -> None:
    (item,) = _save((category, "Notes", content)).items
    assert item.type == kind
    assert item.type_margin is not None


def _titles(items: tuple[Item, ...]) -> list[str]:
    return [item.title for item in items]


def test_a_summary_is_read_next_to_saved_changes() -> None:
    found = _save(
        ("decision", "Use Redis", "We use Redis for sessions because Memcached lost them."),
        ("bug", "Leak of sockets", "The pool leaked sockets; fixed by closing them."),
        summary="Requests are validated with zod schemas in src/schemas.ts, never by hand.",
    )
    assert [item.files for item in found.items if "zod" in item.content] == [("src/schemas.ts",)]
    assert len(found.items) == 3


def test_entries_of_open_work_are_todos() -> None:
    steps = ["update docs", "ask Francis about autosave", "continue with the edit form", "fix what was broken", "none"]
    found = extract(RawEvent("e1", "session_save", {"summary": "Session recap.", "nextSteps": steps})).items
    assert [(item.type, item.type_margin) for item in found] == [("todo", None)] * 4
    assert _titles(extract(RawEvent("e1", "session_save", {"todos": ["n/a", {"title": "Rotate keys"}]})).items) == [
        "Rotate keys"
    ]


def test_a_stub_stays_if_the_summary_does_not_describe_it() -> None:
    unrelated = (
        "Worked on customer ids and the salting of customer ids all day, looked at many dashboards, then lunch out."
    )
    assert _titles(_save(("decision", "", "salt customer ids"), summary=unrelated).items) == ["salt customer ids"]
    full = (
        "The slow orders join was data skew, so one task ran for 55 minutes. We salt the customer ids of the largest "
        "shops now."
    )
    (item,) = _save(("decision", "", "salt customer ids"), summary=full).items
    assert "data skew" in item.content


def test_large_events_are_limited_with_a_warning() -> None:
    changes = [("decision", f"Use tool {n}", f"We use tool {n} for the job {n}.") for n in range(260)]
    fit = _save(*changes[:150])
    assert (len(fit.items), fit.warnings) == (150, ())
    cut = _save(*changes)
    assert len(cut.items) == 200
    assert "more than 200 items" in cut.warnings[0]
    findings = [{"title": f"Part {n}", "content": f"Part {n} of the house."} for n in range(220)]
    assert extract(RawEvent("e1", "scan_result", {"findings": findings})).warnings == cut.warnings
    long = _save(*((*change[:2], change[2] * 60) for change in changes[:100]))
    assert "too long" in long.warnings[0]
    whole = {"summary": "We use Redis.", "transcript": ["x" * 90_000] * 3}
    assert extract(RawEvent("e1", "session_save", whole)).warnings == (), "transcripts are not read"


def test_findings_with_a_title_and_a_text_are_items() -> None:
    findings = [
        {"layer": "product", "title": "A todo app", "content": "It is a todo app"},
        {"layer": "dataModel", "title": "DB", "content": "```sql\ncreate table a\n```"},
        {"layer": "product", "title": "Hello", "content": "hi"},
        {"layer": "product", "title": "", "content": "It is"},
    ]
    found = extract(RawEvent("e1", "scan_result", {"findings": findings})).items
    assert [(item.title, item.type) for item in found] == [("A todo app", "architecture"), ("DB", "codemap")]
    assert "create table a" in found[1].content
