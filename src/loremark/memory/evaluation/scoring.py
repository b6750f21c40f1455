"""Matches predictions with gold items and computes precision, recall and F1."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from loremark.memory.evaluation.labeled_sets import EventLine, Gold, Label, PairLine
from loremark.memory.items import Item, RawEvent

Extract = Callable[[RawEvent], list[Item]]
Verdict = Literal["same", "contradicts", "different"]
Judge = Callable[[Item, Item, float], Verdict]
Cosine = Callable[[Item, Item], float]
Ref = tuple[str, int]  # an event's id and the index of one of its predictions
Predictions = Mapping[str, Sequence[Item]]

MATCH_SHARE = 0.5
# An item may state more facts than the one it is matched with, if it contains most of their anchors.
CONTAINED_SHARE = 0.75
VERDICT_LABELS: dict[Verdict, Label] = {"same": "duplicate", "contradicts": "contradiction", "different": "different"}
LABELS: tuple[Label, ...] = ("duplicate", "contradiction", "different")

_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be but by can do does for from had has have if in into is it its no nor not now of on or "
        "our so than that the their them then there they this to was we were when which while with you"
    )
)


@dataclass(frozen=True, slots=True)
class Rate:
    """Right, predicted and expected counts; an empty ratio counts as 1."""

    right: int
    given: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / self.given if self.given else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.given + self.wanted) if self.given + self.wanted else 1.0


@dataclass(frozen=True, slots=True)
class Match:
    """A prediction matched with a gold item."""

    event: EventLine
    index: int
    item: Item
    gold: Gold

    @property
    def type_is_right(self) -> bool:
        return self.item.type == self.gold.type or self.item.type in self.gold.also

    @property
    def facts(self) -> frozenset[str]:
        """All facts of the event that the item states: two rules in one sentence both count."""
        words = content_words(f"{self.item.title}\n{self.item.content}")
        anchors = ((gold.fact, content_words(gold.anchor)) for gold in self.event.gold)
        also = (fact for fact, anchor in anchors if anchor and len(anchor & words) >= CONTAINED_SHARE * len(anchor))
        return frozenset((self.gold.fact, *also))


@dataclass(frozen=True, slots=True)
class ExtractionScore:
    """Extraction quality. Optional gold counts neither for nor against."""

    matched: int
    wanted: int
    predicted: int
    types_right: int
    files: Rate
    junk_items: int
    junk_events: int
    junk_events_yielding: int
    leaked_secrets: int

    @property
    def type_accuracy(self) -> float:
        return self.types_right / self.matched if self.matched else 0.0

    @property
    def gold_recall(self) -> float:
        return self.matched / self.wanted if self.wanted else 1.0

    @property
    def junk_rate(self) -> float:
        return self.junk_items / self.predicted if self.predicted else 0.0


@dataclass(frozen=True, slots=True)
class DedupScore:
    """Clustering quality over all pairs of matched predictions of a project."""

    pairs: Rate
    contradictions_merged: int


@dataclass(frozen=True, slots=True)
class PairsScore:
    """Counts by (label, predicted label)."""

    confusion: Mapping[tuple[Label, Label], int]

    def of(self, label: Label) -> Rate:
        return Rate(
            right=self.confusion.get((label, label), 0),
            given=sum(self.confusion.get((other, label), 0) for other in LABELS),
            wanted=sum(self.confusion.get((label, other), 0) for other in LABELS),
        )

    @property
    def drift(self) -> Rate:
        """Drift is detected where a contradiction is predicted."""
        return self.of("contradiction")

    @property
    def contradictions_called_duplicates(self) -> int:
        return self.confusion.get(("contradiction", "duplicate"), 0)


def content_words(text: str) -> set[str]:
    """The words that carry meaning, including numbers."""
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS}


def normalize_paths(files: Iterable[str]) -> set[str]:
    """Paths in one spelling: forward slashes, no leading ``./``."""
    return {file.replace("\\", "/").removeprefix("./") for file in files}


def match(predicted: Sequence[Item], gold: Sequence[Gold]) -> list[tuple[int, int]]:
    """Match one to one, best first: (index of the prediction, index of the gold item) of one event."""
    predicted_words = [_words_of(item) for item in predicted]
    ranked: list[tuple[bool, float, float, int, int]] = []
    for at_gold, wanted in enumerate(gold):
        anchor = content_words(wanted.anchor)
        for at_item, words in enumerate(predicted_words):
            share = len(anchor & words) / len(anchor) if anchor else 0.0
            if share >= MATCH_SHARE:
                # Prefer items that say little else; optional gold takes only what is left.
                share_of_item = len(anchor & words) / len(words)
                ranked.append((wanted.optional, -share, -share_of_item, at_item, at_gold))
    taken_items: set[int] = set()
    taken_gold: set[int] = set()
    matches = []
    for _, _, _, at_item, at_gold in sorted(ranked):
        if at_item not in taken_items and at_gold not in taken_gold:
            taken_items.add(at_item)
            taken_gold.add(at_gold)
            matches.append((at_item, at_gold))
    return sorted(matches)


def match_all(events: Iterable[EventLine], predictions: Predictions) -> list[Match]:
    """The matches of all events."""
    found = []
    for event in events:
        items = predictions.get(event.id, ())
        found += [Match(event, at, items[at], event.gold[to]) for at, to in match(items, event.gold)]
    return found


def score_extraction(events: Sequence[EventLine], predictions: Predictions) -> ExtractionScore:
    """Score found items, their types and files, junk, and leaked secrets."""
    matches = match_all(events, predictions)
    required = [found for found in matches if not found.gold.optional]
    predicted = sum(len(predictions.get(event.id, ())) for event in events)
    junk = [event for event in events if event.is_junk]
    taken = {(found.event.id, found.index) for found in matches}
    return ExtractionScore(
        matched=len(required),
        wanted=sum(not gold.optional for event in events for gold in event.gold),
        predicted=predicted,
        types_right=sum(found.type_is_right for found in required),
        files=_file_rate(required),
        junk_items=predicted - len(taken),
        junk_events=len(junk),
        junk_events_yielding=sum(_has_more(event.id, predictions, taken) for event in junk),
        leaked_secrets=sum(_tells(item, event.secret) for event in events for item in predictions.get(event.id, ())),
    )


def score_dedup(events: Sequence[EventLine], predictions: Predictions, clusters: Iterable[Iterable[Ref]]) -> DedupScore:
    """Compare clustered pairs with pairs that state the same fact. Items without a cluster stand alone."""
    cluster_of = {ref: number for number, cluster in enumerate(clusters) for ref in cluster}
    right = given = wanted = merged = 0
    for one, other, label in labeled_pairs(events, predictions):
        cluster = cluster_of.get((one.event.id, one.index))
        together = cluster is not None and cluster == cluster_of.get((other.event.id, other.index))
        right += together and label == "duplicate"
        given += together
        wanted += label == "duplicate"
        merged += together and label == "contradiction"
    return DedupScore(pairs=Rate(right, given, wanted), contradictions_merged=merged)


def labeled_pairs(events: Sequence[EventLine], predictions: Predictions) -> Iterator[tuple[Match, Match, Label]]:
    """Yield every pair of matched predictions of a project with its label.

    One shared fact makes a duplicate; one contradicting fact makes a contradiction, whatever else they share.
    """
    opposed = {frozenset((gold.fact, other)) for event in events for gold in event.gold for other in gold.contradicts}
    found = [(match, match.facts) for match in match_all(events, predictions)]
    for (one, mine), (other, others) in combinations(found, 2):
        if one.event.project != other.event.project:
            continue
        clash = any(frozenset((fact, against)) in opposed for fact in mine for against in others)
        yield one, other, "contradiction" if clash else "duplicate" if mine & others else "different"


def score_pairs(pairs: Iterable[PairLine], judge: Judge, cosine: Cosine) -> PairsScore:
    """Run the judge on every pair with the cosine of the caller's embedding model."""
    confusion: Counter[tuple[Label, Label]] = Counter()
    for pair in pairs:
        a, b = pair.a.item, pair.b.item
        confusion[(pair.label, VERDICT_LABELS[judge(a, b, cosine(a, b))])] += 1
    return PairsScore(confusion=dict(confusion))


def _has_more(event_id: str, predictions: Predictions, taken: set[Ref]) -> bool:
    return any((event_id, index) not in taken for index in range(len(predictions.get(event_id, ()))))


def _words_of(item: Item) -> set[str]:
    return content_words("\n".join((item.title, item.content, *(quote.quote for quote in item.evidence))))


def _file_rate(matches: Iterable[Match]) -> Rate:
    right = given = wanted = 0
    for found in matches:
        share_of_item, labeled = normalize_paths(found.item.files), normalize_paths(found.gold.files)
        right += len(share_of_item & labeled)
        given += len(share_of_item)
        wanted += len(labeled)
    return Rate(right, given, wanted)


def _tells(item: Item, secret: str | None) -> bool:
    if secret is None:
        return False
    texts = (item.title, item.content, item.schema_key, *item.files, *item.tags, *(q.quote for q in item.evidence))
    return any(secret in text for text in texts)
