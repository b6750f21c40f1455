"""Short ways to a verdict: what is not searched, not read or not weighed to its end never changes what is judged."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory import clauses, stance
from loremark.memory.balance import Balance
from loremark.memory.cue import Cue, small_letters
from loremark.memory.dedup import canonical_key, contradicts, is_same, judge
from loremark.memory.evaluation.loading import load
from loremark.memory.items import Item
from loremark.memory.signs import STAGES, signs_of, stages_of
from loremark.memory.weights import CONTRADICTS, SAME, weigh

PROPERTY = settings(max_examples=300, deadline=None, database=None)
PAIRS = [(line.a.item, line.b.item) for line in load("dev").pairs]
WORDS = sorted({word for pair in PAIRS for item in pair for word in item.content.split()})
CUES = [cue for cue, _ in clauses._REWRITES] + [cue for cue in vars(stance).values() if isinstance(cue, Cue)]
# Pieces of the patterns' own words, also in letters that only look like them.
PIECES = sorted({piece for cue in CUES for piece in re.findall(r"[a-z]{2,}", cue.pattern.pattern)})
TEXTS = st.lists(
    st.sampled_from(WORDS)
    | st.sampled_from(PIECES)
    | st.sampled_from(["(was 5)", "->", "don't", "ſince", "İnstead of"]),
    max_size=16,
).map(" ".join)


@PROPERTY
@given(text=TEXTS | TEXTS.map(str.upper))
def test_a_cue_that_is_not_looked_for_is_not_there(text: str) -> None:
    seen = small_letters(text)
    for cue in CUES:
        assert cue.is_in(text, seen) == (cue.pattern.search(text) is not None)


def test_every_stage_brings_the_signs_it_names() -> None:
    for a, b in PAIRS[:40]:
        assert [set(stage) for stage in stages_of(a, b, 0.8)] == [set(names) for names in STAGES]


@pytest.mark.parametrize("cosine", [0.5, 0.8, 0.95])
def test_short_ways_end_at_the_same_verdict_on_all_labelled_pairs(cosine: float) -> None:
    verdicts = set()
    for a, b in PAIRS:
        verdict = judge(a, b, cosine)
        assert is_same(a, b, cosine) == (verdict == "same")
        assert contradicts(a, b, cosine) == (verdict == "contradicts")
        verdicts.add(verdict)
    assert verdicts == {"same", "contradicts", "different"}


@PROPERTY
@given(pair=st.sampled_from(PAIRS), other=st.sampled_from(PAIRS), cosine=st.floats(0, 1))
def test_a_balance_gives_up_only_what_cannot_come_true(
    pair: tuple[Item, Item], other: tuple[Item, Item], cosine: float
) -> None:
    a, b = sorted((pair[0], other[1]), key=canonical_key)
    signs = signs_of(a, b, cosine)
    for balance, weights in ((Balance.of_same(), SAME), (Balance.of_contradiction(), CONTRADICTS)):
        still_open = all(balance.add(stage) for stage in stages_of(a, b, cosine))
        assert still_open or weigh(signs, weights) < 0


def test_things_called_as_their_files_are_not_weighed() -> None:
    """In a large project most neighbours are such: one sentence, of another module each."""

    def fixed(name: str, *more: str) -> Item:
        said = f"{name} lost rows because the lock was taken twice. {' '.join(more)}"
        return Item(f"Fix lost rows in {name}", said, "decision", "root/x", 0.9, files=(f"src/{name}.py",))

    assert judge(fixed("billing_queue"), fixed("chat_router"), 0.97) == "different"
    told = fixed("chat_router", "As in billing_queue.")
    assert not is_same(fixed("billing_queue"), told, 0.97)
