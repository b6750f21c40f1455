"""Decides whether two items tell the same fact, and puts those that do together; nearness alone never decides."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cairn.memory.balance import Balance
from cairn.memory.contradiction import Clash
from cairn.memory.extraction.scans import SCAN
from cairn.memory.items import Item
from cairn.memory.reading import READ_CHARS
from cairn.memory.reversals import takes_back
from cairn.memory.signs import clash_of, have_little_in_common, signs_of, stages_of
from cairn.memory.topics import are_other_sections, file_names_in
from cairn.memory.weights import CONTRADICTS, SAME, weigh

Verdict = Literal["same", "contradicts", "different"]

NEAREST = 10
COSINE_FLOOR = 0.38
BLOCK_ROWS = 512
# Fewer letters than this may stand in another text by chance.
WITHIN_CHARS = 24
# Beyond this many different wordings a cluster takes no more: every newcomer is checked against all of them.
CLUSTER_WORDINGS = 24

# What speaks of other files must be nearer than this to be looked at.
ELSEWHERE_COSINE = 0.75
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


def judge(a: Item, b: Item, cosine: float) -> Verdict:
    """What two items are to each other; the order in which they are given does not matter."""
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    return glimpsed or _weighed(signs_of(first, second, cosine))


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
    return _weighed(signs) == "same"


def contradicts(a: Item, b: Item, cosine: float) -> bool:
    """Whether they are judged to contradict each other, for who need not know more: it ends where they cannot."""
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    if glimpsed is not None:
        return glimpsed == "contradicts"
    signs: dict[str, float] = {}
    balance = Balance.of_contradiction()
    for stage in stages_of(first, second, cosine):
        signs |= stage
        if not balance.add(stage):
            return False
    return _weighed(signs) == "contradicts"


def excludes(a: Item, b: Item, cosine: float) -> bool:
    """Whether they cannot be one fact, though a third may be near to both: they contradict, or a sign forbids it."""
    if _are_of_one_whole(a, b):
        return _plain_text(a) != _plain_text(b)
    first, second = sorted((a, b), key=canonical_key)
    glimpsed = _at_a_glance(first, second, cosine)
    if glimpsed is not None:
        return glimpsed == "contradicts"
    signs = signs_of(first, second, cosine)
    return _is_forbidden(signs) or _weighed(signs) == "contradicts"


def _at_a_glance(a: Item, b: Item, cosine: float) -> Verdict | None:
    """What is plain before anything is weighed; None if it must be."""
    if _plain_text(a) == _plain_text(b):
        return "same"
    if _are_of_one_whole(a, b):
        return "different"
    if cosine < COSINE_FLOOR or max(len(a.content), len(b.content)) > READ_CHARS or _are_elsewhere(a, b, cosine):
        return "different"
    if takes_back(a, b):
        return "contradicts"
    if have_little_in_common(a, b):
        return "different"
    return "same" if _is_within(a, b) or _is_within(b, a) else None


def _weighed(signs: Mapping[str, float]) -> Verdict:
    if not _is_forbidden(signs) and weigh(signs, SAME) >= 0:
        return "same"
    return "contradicts" if weigh(signs, CONTRADICTS) >= 0 else "different"


def _is_forbidden(signs: Mapping[str, float]) -> bool:
    """Whether what has been seen so far makes one fact of two impossible."""
    for name in VETOES:
        if signs.get(name):
            return True
    # The same sentence about another thing, in another place.
    elsewhere = signs["other files"] and signs.get("subjects differ")
    return bool(elsewhere) and signs["covered"] >= ONE_FRAME


def _are_of_one_whole(a: Item, b: Item) -> bool:
    """Two findings of one scan, or sections of one document: however alike they are, both hold, each for itself."""
    if SCAN in a.tags and SCAN in b.tags:
        return not {quote.event_id for quote in a.evidence}.isdisjoint(quote.event_id for quote in b.evidence)
    return are_other_sections(a.title, b.title)


def _are_elsewhere(a: Item, b: Item, cosine: float) -> bool:
    """About other files, and not strikingly alike or called by them: neither is read.

    Most neighbours in a large project are such.
    """
    if not a.files or not b.files or not set(a.files).isdisjoint(b.files):
        return False
    return cosine < ELSEWHERE_COSINE or (_is_of_its_own(a, b) and _is_of_its_own(b, a))


def _is_of_its_own(item: Item, other: Item) -> bool:
    """Whether its title names a file of it that the other text does not speak of."""
    names = file_names_in(_plain(item.title), item.files)
    return bool(names) and not any(name in _plain_text(other) for name in names)


def clash_between(a: Item, b: Item) -> Clash:
    """What keeps two items from both being true, in ``a``'s words and ``b``'s."""
    first, second = sorted((a, b), key=canonical_key)
    clash = clash_of(first, second)
    return clash if first is a else replace(clash, mine=clash.other, other=clash.mine)


def group(items: Sequence[Item], vectors: NDArray[np.float32]) -> list[list[int]]:
    """The places of the items by fact, as a partition that does not depend on their order."""
    order = sorted(range(len(items)), key=lambda place: canonical_key(items[place]))
    alike: dict[str, list[int]] = {}
    for place in order:
        alike.setdefault(_plain_text(items[place]), []).append(place)
    heads = [places[0] for places in alike.values()]
    clusters = _cluster([items[head] for head in heads], vectors[heads]) if heads else []
    exact = list(alike.values())
    return sorted(sorted(place for member in cluster for place in exact[member]) for cluster in clusters)


def choose(candidate: Item, vector: NDArray[np.float32], known: Sequence[tuple[Item, float]]) -> int | None:
    """The place of the known item that tells the candidate's fact, the nearest first; None if the fact is new.

    Each known item comes with its cosine to the candidate's vector; one that contradicts does not hide one that agrees.
    """
    text = _plain_text(candidate)
    ranked = sorted(range(len(known)), key=lambda place: (-round(known[place][1], 4), canonical_key(known[place][0])))
    for place in ranked:
        if _plain_text(known[place][0]) == text:
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
    text = _plain(shorter.content).rstrip(".;,: ")
    return len(text) >= WITHIN_CHARS and text in _plain(longer.content) and _plain(shorter.title) in _plain_text(longer)


def _plain_text(item: Item) -> str:
    """Title and content without case, form and spacing: where it is equal, so is the fact."""
    return _plain(f"{item.title}\n{item.content}")


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
