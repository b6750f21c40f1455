"""What a tight budget is spent on. Run with ``-s`` to print the table of docs/research/brain-budget.md."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loremark.memory.brain.document import Document
from loremark.memory.brain.entries import Entry, Text, context_origin, item_origin
from loremark.memory.brain.excerpts import excerpt
from loremark.memory.brain.selection import RankedEntries
from loremark.ports.llm.tokens import count
from tests.memory.test_brain import assemble, entry_with_text
from tests.support.properties import examples

_ADR = """## Context

{context}

## Decision Drivers

- {drivers}

## Decision Outcome

{decision}

## Consequences

{context}"""
_VERBS = ("keeps", "rejects", "retries", "caches", "signs", "splits", "locks", "batches", "orders", "validates")
_NOUNS = ("invoice", "session", "upload", "webhook", "tenant", "cursor", "ledger", "export", "quota", "thumbnail")
_REASONS = (
    "because the queue delivers twice after a restart",
    "since `pg_dump` blocked writers for 40 seconds",
    "so that a client can repeat a request without a second charge",
    "otherwise the index of `billing_events` no longer fits into memory",
    "because two workers raced in `claim_next()` and both sent the mail",
)


def _sentence(rng: random.Random) -> str:
    return (
        f"The {rng.choice(_NOUNS)} service {rng.choice(_VERBS)} every {rng.choice(_NOUNS)} {rng.choice(_REASONS)}, "
        f"measured at {rng.randint(2, 900)} ms."
    )


def _paragraph(rng: random.Random, sentences: int) -> str:
    return " ".join(_sentence(rng) for _ in range(sentences))


def sample_project() -> list[tuple[Entry, Text, str]]:
    """A project with everything approved: entries with their texts and what they are."""
    rng = random.Random(11)
    made: list[tuple[Entry, Text, str]] = []

    def add(label: str, title: str, content: str, **fields: object) -> None:
        made.append((*entry_with_text(title, content, **fields), label))

    for number in range(60):
        kind, tier = (("architecture", 1), ("codemap", 3), ("convention", 1))[number % 3]
        rows = "\n".join(
            f"- `src/{rng.choice(_NOUNS)}/{rng.choice(_NOUNS)}_{row}.py`: {rng.randint(20, 900)} lines"
            for row in range(rng.randint(3, 14))
        )
        content = f"Scanned part {number} has {rng.randint(3, 90)} files.\n\n{rows}"
        add(
            "scan finding",
            f"Layout of part {number}: packages, frameworks and files",
            content,
            type=kind,
            tier=tier,
            confidence=0.85,
            schema_key=f"root/{kind}/{number % 5}",
            origin="scan",
        )
    for number in range(40):
        title = f"Rule {number}: {_NOUNS[number % 10]}s"
        add("rule", title, _paragraph(rng, rng.randint(1, 4)), type="convention", tier=1, confidence=0.72)
    for number in range(80):
        title = f"Decision {number}: {rng.choice(_VERBS)} the {rng.choice(_NOUNS)}"
        if number % 10 == 0:
            content = _ADR.format(
                context=_paragraph(rng, 9), drivers=_sentence(rng), decision=f"Chosen option {number}. {_sentence(rng)}"
            )
            add("ADR", title, content, confidence=0.9, schema_key="root/decisions")
        else:
            add("decision", title, _paragraph(rng, rng.randint(1, 3)), confidence=0.9, schema_key="root/decisions")
    for number in range(47):
        title = f"Bug {number}: {rng.choice(_NOUNS)} lost"
        add("bug", title, _paragraph(rng, rng.randint(1, 3)), type="bug", confidence=0.9, schema_key="root/bugs")
    for number in range(10):
        kind, tier = (("decision", 2), ("convention", 1), ("bug", 2), ("implementation", 2), ("todo", 3))[number % 5]
        add(
            "explicit save",
            f"Saved {number}: {rng.choice(_NOUNS)}",
            _paragraph(rng, rng.randint(1, 3)),
            type=kind,
            tier=tier,
            confidence=0.95,
            origin="saved",
        )
    return made


def shown(document: Document, made: list[tuple[Entry, Text, str]]) -> Counter[str]:
    return Counter(label for _, text, label in made if f"- **{text.title}**" in document.markdown)


def test_sample_project() -> None:
    made = sample_project()
    memory = [(entry, text) for entry, text, _ in made]
    total = Counter(label for _, _, label in made)
    for budget in (2_200, 4_000, 6_000, 12_000):
        document = assemble(memory, budget)
        found = shown(document, made)
        decisions = sum(f"Chosen option {number}." in document.markdown for number in range(0, 80, 10))
        print(budget, document.tokens, dict(found), f"ADRs with their decision: {decisions}")
        assert found["explicit save"] == 10
        assert found["ADR"] == decisions > 0
        assert min(found["rule"], found["decision"] + found["ADR"], found["bug"]) >= budget // 600
        everything = all(found[label] == number for label, number in total.items() if label != "scan finding")
        assert everything or not found["scan finding"]


_lengths = st.one_of(st.integers(1, 40), st.integers(40, 3_000))
_titles = st.text("abc déß漢🪨 `<*", min_size=1, max_size=200)


@st.composite
def _entries(draw: st.DrawFn, /, number: int, **fields: object) -> tuple[Entry, Text]:
    title = f"E{number} {draw(_titles)}"[:200]
    content = (draw(st.sampled_from(["Some words. ", "漢字", "`code` <b> ", "## Decision\nIt is so. "])) * 3_000)[
        : draw(_lengths)
    ]
    files = tuple(draw(st.lists(st.just("src/" + "deep/" * 50 + "file.py"), max_size=4)))
    known = {
        "type": draw(
            st.sampled_from(["architecture", "convention", "decision", "bug", "todo", "codemap", "implementation"])
        ),
        "tier": draw(st.integers(1, 3)),
        "schema_key": draw(
            st.sampled_from(["root", "root/api", "root/billing/ledger", "root/" + "abcdefgh/" * 6 + "x"])
        ),
        "origin": draw(st.sampled_from(["saved", "scan", "other", "other"])),
        "confidence": draw(st.floats(0, 1)),
    }
    entry, _ = entry_with_text(title, content, **(known | fields))
    return entry, Text(title, content, files)


@st.composite
def _memories(draw: st.DrawFn) -> list[tuple[Entry, Text]]:
    memory = [
        draw(_entries(number, type=kind, origin=draw(st.sampled_from(["saved", "other"]))))
        for number, kind in enumerate(("convention", "decision", "bug"))
    ]
    memory += [draw(_entries(number)) for number in range(3, draw(st.integers(3, 40)))]
    # The sequence of ids must not follow that of the entries.
    return draw(
        st.permutations([(entry._replace(id=f"itm_{at:026}"), text) for at, (entry, text) in enumerate(memory)])
    )


@settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(_memories(), st.one_of(st.just(1_000), st.integers(1_000, 8_000)), st.data())
def test_any_mix_shows_rules_decisions_and_bugs_and_no_finding_instead_of_a_save(
    memory: list[tuple[Entry, Text]], budget: int, data: st.DataObject
) -> None:
    near = data.draw(st.sampled_from([{}, {entry.id: at % 2 for at, (entry, _) in enumerate(memory[:5])}]))
    document = assemble(memory, budget, near=near)
    assert document.tokens == count(document.markdown) <= budget
    assert document == assemble(list(reversed(memory)), budget, near=near)
    included = {(entry.type, entry.origin) for entry, text in memory if _is_in(document, text)}
    if not near:
        assert {"convention", "decision", "bug"} <= {kind for kind, _ in included}
    if any(origin == "scan" for _, origin in included):
        assert all(_is_in(document, text) for entry, text in memory if entry.origin == "saved")


def _is_in(document: Document, text: Text) -> bool:
    """Titles start with a unique number."""
    return f"- **{text.title.split()[0]} " in document.markdown or f"- **{text.title.split()[0]}**" in document.markdown


def test_types_without_entries_leave_their_share_to_the_others() -> None:
    rules = [
        entry_with_text(f"Rule {n}", "Because of this and that. " * 8, type="convention", tier=1) for n in range(60)
    ]
    document = assemble(rules, 2_000)
    assert document.tokens > 1_900


def test_findings_of_scans_come_last_even_for_requested_files() -> None:
    finding = entry_with_text("Everything in src", tier=1, type="architecture", origin="scan")
    todo = entry_with_text("Something else", tier=3, type="todo")
    order = RankedEntries([finding[0], todo[0]], {finding[0].id: 0}).order(2_000)
    assert [entry.type for entry in order] == ["todo", "architecture"]


def test_origins() -> None:
    assert item_origin(["scan", "saved"]) == "saved"
    assert item_origin(["product", "scan"]) == "scan"
    assert item_origin(["scanner"]) == "other"
    keys = ("root/codebase", "root/codebase/directories/src", "root/codebases")
    assert [context_origin(key) for key in keys] == ["scan", "scan", "other"]


@pytest.mark.parametrize(
    "heading",
    [
        "## Decision\n",
        "## Decision Outcome\n\n",
        "### 3. Decision ###\n",
        "**Decision:** ",
        "Decision: ",
        "Decision\n--------\n",
        "__Decision__\n",
    ],
)
def test_excerpts_of_long_records_start_at_the_decision(heading: str) -> None:
    context = "The context of the decision is long. Decision drivers are many.\n\n## Decision drivers\n\n- Time\n\n"
    assert excerpt(f"{context}{heading}Use rows. Not files.") == "Use rows. Not files."
    record = entry_with_text(
        "Storage", f"{context * 40}{heading}Use rows. Not files.\n\n## Consequences\n\n{context * 40}"
    )
    filler = [entry_with_text(f"Filler {n}", "It is so because of that. " * 6, confidence=0.1) for n in range(40)]
    assert "(decision, shortened)\n\n  Use rows. Not files." in assemble([record, *filler], 2_000).markdown


def test_a_text_without_a_decision_starts_at_its_beginning() -> None:
    for content in ("No section here.", "Decision drivers: time.", "It was a decision\nof many.", "## Decision\n", ""):
        assert excerpt(content) == content
