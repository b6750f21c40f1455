"""Decides whether two items tell the same fact, and puts those that do together; nearness alone never decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from loremark.memory.balance import Balance
from loremark.memory.contradiction import Clash
from loremark.memory.items import Item
from loremark.memory.provenance import (
    are_elsewhere,
    are_filed_apart,
    are_of_a_series,
    are_of_one_whole,
    are_told_at_once,
    are_two_changes,
    have_other_ids,
    is_found,
    plain,
    plain_text,
    rests_on_commits,
    without_ids,
)
from loremark.memory.reading import READ_CHARS
from loremark.memory.reversals import takes_back
from loremark.memory.signs import clash_of, have_little_in_common, signs_of, stages_of
from loremark.memory.weights import CONTRADICTS, SAME, weigh

Verdict = Literal["same", "contradicts", "different"]

NEAREST = 10
COSINE_FLOOR = 0.38
BLOCK_ROWS = 512
# Fewer letters than this may stand in another text by chance.
WITHIN_CHARS = 24
# Beyond this many different wordings a cluster takes no more: every newcomer is checked against all of them.
CLUSTER_WORDINGS = 24

# Two texts that share so many of their words are one sentence with something else put in.
ONE_FRAME = 0.8
# What makes one fact impossible, however much else agrees: in doubt, two items.
VETOES = (
    "other order",
    "order turned",
    "value replaced",
    "value past",
    "open and done",
    "limit lifted",
    "prefix",
    "denied outright",
    "turned back",
    "other environment",
    "names apart",
    "one task",
    "other thing",
    "other end",
    "ends turned",
    "other rhythm",
    "other region",
    "other default",
    "other number",
    "other parts",
    "found and told",
)
# A clash that has a name; without one, nearness is enough only between what people tell.
CLASHES = (
    *("value replaced", "value past", "limit lifted", "open and done", "prefix", "turned back", "other value"),
    *("other name", "opposite", "other order", "short denial", "denied outright", "ends turned", "order turned"),
    *("name gone", "only and all"),
)


def judge(a: Item, b: Item, cosine: float) -> Verdict:
    """What two items are to each other; the order in which they are given does not matter."""
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    return glimpsed or _weighed(first, second, signs_of(first, second, cosine))


def is_same(a: Item, b: Item, cosine: float) -> bool:
    """Whether they are judged the same, for who need not know more: it ends where they cannot be."""
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    if glimpsed is not None:
        return glimpsed == "same"
    signs: dict[str, float] = {}
    balance = Balance.of_same()
    for stage in stages_of(first, second, cosine):
        signs |= stage
        if not balance.add(stage) or _is_forbidden(signs):
            return False
    return _weighed(first, second, signs) == "same"


def contradicts(a: Item, b: Item, cosine: float) -> bool:
    """Whether they are judged to contradict each other, for who need not know more: it ends where they cannot."""
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    if glimpsed is not None:
        return glimpsed == "contradicts"
    signs: dict[str, float] = {}
    balance = Balance.of_contradiction()
    clear = _clear(first, second)
    for stage in stages_of(*clear, cosine):
        signs |= stage
        if not balance.add(stage):
            return False
    if clear != (first, second):
        signs = signs_of(first, second, cosine)
    return _weighed(first, second, signs) == "contradicts"


def undoes(a: Item, b: Item, cosine: float) -> bool:
    """Whether one of the two, whichever, takes back the other outright."""
    first, second = sorted((a, b), key=canonical_key)
    return _at_a_glance(first, second, cosine) == "contradicts"


def excludes(a: Item, b: Item, cosine: float) -> bool:
    """Whether they cannot be one fact, though a third may be near to both: they contradict, or a sign forbids it."""
    if are_of_one_whole(a, b) or are_two_changes(a, b):
        return plain_text(a) != plain_text(b)
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    if glimpsed is not None:
        return glimpsed == "contradicts"
    signs = signs_of(first, second, cosine)
    return _is_forbidden(signs) or _are_apart(a, b) or _weighed(first, second, signs) == "contradicts"


def _at_a_glance(a: Item, b: Item, cosine: float) -> Verdict | None:
    """What is plain before anything is weighed; None if it must be."""
    if plain_text(a) == plain_text(b):
        return "same"
    if are_of_one_whole(a, b):
        return "different"
    if cosine < COSINE_FLOOR or max(len(a.content), len(b.content)) > READ_CHARS or are_elsewhere(a, b, cosine):
        return "different"
    if takes_back(a, b):
        return "contradicts"
    if are_two_changes(a, b) or are_of_a_series(a, b) or have_little_in_common(a, b):
        return "different"
    return "same" if _is_within(a, b) or _is_within(b, a) else None


def _weighed(a: Item, b: Item, signs: Mapping[str, float]) -> Verdict:
    if not _is_forbidden(signs) and weigh(signs, SAME) >= 0 and not _are_apart(a, b):
        return "same"
    clear = _clear(a, b)
    if clear != (a, b):
        signs = signs_of(*clear, signs["cosine"])
    return "contradicts" if weigh(signs, CONTRADICTS) >= 0 and _may_clash(a, b, signs) else "different"


def _may_clash(a: Item, b: Item, signs: Mapping[str, float]) -> bool:
    """A commit stands against a commit only by taking it back.

    A clash with a name is needed where one was found, both were told at once, or they are apart.
    """
    if rests_on_commits(a) and rests_on_commits(b):
        return False
    if not (is_found(a) or is_found(b) or are_told_at_once(a, b) or _are_apart(a, b)):
        return True
    return any(signs[name] for name in CLASHES)


def _are_apart(a: Item, b: Item) -> bool:
    """Whether they are two by what they are called, whatever they say."""
    return have_other_ids(a, b) or are_filed_apart(a, b)


def _clear(a: Item, b: Item) -> tuple[Item, Item]:
    """Without ids of machines, out of which values and names would be read: they part two items, but never clash."""
    return _without_ids(a), _without_ids(b)


def _without_ids(item: Item) -> Item:
    title, content = without_ids(item.title), without_ids(item.content)
    return item if (title, content) == (item.title, item.content) else replace(item, title=title, content=content)


def _is_forbidden(signs: Mapping[str, float]) -> bool:
    """Whether what has been seen so far makes one fact of two impossible."""
    for name in VETOES:
        if signs.get(name):
            return True
    # The same sentence about another thing, in another place.
    elsewhere = signs["other files"] and signs.get("subjects differ")
    return bool(elsewhere) and signs["covered"] >= ONE_FRAME


def clash_between(a: Item, b: Item) -> Clash | None:
    """What keeps two items from both being true, in ``a``'s words and ``b``'s; None if it has no name."""
    first, second = sorted((a, b), key=canonical_key)
    clash = clash_of(*_clear(first, second))
    return clash if clash is None or first is a else replace(clash, mine=clash.other, other=clash.mine)


def group(items: Sequence[Item], vectors: NDArray[np.float32]) -> list[list[int]]:
    """The places of the items by fact, as a partition that does not depend on their order."""
    order = sorted(range(len(items)), key=lambda place: canonical_key(items[place]))
    alike: dict[str, list[int]] = {}
    for place in order:
        alike.setdefault(plain_text(items[place]), []).append(place)
    heads = [places[0] for places in alike.values()]
    clusters = _cluster([items[head] for head in heads], vectors[heads]) if heads else []
    exact = list(alike.values())
    return sorted(sorted(place for member in cluster for place in exact[member]) for cluster in clusters)


def choose(candidate: Item, vector: NDArray[np.float32], known: Sequence[tuple[Item, float]]) -> int | None:
    """The place of the known item that tells the candidate's fact, the nearest first; None if the fact is new.

    Each known item comes with its cosine to the candidate's vector; one that contradicts does not hide one that agrees.
    """
    text = plain_text(candidate)
    ranked = sorted(range(len(known)), key=lambda place: (-round(known[place][1], 4), canonical_key(known[place][0])))
    for place in ranked:
        if plain_text(known[place][0]) == text:
            return place
    near = ranked[:NEAREST] if vector.any() else []
    return next((place for place in near if is_same(candidate, *known[place])), None)


def canonical_key(item: Item) -> tuple[str, ...]:
    """An order of items that looks only at what they say."""
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
    """Unions of pairs judged the same, the nearest first; refused where any two members would clash."""
    cluster_of = [[place] for place in range(len(items))]
    for _, one, other in sorted(_near_pairs(vectors)):
        first, second = cluster_of[one], cluster_of[other]
        if first is second or len(first) + len(second) > CLUSTER_WORDINGS:
            continue
        cosine = float(vectors[one] @ vectors[other])
        if not is_same(items[one], items[other], cosine) or not _fit(items, vectors, first, second):
            continue
        first.extend(second)
        for place in second:
            cluster_of[place] = first
    return list({id(cluster): cluster for cluster in cluster_of}.values())


def _near_pairs(vectors: NDArray[np.float32]) -> set[tuple[float, int, int]]:
    """Each item with its nearest above the floor, as (minus the rounded cosine, lower place, higher place)."""
    pairs: set[tuple[float, int, int]] = set()
    for start in range(0, len(vectors), BLOCK_ROWS):
        rounded = np.round(vectors[start : start + BLOCK_ROWS] @ vectors.T, 4)
        for row, cosines in enumerate(rounded):
            place = start + row
            nearest = [int(other) for other in np.argsort(-cosines, kind="stable")[: NEAREST + 1] if other != place]
            pairs.update(
                (-float(cosines[other]), min(place, other), max(place, other))
                for other in nearest[:NEAREST]
                if cosines[other] >= COSINE_FLOOR
            )
    return pairs


def _fit(items: Sequence[Item], vectors: NDArray[np.float32], first: list[int], second: list[int]) -> bool:
    """Nobody of the one cluster excludes anybody of the other, and none is far from another."""
    return all(
        (cosine := float(vectors[one] @ vectors[other])) >= COSINE_FLOOR
        and not excludes(items[one], items[other], cosine)
        for one in first
        for other in second
    )


def _is_within(shorter: Item, longer: Item) -> bool:
    """Whether all that the one says stands in the other word for word: a title alone, a first sentence."""
    text = plain(shorter.content).rstrip(".;,: ")
    return len(text) >= WITHIN_CHARS and text in plain(longer.content) and plain(shorter.title) in plain_text(longer)
