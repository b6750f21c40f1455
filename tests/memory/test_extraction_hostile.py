"""Extraction from arbitrary input: no errors, bounded output, verbatim quotes, and subquadratic time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory import schema_keys
from loremark.memory.extraction.extract import Extraction, event_texts, extract
from loremark.memory.extraction.type_rules import TYPES
from loremark.memory.items import TIER_OF_TYPE, RawEvent
from tests.growth import Work, assert_subquadratic
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(150), deadline=None, database=None)
EVENTS = ("session_save", "git_digest", "scan_result", "context_update", "memory_operation", "unheard_of")
FIELDS = """
    summary changes category title content files branch defaultBranch commits sha message diff author date path status
    oldPath findings layer importance hash deleted name schemaKey append tier contextType operation itemId item type
    confidence mergedBranches git repo root tags decisions nextSteps body
""".split()  # noqa: SIM905
PROSE = st.lists(
    st.sampled_from(
        [
            "We decided to use Redis because sessions were lost.",
            "fix(auth): ",
            "TODO: ",
            "- ",
            "\n\n",
            "\n",
            "## Decisions\n",
            "\n\n| option | verdict |\n|---|---|\n| **ours** | chosen |\n\n",
            "All tests pass.",
            "Shall we?",
            "```\n",
            "src/a.py",
            "C:\\x\\y.cs",
            "Merge branch 'x' into y",
            "diff --git a/x.py b/x.py\ndeleted file mode 100644\n",
            "Never log tokens; nothing may leave.",
            "feat!: drop support for Node 16",
            "\x00",
            "é…“”",
            "**bold** [a](b.md) ",
            "update",
            "create",
        ]
    ),
    max_size=12,
).map(" ".join)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60) | PROSE
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=30,
)
PAYLOADS = st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8)


def _check(found: Extraction, event: RawEvent) -> None:
    texts = event_texts(event)
    assert len(found.items) <= 200
    is_verbatim = event.event == "memory_operation"
    for item in found.items:
        assert 1 <= len(item.title) <= (200 if is_verbatim else 140)
        assert item.title == item.title.strip()
        assert "\n" not in item.title
        assert 1 <= len(item.content) <= (200_000 if is_verbatim else 2_000)
        assert item.type in TYPES
        assert item.tier == TIER_OF_TYPE[item.type]
        assert schema_keys.is_valid(item.schema_key)
        assert 0 <= item.confidence <= 1
        assert len(item.files) <= 50
        assert all(len(path) <= 300 and not path.startswith("/") for path in item.files)
        assert len(item.tags) <= 5
        assert 1 <= len(item.evidence) <= 3
        for quote in item.evidence:
            assert 1 <= len(quote.quote) <= 300
            assert any(quote.quote in text for text in texts)
        all_text = "".join((item.title, item.content, *item.files, *(quote.quote for quote in item.evidence)))
        assert "\x00" not in all_text
    for context in found.contexts:
        assert schema_keys.is_valid(context.schema_key)
        assert context.name or event.payload["schemaKey"]


@PROPERTY
@given(event=st.sampled_from(EVENTS), payload=PAYLOADS)
def test_any_payload_is_accepted(event: str, payload: dict[str, Any]) -> None:
    raw = RawEvent("e1", event, payload)
    found = extract(raw)
    _check(found, raw)
    assert extract(raw) == found


@PROPERTY
@given(
    heading=st.sampled_from(
        ("# Decision", "## Decision session: what now?", "# Incident 7", "## ADR 3", "# Notes", "#")
    ),
    text=PROSE,
)
def test_an_empty_document_in_a_summary_is_accepted(heading: str, text: str) -> None:
    for summary in (heading, f"{heading}\n\n{text}", f"{heading}\n\nAll tests pass.\n{text}"):
        raw = RawEvent("e1", "session_save", {"summary": summary})
        _check(extract(raw), raw)


@PROPERTY
@given(texts=st.lists(PROSE, min_size=1, max_size=5))
def test_typical_payloads_with_any_words(texts: list[str]) -> None:
    for raw in _events_of(texts):
        _check(extract(raw), raw)


def _events_of(texts: list[str]) -> list[RawEvent]:
    changes = [
        {"category": words[:20], "title": words[:80], "content": words, "files": words.split()} for words in texts
    ]
    commits = [{"sha": "abcd1234", "message": words, "diff": words, "files": [words]} for words in texts]
    findings = [{"layer": "security", "title": words[:50], "content": words, "importance": 3} for words in texts]
    return [
        RawEvent("e1", "session_save", {"summary": " ".join(texts), "changes": changes, "branch": texts[0]}),
        RawEvent("e2", "git_digest", {"commits": commits, "branch": texts[0], "mergedBranches": texts}),
        RawEvent("e3", "scan_result", {"findings": findings, "files": [{"path": texts[0], "hash": "abcd"}]}),
        RawEvent("e4", "context_update", {"name": texts[0], "content": " ".join(texts), "schemaKey": texts[-1]}),
        RawEvent("e5", "memory_operation", {"operation": "create", "item": {"title": texts[0], "content": texts[-1]}}),
    ]


def test_deep_and_wide_payloads_are_bounded() -> None:
    deep: Any = "We decided to use Redis because sessions were lost."
    for _ in range(150):
        deep = {"changes": [deep]}
    assert extract(RawEvent("e", "session_save", deep)).items == ()
    wide = {
        "changes": [
            {"title": f"Use tool {n}", "content": f"We decided on tool {n} because of {n}."} for n in range(9_000)
        ]
    }
    found = extract(RawEvent("e", "session_save", wide))
    assert len(found.items) == 200
    assert found.warnings
    assert extract(RawEvent("e", "session_save", None)).items == ()  # type: ignore[arg-type]


def test_a_huge_diff_does_not_hide_the_commits_behind_it() -> None:
    why = "The clerks typed them in by hand because the old format had neither totals nor dates nor currencies."
    big = {"sha": "aaaa1111", "message": f"feat: import of invoices\n\n{why}", "diff": "+ line of code\n" * 100_000}
    fault = "Tax and sum had separate steps because an old report needed both."
    last = {"sha": "bbbb2222", "message": f"fix: totals were rounded twice\n\n{fault}"}
    found = extract(RawEvent("e", "git_digest", {"commits": [big, big, big, last]}))
    assert [item.title for item in found.items] == ["Import of invoices", "Totals were rounded twice"]


@pytest.mark.parametrize(
    "piece",
    [
        ".", "?!", "[(", "[a](b", "a/", "\\", "*", "`", " ", "\n", "- a\n", "all ", "A. ", "```\n", "a:", "1. ",
        "# a\n", "|", "\x00a", "at foo.bar(", "src/a.py:1 ", "never x y z; ",
        "We decided to use Redis because of latency. ",
        "All of the things in the place must be so. ", "tests all now still ", "fix the (", "Merge branch '", "<!-- ",
        "simplify a ", "remove redundant a", "document ", "a docs ",
    ],
)  # fmt: skip
@pytest.mark.sampled
def test_worst_cases_stay_subquadratic(piece: str) -> None:
    """The longest input is half of what is read from one field."""
    for build in (_one_save, _many_changes, _one_commit, _many_commits, _one_context):

        def prepare(size: int, repetition: int, build: Callable[[str], RawEvent] = build) -> Work:
            event = build(f"{repetition} {piece * (size // len(piece))}")
            return lambda: extract(event)

        assert_subquadratic(prepare, 8_000)


def _one_save(text: str) -> RawEvent:
    return RawEvent("e", "session_save", {"summary": text, "changes": [{"title": text[:900], "content": text}]})


def _many_changes(text: str) -> RawEvent:
    changes = [
        {"category": "bug", "title": f"Fix thing {number}", "content": part} for number, part in enumerate(_parts(text))
    ]
    return RawEvent("e", "session_save", {"changes": changes})


def _one_commit(text: str) -> RawEvent:
    commit = {"message": "fix: a thing\n\n" + text, "diff": text, "files": [text]}
    return RawEvent("e", "git_digest", {"commits": [commit]})


def _many_commits(text: str) -> RawEvent:
    return RawEvent("e", "git_digest", {"commits": [{"message": part} for part in _parts(text)]})


def _one_context(text: str) -> RawEvent:
    return RawEvent("e", "context_update", {"name": "n", "content": text})


def _parts(text: str) -> list[str]:
    return [text[start : start + 500] for start in range(0, len(text), 500)]
