"""Brain assembly within a budget: what is included, what is left out, and determinism."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loremark.memory.brain.document import Document, compose
from loremark.memory.brain.entries import Entry, Text, density, salience
from loremark.memory.brain.file_proximity import file_proximity
from loremark.memory.brain.header import Project, render_layer_zero, render_left_out
from loremark.memory.brain.selection import select_entries
from loremark.ports.llm.tokens import count
from tests.support.properties import examples

NOW_MS = 1_790_000_000_000
YEAR_MS = 365 * 24 * 3600 * 1000
Memory = Sequence[tuple[Entry, Text]]


def entry(number: int, text: Text, **fields: Any) -> Entry:
    known = Entry(
        id=f"itm_{number:026}",
        kind="item",
        tier=2,
        type="decision",
        schema_key="root/api",
        confidence=0.8,
        flags=(),
        token_count=count(f"{text.title}\n{text.content}"),
        updated_at_ms=NOW_MS,
        has_evidence=True,
        on_branch=False,
    )
    return known._replace(**fields)


def assemble(
    memory: Memory, budget: int, project: Project | None = None, near: dict[str, int] | None = None
) -> Document:
    entries = [each for each, _ in memory]
    texts = {each.id: text for each, text in memory}
    chosen = [
        (choice, texts[choice.entry.id] if choice.whole else _beginning(texts[choice.entry.id]))
        for choice in select_entries(entries, budget, near)
    ]
    return compose(project or Project("Kelpie"), entries, chosen, budget, count)


def _beginning(text: Text) -> Text:
    """The beginning of a text, as the store reads it for a shortened entry."""
    return replace(text, content=text.content[:8_000])


def entry_with_text(title: str, content: str = "It is so. It was always so.", **fields: Any) -> tuple[Entry, Text]:
    text = Text(title, content)
    return entry(crc32(title.encode()), text, **fields), text


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300)
pieces = st.sampled_from(
    [
        "# ",
        "## Layer 1: x\n",
        "```",
        "~~~",
        "`",
        "<!--",
        "-->",
        "---\n",
        "===\n",
        "\n",
        "\n\n",
        " ",
        "- ",
        "> ",
        "word ",
        "🪨",
        "漢字",
        "a" * 90,
        "[x]: y\n",
        "\u2028",
        "\r",
        "\t",
        "\\",
        "*",
        "sentence. ",
        "0123456789",
        "/",
        "\u202e",
        "é́",
    ]
)
hostile_texts = st.one_of(
    texts,
    st.lists(pieces, max_size=60).map("".join),
    st.lists(pieces, max_size=8).map("".join).map(lambda text: text * 40),
)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    memory = []
    for number in range(draw(st.integers(0, 25))):
        text = Text(draw(texts), draw(hostile_texts), tuple(draw(st.lists(texts, max_size=5))))
        fields = {
            "kind": draw(st.sampled_from(["item", "context"])),
            "tier": draw(st.integers(1, 3)),
            "type": draw(st.sampled_from(["architecture", "decision", "todo"])),
            "schema_key": draw(st.sampled_from(["root", "root/api", "root/api/auth", "a/b/c/d/e/f/g/h"])),
            "flags": tuple(draw(st.sets(st.sampled_from(["stale", "conflict", "low_confidence"])))),
            "on_branch": draw(st.booleans()),
        }
        memory.append((entry(number, text, **fields), text))
    return memory


budgets = st.one_of(st.integers(200, 1_000), st.integers(200, 20_000), st.sampled_from([200, 6_000, 200_000]))


@settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(memories(), budgets, texts, texts, texts)
def test_any_memory_stays_within_the_budget_and_the_structure(
    memory: Memory, budget: int, name: str, description: str, branch: str
) -> None:
    project = Project(name, description, "https://github.com/a/b" if branch else None, branch or None)
    document = assemble(memory, budget, project)
    assert document.tokens == count(document.markdown) <= budget
    shown = _entries(document)
    assert len(shown) + sum(document.omitted.values()) == len(memory)
    assert document.item_count <= len(shown)
    assert document == assemble(list(reversed(memory)), budget, project), "the input order does not matter"
    for line in document.markdown.splitlines():
        ours = re.fullmatch(
            r"|# .*|- (About|Repository|Branch|Memory): .*|## (Layer [0-3]: .*|Left out)|### [a-z0-9/-]+"
            r"|- \*\*.*|Over the budget: .*|  .*",
            line,
        )
        assert ours is not None, repr(line)
    headings = [line for line in document.markdown.splitlines() if line.startswith("## ")]
    assert headings == sorted(set(headings), key=lambda line: (line == "## Left out", line)), (
        "each layer once, in order"
    )


def _entries(document: Document) -> list[str]:
    return [line for line in document.markdown.splitlines() if line.startswith("- **")]


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(texts, hostile_texts), min_size=1, max_size=10))
def test_the_tokens_of_blocks_add_up(parts: list[tuple[str, str]]) -> None:
    """So the budget can be kept without counting the whole document again for each block."""
    from loremark.memory.brain.document import _entry, _section

    blocks: list[str] = []
    for number, (title, content) in enumerate(parts):
        text = Text(title, content)
        blocks += [_section("root/api"), _entry(entry(number, text), text, content, shortened=False)]
    assert count("".join(blocks)) == sum(count(block) for block in blocks)


@given(texts, texts, texts, st.integers(0, 10**9), st.integers(0, 10**9))
@settings(max_examples=examples(150), deadline=None)
def test_layer_zero_fits_the_smallest_budget(name: str, description: str, branch: str, items: int, more: int) -> None:
    project = Project(name * 3, description * 3, f"https://github.com/{branch}", branch * 5)
    note = render_left_out({1: items, 2: more, 3: more})
    for budget in (200, 200_000):
        head = render_layer_zero(project, items, more, budget, count)
        assert count(head) + count(note) <= 200
        assert "## Layer 0: project\n" in head


def test_within_a_layer_salience_per_token_decides() -> None:
    filler = [
        entry_with_text(f"Old rumour {number}", "It may be so or not. " * 10, confidence=0.2) for number in range(10)
    ]
    rule = entry_with_text("The law", "Never write twice.", confidence=1.0)
    document = assemble([*filler, rule], 400)
    assert "The law" in document.markdown
    assert document.omitted[2] > 0


def test_flagged_entries_are_marked_and_rank_lower() -> None:
    sure, text = entry_with_text("Sure")
    for flag, mark in (("stale", "stale"), ("conflict", "in conflict"), ("low_confidence", "low confidence")):
        flagged = sure._replace(flags=(flag,))
        assert salience(flagged) < 0.7 * salience(sure)
        assert f"- **Sure** (decision, {mark})\n" in assemble([(flagged, text)], 1_000).markdown


def test_newer_entries_rank_slightly_higher_and_later_entries_keep_the_order() -> None:
    old, _ = entry_with_text("Old", updated_at_ms=NOW_MS - 4 * YEAR_MS)
    new, _ = entry_with_text("New")
    assert salience(new) == pytest.approx(2 * salience(old))
    assert salience(new._replace(confidence=0.2)) < salience(old._replace(confidence=1.0)) * 2
    assert density(1.0, 20) > density(1.0, 200) > density(1.0, 200) / 2


def test_higher_layers_come_first() -> None:
    memory = [
        entry_with_text(f"Fact {tier} {number}", "It is so because of this. " * 8, tier=tier)
        for tier in (3, 2, 1)
        for number in range(10)
    ]
    small, large = assemble(memory, 700), assemble(memory, 200_000)
    assert small.omitted[2] == small.omitted[3] == 10
    assert 0 < small.omitted[1] < 10
    assert large.omitted == {1: 0, 2: 0, 3: 0}
    places = [large.markdown.index(f"## Layer {layer}") for layer in (0, 1, 2, 3)]
    assert places == sorted(places)


def test_a_huge_text_gets_only_the_remaining_budget() -> None:
    huge = entry_with_text("The whole manual", "Another sentence of the manual. " * 20_000, tier=1, kind="context")
    decision = entry_with_text("Rows, not files", tier=2)
    document = assemble([huge, decision], 2_000)
    assert document.omitted == {1: 0, 2: 0, 3: 0}
    assert "- **The whole manual** (shortened)\n\n  Another sentence of the manual." in document.markdown
    assert document.markdown.count("manual. …\n") == 1, "truncated at the end of a sentence and marked"
    assert 1_900 < document.tokens <= 2_000


def test_more_budget_never_shows_less() -> None:
    rng = random.Random(7)
    memory = [
        entry_with_text(
            f"Fact {number}", "Words about it. " * rng.randint(1, 60), tier=rng.randint(1, 3), confidence=rng.random()
        )
        for number in range(80)
    ]
    shown = [assemble(memory, budget).item_count for budget in (200, 500, 1_000, 2_000, 4_000, 8_000, 16_000)]
    assert shown == sorted(shown)
    assert shown[-1] == 80


def test_related_files_are_in_the_same_folder_or_mentioned_together() -> None:
    known = [
        ("a", "src/x.py"),
        ("a", "docs/x.md"),
        ("b", "src/y.py"),
        ("c", "docs/x.md"),
        ("d", "docs/z.md"),
        ("e", "q"),
    ]
    assert file_proximity(["src/x.py"], known) == {"a": 0, "b": 1, "c": 1}
    assert file_proximity(["./src/x.py"], known) == {"a": 0, "b": 1, "c": 1}
    assert file_proximity(["elsewhere/n.py"], known) == {}


def test_related_files_take_at_most_half_of_the_budget() -> None:
    related = [entry_with_text(f"Near {number}", "It is near to it. " * 10, tier=3) for number in range(60)]
    rule = entry_with_text("The first rule", tier=1)
    document = assemble([*related, rule], 2_000, near={each.id: 1 for each, _ in related})
    assert "The first rule" in document.markdown
    related_section = document.markdown.partition("## Layer 1")[0]
    assert 0 < count(related_section) < 1_300


def test_a_large_budget_is_used_up() -> None:
    memory = [entry_with_text(f"Fact {number}", "It is so because of this and that. " * 8) for number in range(3_000)]
    document = assemble(memory, 200_000)
    assert 199_900 < document.tokens <= 200_000
