"""Merging: commutative, idempotent, and keeping the sources of both items."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory.items import Item, Quote
from loremark.memory.merging import MAX_AGREED_CONFIDENCE, MAX_EVIDENCE, MAX_FILES, MAX_JOINED_CHARS, MAX_TAGS, merge
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(150), deadline=None, database=None)
SENTENCES = [
    "Sessions are stored in Redis.",
    "The session timeout is 30 minutes.",
    "The session timeout is 60 minutes.",
    "Never write card numbers to the log.",
    "Uploads over 25 MB are refused with 413!",
    "Ünïcode and\nline breaks.",
    "",
]
NAMES = st.lists(st.sampled_from([f"src/{letter}.py" for letter in "abcdef"]), max_size=4, unique=True)
ITEMS = st.builds(
    lambda title, content, confidence, files, tags, events, flags, branch, tier: Item(
        title=title,
        content=" ".join(content),
        type="decision" if tier == 2 else "convention",
        schema_key=f"root/{tier}",
        confidence=confidence,
        files=tuple(sorted(files)),
        tags=tuple(sorted(tags)),
        evidence=tuple(Quote(event, "said so") for event in sorted(events)),
        flags=tuple(sorted(flags)),
        branch=branch,
        tier=tier,
    ),
    st.sampled_from(["Sessions", "Limits", "Logging rule"]),
    st.lists(st.sampled_from(SENTENCES), max_size=3),
    st.sampled_from([0.5, 0.8, 0.9, 0.97, 0.99]),
    NAMES,
    NAMES,
    st.lists(st.sampled_from(["e1", "e2", "e3", "e4"]), max_size=3, unique=True),
    st.lists(st.sampled_from(["stale", "conflict"]), unique=True),
    st.sampled_from([None, "feature", "other"]),
    st.sampled_from([1, 2, 3]),
)


@PROPERTY
@given(a=ITEMS, b=ITEMS)
def test_the_order_does_not_matter(a: Item, b: Item) -> None:
    assert merge(a, b) == merge(b, a)


@PROPERTY
@given(a=ITEMS, b=ITEMS)
def test_merging_is_idempotent(a: Item, b: Item) -> None:
    assert merge(a, a) == a
    once = merge(a, b)
    assert merge(once, once) == once
    assert merge(once, a).evidence == once.evidence
    assert merge(once, a).confidence == once.confidence
    assert merge(once, b).files == once.files


@PROPERTY
@given(a=ITEMS, b=ITEMS, c=ITEMS)
def test_sources_are_kept_in_any_grouping(a: Item, b: Item, c: Item) -> None:
    left, right = merge(merge(a, b), c), merge(a, merge(b, c))
    for merged in (left, right):
        assert set(merged.files) == {*a.files, *b.files, *c.files}
        assert set(merged.evidence) == {*a.evidence, *b.evidence, *c.evidence}
        assert merged.tier == min(a.tier, b.tier, c.tier)
        assert max(a.confidence, b.confidence, c.confidence) <= merged.confidence <= 0.99
        assert merged.branch == (a.branch if a.branch == b.branch == c.branch else None)
    assert left.flags == right.flags


def _item(content: str, *, confidence: float = 0.8, events: tuple[str, ...] = (), **fields: object) -> Item:
    item = Item("Sessions", content, "decision", "root/auth", confidence, evidence=tuple(Quote(e, "q") for e in events))
    return replace(item, **fields)  # type: ignore[arg-type]


def test_the_more_confident_text_wins_and_agreement_adds_confidence() -> None:
    merged = merge(
        _item("Sessions are in Redis.", confidence=0.7, events=("e1",)),
        _item("Redis stores sessions.", confidence=0.8, events=("e2",)),
    )
    assert merged.content == "Redis stores sessions."
    assert merged.confidence == 0.82
    again = merge(merged, _item("Sessions are in Redis.", confidence=0.7, events=("e1",)))
    assert again.confidence == 0.82
    for sure, agreed in ((0.88, MAX_AGREED_CONFIDENCE), (0.97, 0.97)):
        many = _item("Redis.", confidence=sure, events=tuple(f"e{number}" for number in range(9)))
        assert merge(many, _item("Redis!", events=("x", "y"))).confidence == agreed


def test_additions_are_merged_unless_they_contradict() -> None:
    better = _item("Sessions are stored in Redis for 30 minutes.", confidence=0.9)
    more = _item("Sessions are stored in Redis. A cookie named sid carries the signed identifier.")
    assert merge(better, more).content == f"{better.content} A cookie named sid carries the signed identifier."
    wrong = _item("Sessions are stored in Redis. Every session in Redis lives sixty minutes behind the proxy.")
    assert merge(better, wrong).content == better.content
    long = _item("Very much more text about quite another part of it. " * 40)
    assert len(merge(better, long).content) <= MAX_JOINED_CHARS


def test_additions_to_a_list_start_on_their_own_line() -> None:
    stack = _item("Built with FastAPI.\n\n- Database: SQLite\n- Tooling: Ruff", confidence=0.9)
    sentence, point = "the weekly report leaves out all holidays.", "- Container images: distroless base"
    assert merge(stack, _item(sentence)).content == f"{stack.content}\n\n{sentence}"
    assert merge(stack, _item(point)).content == f"{stack.content}\n{point}"
    assert merge(_item(sentence, confidence=0.9), _item(point)).content == f"{sentence}\n\n{point}"


def test_the_first_item_keeps_its_id_and_lists_the_absorbed_ones() -> None:
    kept = _item("Redis.", id="i1", status="approved", merged_from=("i0",))
    absorbed = _item("Sessions in Redis.", confidence=0.95, id="i2", merged_from=("i9", "i1"))
    merged = merge(kept, absorbed)
    assert (merged.id, merged.status, merged.merged_from) == ("i1", "approved", ("i0", "i2", "i9"))
    candidate = _item("Sessions.")
    assert merge(candidate, kept).id == merge(kept, candidate).id == "i1"
    assert merge(candidate, kept).merged_from == ("i0",)


def test_lists_are_bounded() -> None:
    a = _item("Redis.", events=tuple(f"a{n:03}" for n in range(20)), files=tuple(f"a{n:03}" for n in range(50)))
    b = _item("Redis?", events=tuple(f"b{n:03}" for n in range(20)), tags=tuple(f"b{n:03}" for n in range(40)))
    merged = merge(a, replace(b, files=("zz",)))
    assert (len(merged.files), len(merged.tags), len(merged.evidence)) == (MAX_FILES, MAX_TAGS, MAX_EVIDENCE)
    assert merge(merged, merged) == merged
