"""Explicit memory operations are applied verbatim, and malformed ones are ignored."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.memory.extraction.extract import Extraction, event_texts, extract
from loremark.memory.extraction.results import ContextUpdate, Operation
from loremark.memory.items import RawEvent


def _operate(**payload: Any) -> Extraction:
    return extract(RawEvent("e1", "memory_operation", payload))


def _operate_signed_in(**payload: Any) -> Extraction:
    return extract(RawEvent("e1", "memory_operation", payload, actor_id="usr_1"))


def _update(**payload: Any) -> tuple[ContextUpdate, ...]:
    return extract(RawEvent("e1", "context_update", payload)).contexts


@pytest.mark.parametrize(
    "title",
    ["Decision: use X here", "We decided to use Kafka", "JIRA-123 Do it", "hello world.", "T" * 200, "`x`", "多语言"],
)
def test_titles_are_kept_as_sent(title: str) -> None:
    (item,) = _operate(operation="create", item={"title": f" {title}\n", "content": "Some text."}).items
    assert item.title == title
    changed = _operate(operation="update", itemId="i1", item={"title": title}).operations
    assert changed == (Operation("update", "i1", {"title": title}),)


def test_texts_are_kept_completely() -> None:
    content = "# Head\n\n- a\tb\n" + "A long text. " * 15_000
    raw = RawEvent("e1", "memory_operation", {"operation": "create", "item": {"title": "Whole", "content": content}})
    (item,) = extract(raw).items
    assert item.content == content.strip()
    assert all(any(quote.quote in text for text in event_texts(raw)) for quote in item.evidence)
    (operation,) = _operate(operation="update", itemId="i1", item={"content": content}).operations
    assert operation.changes == {"content": content.strip()}


def test_only_control_characters_and_excess_length_are_removed() -> None:
    (item,) = _operate(
        operation="create", item={"title": "a\x00b\nc" + "d" * 300, "content": "x\r\ny\x07z" * 50_000}
    ).items
    assert (item.title[:5], len(item.title), item.title[-1]) == ("ab cd", 200, "…")
    assert (item.content[:4], len(item.content)) == ("x\nyz", 200_000)


def test_only_a_missing_title_is_derived() -> None:
    untitled = {"content": "We decided to use Kafka. It is durable."}
    assert [item.title for item in _operate(operation="create", item=untitled).items] == ["Use Kafka"]
    code = {"content": "```\nmake all\n```"}
    assert [(item.title, item.content) for item in _operate(operation="create", item=code).items] == [
        ("make all", code["content"])
    ]


@pytest.mark.parametrize(
    ("source", "signed_in", "signed"),
    [
        ("", 0.95, 0.85),
        ("cli", 0.95, 0.85),
        ("dashboard", 0.95, 0.85),
        ("mcp", 0.85, 0.85),
        ("mcp:codex", 0.85, 0.85),
        ("import:mem0", 0.85, 0.85),
        ("import:adr", 0.9, 0.85),
        ("import:instructions", 0.72, 0.72),
    ],
)
def test_a_claim_only_lowers_a_confidence(source: str, signed_in: float, signed: float) -> None:
    item = {"title": "Sessions live in Redis", "content": "Sessions live in Redis for a day."}
    for operate, most in ((_operate_signed_in, signed_in), (_operate, signed)):
        for claim, expected in (({}, most), ({"confidence": 1.0}, most), ({"confidence": 0.3}, 0.3)):
            (created,) = operate(operation="create", item=item | claim, source=source).items
            assert created.confidence == expected


@pytest.mark.parametrize("given", [7, -1, "high", True, None, [], 1e400])
def test_invalid_confidences_are_ignored(given: Any) -> None:
    (item,) = _operate(operation="create", item={"title": "Sessions live in Redis", "confidence": given}).items
    assert item.confidence == 0.85
    assert _operate(operation="update", itemId="i1", item={"confidence": given}).operations == ()


@pytest.mark.parametrize(
    "payload",
    [
        {"operation": 5, "item": "str"},
        {"operation": ["create"], "item": {"title": "A title"}},
        {"operation": {}, "itemId": "i1"},
        {"operation": "create", "item": 5},
        {"operation": "create", "item": {"title": 5, "content": ["a"]}},
        {"operation": "create", "item": {"title": " \x00 "}},
    ],
)
def test_unknown_operations_do_nothing(payload: dict[str, Any]) -> None:
    assert _operate(**payload) == Extraction(())


def test_a_context_is_named_by_its_key_or_its_name() -> None:
    assert _update(schemaKey="root/journal", content="New", append=True) == (
        ContextUpdate("root/journal", "", "New", append=True, context_type=None, tier=None),
    )
    assert _update(name="My Journal", tier=1) == (
        ContextUpdate("root/my-journal", "My Journal", None, append=False, context_type=None, tier=1),
    )
    assert _update(schemaKey="root/journal", content="")[0].content == ""
    assert _update(schemaKey="root/journal", content=["no", "text"])[0].content is None
    assert _update(content="Neither key nor name") == _update(schemaKey="///", content="x") == ()
