"""Early exits in comparing pairs never change a verdict."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory import assertions, clause_splitter
from loremark.memory.dedup import canonical_key, classify_pair, contradicts, is_same
from loremark.memory.evaluation.labeled_sets import load
from loremark.memory.items import Item
from loremark.memory.pair_features import FEATURE_STAGES, compute_feature_stages, compute_features
from loremark.memory.pair_weights import CONTRADICTS, SAME, weighted_sum
from loremark.memory.partial_score import PartialScore
from loremark.memory.prefiltered_pattern import PrefilteredPattern, fold_case
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(300), deadline=None, database=None)
PAIRS = [(line.a.item, line.b.item) for line in load("dev").pairs]
WORDS = sorted({word for pair in PAIRS for item in pair for word in item.content.split()})
PATTERNS = [pattern for pattern, _ in clause_splitter._REWRITES] + [
    pattern for pattern in vars(assertions).values() if isinstance(pattern, PrefilteredPattern)
]
# Pieces of the patterns themselves, also with lookalike characters.
PIECES = sorted({piece for pattern in PATTERNS for piece in re.findall(r"[a-z]{2,}", pattern.pattern.pattern)})
TEXTS = st.lists(
    st.sampled_from(WORDS)
    | st.sampled_from(PIECES)
    | st.sampled_from(["(was 5)", "->", "don't", "ſince", "İnstead of"]),
    max_size=16,
).map(" ".join)


@PROPERTY
@given(text=TEXTS | TEXTS.map(str.upper))
def test_prefiltering_never_misses_a_match(text: str) -> None:
    seen = fold_case(text)
    for pattern in PATTERNS:
        assert pattern.matches(text, seen) == (pattern.pattern.search(text) is not None)


def test_every_stage_yields_its_named_features() -> None:
    for a, b in PAIRS[:40]:
        assert [set(stage) for stage in compute_feature_stages(a, b, 0.8)] == [set(names) for names in FEATURE_STAGES]


@pytest.mark.sampled
@pytest.mark.parametrize("cosine", [0.5, 0.8, 0.95])
def test_early_exits_give_the_same_verdict_on_all_labeled_pairs(cosine: float) -> None:
    verdicts = set()
    for a, b in PAIRS:
        verdict = classify_pair(a, b, cosine)
        assert is_same(a, b, cosine) == (verdict == "same")
        assert contradicts(a, b, cosine) == (verdict == "contradicts")
        verdicts.add(verdict)
    assert verdicts == {"same", "contradicts", "different"}


@PROPERTY
@given(pair=st.sampled_from(PAIRS), other=st.sampled_from(PAIRS), cosine=st.floats(0, 1))
def test_a_partial_score_stops_only_when_the_threshold_is_unreachable(
    pair: tuple[Item, Item], other: tuple[Item, Item], cosine: float
) -> None:
    a, b = sorted((pair[0], other[1]), key=canonical_key)
    features = compute_features(a, b, cosine)
    for score, weights in ((PartialScore.for_same(), SAME), (PartialScore.for_contradiction(), CONTRADICTS)):
        still_open = all(score.add(stage) for stage in compute_feature_stages(a, b, cosine))
        assert still_open or weighted_sum(features, weights) < 0


def test_items_named_after_different_files_are_not_compared() -> None:
    """In a large project, most neighbors are the same sentence about different modules."""

    def fixed(name: str, *more: str) -> Item:
        content = f"{name} lost rows because the lock was taken twice. {' '.join(more)}"
        return Item(f"Fix lost rows in {name}", content, "decision", "root/x", 0.9, files=(f"src/{name}.py",))

    assert classify_pair(fixed("billing_queue"), fixed("chat_router"), 0.97) == "different"
    other = fixed("chat_router", "As in billing_queue.")
    assert not is_same(fixed("billing_queue"), other, 0.97)
