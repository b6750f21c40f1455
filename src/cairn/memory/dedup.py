"""Decides whether two items tell the same fact, and puts those that do together; nearness alone never decides."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cairn.memory.contradiction import Clash, find_clash
from cairn.memory.items import Item
from cairn.memory.reading import READ_CHARS, Reading, read
from cairn.memory.topics import predicates_part, subjects_differ, titles_are_parallel
from cairn.memory.words import shared_share

Verdict = Literal["same", "contradicts", "different"]

NEAREST = 10
COSINE_FLOOR = 0.38
BLOCK_ROWS = 512
# Beyond this many different wordings a cluster takes no more: every newcomer is checked against all of them.
CLUSTER_WORDINGS = 24

_REPORTS = frozenset(("bug", "todo"))
# Fitted on the development set; what each sign adds for one fact, and how much is enough.
SAME_SCORE = 1.0
COSINE_WEIGHT = 0.95
WORDS_WEIGHT = 0.4
SHARED_WORDS_WEIGHT = 0.7
SHARED_VALUE = 0.28
SHARED_NAME = 0.12
OTHER_SUBJECT = -0.08
OTHER_FILES = -0.2
# So many shared words are as good as any number of them.
ENOUGH_WORDS = 8
# A report of a fault or a task that differs from a rule seldom refutes it, unless they are as near as this.
REPORT_COSINE = 0.8
# Nearer than this, two claims that exclude each other are about one thing.
TOPIC_COSINE = 0.5


def judge(a: Item, b: Item, cosine: float) -> Verdict:
    """What two items are to each other; the order in which they are given does not matter."""
    if _plain_text(a) == _plain_text(b):
        return "same"
    one, other = _reading(a), _reading(b)
    clash = clash_between(a, b)
    if clash is not None and clash.grade != "loose":
        near = cosine >= (REPORT_COSINE if (a.type in _REPORTS) != (b.type in _REPORTS) else TOPIC_COSINE)
        one_topic = near and not subjects_differ(one, other, clash.words)
        return "contradicts" if clash.grade == "exclusive" and one_topic else "different"
    if cosine < COSINE_FLOOR or max(len(a.content), len(b.content)) > READ_CHARS or titles_are_parallel(one, other):
        return "different"
    if (a.type == "todo") != (b.type == "todo"):
        return "different"
    if predicates_part(one, other) and not _are_reports(a, b):
        return "different"
    return "same" if agreement(a, b, cosine) >= SAME_SCORE else "different"


def clash_between(a: Item, b: Item) -> Clash | None:
    """What keeps two items from both being true, in ``a``'s words and ``b``'s."""
    reports, tasks = _are_reports(a, b), a.type == b.type == "todo"
    if canonical_key(b) < canonical_key(a):
        clash = find_clash(_reading(b), _reading(a), reports=reports, tasks=tasks)
        return None if clash is None else replace(clash, mine=clash.other, other=clash.mine)
    return find_clash(_reading(a), _reading(b), reports=reports, tasks=tasks)


def agreement(a: Item, b: Item, cosine: float) -> float:
    """How much speaks for one fact: nearness, words, values, subject and files."""
    one, other = _reading(a), _reading(b)
    shared = len(one.words & other.words)
    values = {value.amount for value in one.values} & {value.amount for value in other.values}
    return (
        COSINE_WEIGHT * cosine
        + WORDS_WEIGHT * shared_share(one.words, other.words)
        + SHARED_WORDS_WEIGHT * min(shared, ENOUGH_WORDS) / ENOUGH_WORDS
        + SHARED_VALUE * bool(values)
        + SHARED_NAME * bool(one.names & other.names)
        + OTHER_SUBJECT * subjects_differ(one, other)
        + OTHER_FILES * (bool(a.files and b.files) and set(a.files).isdisjoint(b.files))
    )


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
    return next((place for place in near if judge(candidate, *known[place]) == "same"), None)


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
        if judge(items[one], items[other], cosine) != "same" or not _fit(items, vectors, first, second):
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
    return all(
        float(vectors[one] @ vectors[other]) >= COSINE_FLOOR and clash_between(items[one], items[other]) is None
        for one in first
        for other in second
    )


def _are_reports(a: Item, b: Item) -> bool:
    return a.type in _REPORTS and b.type in _REPORTS


def _reading(item: Item) -> Reading:
    return read(item.content, item.title)


def _plain_text(item: Item) -> str:
    """Title and content without case, form and spacing: where it is equal, so is the fact."""
    return " ".join(unicodedata.normalize("NFKC", f"{item.title}\n{item.content}").casefold().split())
