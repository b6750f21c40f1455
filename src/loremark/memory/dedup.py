"""Decides whether two items state the same fact and clusters those that do. Similarity alone never decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from loremark.memory.contradiction import Contradiction
from loremark.memory.items import Item
from loremark.memory.pair_features import (
    compute_feature_stages,
    compute_features,
    have_little_in_common,
    strongest_contradiction,
)
from loremark.memory.pair_weights import CONTRADICTS, SAME, weighted_sum
from loremark.memory.partial_score import PartialScore
from loremark.memory.provenance import (
    are_numbered_series,
    are_saved_separately,
    are_separate_commits,
    concern_different_files,
    fold_text,
    folded_item_text,
    have_different_ids,
    is_from_commits,
    is_from_repository,
    share_event,
    share_source_document,
    strip_machine_ids,
)
from loremark.memory.reversals import reverses
from loremark.memory.text_parser import MAX_PARSED_CHARS

Verdict = Literal["same", "contradicts", "different"]

MAX_CANDIDATES = 10
MIN_COSINE = 0.38
BLOCK_ROWS = 512
# Shorter texts may occur in another text by chance.
MIN_CONTAINED_CHARS = 24
# A larger cluster takes no more items: each new one is compared with all of its members.
MAX_CLUSTER_SIZE = 24

# Two texts that overlap this much are one sentence with something else filled in.
SAME_SENTENCE_OVERLAP = 0.8
# Features that rule out a single fact, whatever else agrees. When in doubt, keep two items.
BLOCKING_FEATURES = (
    "reversed_relation",
    "order_reversed",
    "value_replaced",
    "value_outdated",
    "open_vs_done",
    "limit_lifted",
    "negating_prefix",
    "direct_negation",
    "reverted_name",
    "different_environment",
    "names_apart",
    "one_todo",
    "different_identifiers",
    "opposite_antonyms",
    "antonyms_swapped",
    "different_frequency",
    "different_region",
    "different_default",
    "different_title_number",
    "different_statements",
    "one_found_by_scan",
)
# Named contradictions. Without one, similarity suffices only between items that people wrote.
CONTRADICTION_FEATURES = (
    *(
        "value_replaced",
        "value_outdated",
        "limit_lifted",
        "open_vs_done",
        "negating_prefix",
        "reverted_name",
        "exclusive_value",
    ),
    *(
        "exclusive_name",
        "opposite_polarity",
        "reversed_relation",
        "short_negation",
        "direct_negation",
        "antonyms_swapped",
        "order_reversed",
    ),
    *("removed_name", "some_vs_all"),
)


def classify_pair(a: Item, b: Item, cosine: float) -> Verdict:
    """Classify two items; their order does not matter."""
    first, second = sorted((a, b), key=canonical_key)
    quick = _quick_verdict(first, second, cosine)
    return quick or _verdict_from_features(first, second, compute_features(first, second, cosine))


def is_same(a: Item, b: Item, cosine: float) -> bool:
    """Whether ``classify_pair`` says "same". Faster: it stops as soon as that is impossible."""
    first, second = sorted((a, b), key=canonical_key)
    quick = _quick_verdict(first, second, cosine)
    if quick is not None:
        return quick == "same"
    features: dict[str, float] = {}
    score = PartialScore.for_same()
    for stage in compute_feature_stages(first, second, cosine):
        features |= stage
        if not score.add(stage) or _is_blocked(features):
            return False
    return _verdict_from_features(first, second, features) == "same"


def contradicts(a: Item, b: Item, cosine: float) -> bool:
    """Whether ``classify_pair`` says "contradicts". Faster: it stops as soon as that is impossible."""
    first, second = sorted((a, b), key=canonical_key)
    quick = _quick_verdict(first, second, cosine)
    if quick is not None:
        return quick == "contradicts"
    features: dict[str, float] = {}
    score = PartialScore.for_contradiction()
    clear = _without_ids(first, second)
    for stage in compute_feature_stages(*clear, cosine):
        features |= stage
        if not score.add(stage):
            return False
    if clear != (first, second):
        features = compute_features(first, second, cosine)
    return _verdict_from_features(first, second, features) == "contradicts"


def is_reverted(a: Item, b: Item, cosine: float) -> bool:
    """Whether either item reverts the other."""
    first, second = sorted((a, b), key=canonical_key)
    return _quick_verdict(first, second, cosine) == "contradicts"


def cannot_be_same(a: Item, b: Item, cosine: float) -> bool:
    """Whether two items can never be one fact, even if both are similar to a third."""
    if share_source_document(a, b) or are_separate_commits(a, b):
        return folded_item_text(a) != folded_item_text(b)
    first, second = sorted((a, b), key=canonical_key)
    quick = _quick_verdict(first, second, cosine)
    if quick is not None:
        return quick == "contradicts"
    features = compute_features(first, second, cosine)
    return (
        _is_blocked(features)
        or _are_named_apart(a, b)
        or _verdict_from_features(first, second, features) == "contradicts"
    )


def _quick_verdict(a: Item, b: Item, cosine: float) -> Verdict | None:
    """The verdict where it is clear without features; None otherwise."""
    if folded_item_text(a) == folded_item_text(b):
        return "same"
    if share_source_document(a, b):
        return "different"
    if (
        cosine < MIN_COSINE
        or max(len(a.content), len(b.content)) > MAX_PARSED_CHARS
        or concern_different_files(a, b, cosine)
    ):
        return "different"
    if reverses(a, b):
        return "contradicts"
    if are_separate_commits(a, b) or are_numbered_series(a, b) or have_little_in_common(a, b):
        return "different"
    return "same" if _is_contained(a, b) or _is_contained(b, a) else None


def _verdict_from_features(a: Item, b: Item, features: Mapping[str, float]) -> Verdict:
    if not _is_blocked(features) and weighted_sum(features, SAME) >= 0 and not _are_named_apart(a, b):
        return "same"
    clear = _without_ids(a, b)
    if clear != (a, b):
        features = compute_features(*clear, features["cosine"])
    return (
        "contradicts" if weighted_sum(features, CONTRADICTS) >= 0 and _may_contradict(a, b, features) else "different"
    )


def _may_contradict(a: Item, b: Item, features: Mapping[str, float]) -> bool:
    """Commits contradict each other only by reverting.

    A named contradiction is required where an item comes from the repository, both come from one event, or they are
    named apart.
    """
    if is_from_commits(a) and is_from_commits(b):
        return False
    if not (is_from_repository(a) or is_from_repository(b) or share_event(a, b) or _are_named_apart(a, b)):
        return True
    return any(features[name] for name in CONTRADICTION_FEATURES)


def _are_named_apart(a: Item, b: Item) -> bool:
    """Whether their ids or titles make them two items, whatever they say."""
    return have_different_ids(a, b) or are_saved_separately(a, b)


def _without_ids(a: Item, b: Item) -> tuple[Item, Item]:
    """Without machine ids, which would be parsed as values and names. They separate items but never contradict."""
    return _without_item_ids(a), _without_item_ids(b)


def _without_item_ids(item: Item) -> Item:
    title, content = strip_machine_ids(item.title), strip_machine_ids(item.content)
    return item if (title, content) == (item.title, item.content) else replace(item, title=title, content=content)


def _is_blocked(features: Mapping[str, float]) -> bool:
    """Whether the features seen so far rule out a single fact."""
    for name in BLOCKING_FEATURES:
        if features.get(name):
            return True
    # The same sentence about another thing in other files.
    elsewhere = features["disjoint_files"] and features.get("different_subjects")
    return bool(elsewhere) and features["word_overlap"] >= SAME_SENTENCE_OVERLAP


def find_contradiction(a: Item, b: Item) -> Contradiction | None:
    """The contradiction between two items in the words of each; None if it has no name."""
    first, second = sorted((a, b), key=canonical_key)
    clash = strongest_contradiction(*_without_ids(first, second))
    return clash if clash is None or first is a else replace(clash, mine=clash.other, other=clash.mine)


def cluster_items(items: Sequence[Item], vectors: NDArray[np.float32]) -> list[list[int]]:
    """Return the indexes of the items grouped by fact. The partition does not depend on their order."""
    order = sorted(range(len(items)), key=lambda place: canonical_key(items[place]))
    by_text: dict[str, list[int]] = {}
    for place in order:
        by_text.setdefault(folded_item_text(items[place]), []).append(place)
    representatives = [places[0] for places in by_text.values()]
    clusters = _cluster([items[head] for head in representatives], vectors[representatives]) if representatives else []
    exact = list(by_text.values())
    return sorted(sorted(place for member in cluster for place in exact[member]) for cluster in clusters)


def find_duplicate(candidate: Item, vector: NDArray[np.float32], known: Sequence[tuple[Item, float]]) -> int | None:
    """The index of the known item that states the candidate's fact, nearest first; None if the fact is new.

    Each known item comes with its cosine similarity. One that contradicts does not hide one that agrees.
    """
    text = folded_item_text(candidate)
    ranked = sorted(range(len(known)), key=lambda place: (-round(known[place][1], 4), canonical_key(known[place][0])))
    for place in ranked:
        if folded_item_text(known[place][0]) == text:
            return place
    nearest_known = ranked[:MAX_CANDIDATES] if vector.any() else []
    return next((place for place in nearest_known if is_same(candidate, *known[place])), None)


def canonical_key(item: Item) -> tuple[str, ...]:
    """A sort key that depends only on what an item says."""
    return (
        item.title,
        item.content,
        item.type,
        item.schema_key,
        *item.files,
        "",
        *item.tags,
        "",
        item.branch or "",
        item.id,
    )


def _cluster(items: Sequence[Item], vectors: NDArray[np.float32]) -> list[list[int]]:
    """Merge pairs judged the same, most similar first, unless any two members could not be one fact."""
    cluster_of = [[place] for place in range(len(items))]
    for _, one, other in sorted(_near_pairs(vectors)):
        first, second = cluster_of[one], cluster_of[other]
        if first is second or len(first) + len(second) > MAX_CLUSTER_SIZE:
            continue
        cosine = float(vectors[one] @ vectors[other])
        if not is_same(items[one], items[other], cosine) or not _are_compatible(items, vectors, first, second):
            continue
        first.extend(second)
        for place in second:
            cluster_of[place] = first
    return list({id(cluster): cluster for cluster in cluster_of}.values())


def _near_pairs(vectors: NDArray[np.float32]) -> set[tuple[float, int, int]]:
    """Each item with its nearest neighbors, as (negative rounded cosine, lower index, higher index)."""
    pairs: set[tuple[float, int, int]] = set()
    for start in range(0, len(vectors), BLOCK_ROWS):
        rounded = np.round(vectors[start : start + BLOCK_ROWS] @ vectors.T, 4)
        for row, cosines in enumerate(rounded):
            place = start + row
            nearest = [
                int(other) for other in np.argsort(-cosines, kind="stable")[: MAX_CANDIDATES + 1] if other != place
            ]
            pairs.update(
                (-float(cosines[other]), min(place, other), max(place, other))
                for other in nearest[:MAX_CANDIDATES]
                if cosines[other] >= MIN_COSINE
            )
    return pairs


def _are_compatible(items: Sequence[Item], vectors: NDArray[np.float32], first: list[int], second: list[int]) -> bool:
    """Whether every item of one cluster is similar to, and can be the same as, every item of the other."""
    return all(
        (cosine := float(vectors[one] @ vectors[other])) >= MIN_COSINE
        and not cannot_be_same(items[one], items[other], cosine)
        for one in first
        for other in second
    )


def _is_contained(shorter: Item, longer: Item) -> bool:
    """Whether the other item contains everything this one says, verbatim: a title, a first sentence."""
    text = fold_text(shorter.content).rstrip(".;,: ")
    return (
        len(text) >= MIN_CONTAINED_CHARS
        and text in fold_text(longer.content)
        and fold_text(shorter.title) in folded_item_text(longer)
    )
