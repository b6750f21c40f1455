"""The arithmetic: which prediction is which labelled fact, and how often engines are right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from loremark.memory.evaluation.loading import EventLine, Gold, Label, PairLine
from loremark.memory.items import Item, RawEvent

Extract = Callable[[RawEvent], list[Item]]
Verdict = Literal["same", "contradicts", "different"]
Judge = Callable[[Item, Item, float], Verdict]
Cosine = Callable[[Item, Item], float]
Ref = tuple[str, int]  # an event's id and the place of a prediction among those of the event
Predictions = Mapping[str, Sequence[Item]]

MATCH_SHARE = 0.5
# An item may tell more than the fact it is matched with: what stands in it nearly whole.
ALSO_TOLD_SHARE = 0.75
LABEL_OF_VERDICT: dict[Verdict, Label] = {"same": "duplicate", "contradicts": "contradiction", "different": "different"}
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
    """Right ones among those given and among those wanted; of nothing, nothing is wrong."""

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
    """A prediction that tells what a labelled fact tells."""

    event: EventLine
    index: int
    item: Item
    gold: Gold

    @property
    def type_is_right(self) -> bool:
        return self.item.type == self.gold.type or self.item.type in self.gold.also

    @property
    def facts(self) -> frozenset[str]:
        """All that the item tells of what its event holds: two rules in one sentence are both told."""
        words = content_words(f"{self.item.title}\n{self.item.content}")
        anchors = ((gold.fact, content_words(gold.anchor)) for gold in self.event.gold)
        also = (fact for fact, anchor in anchors if anchor and len(anchor & words) >= ALSO_TOLD_SHARE * len(anchor))
        return frozenset((self.gold.fact, *also))


@dataclass(frozen=True, slots=True)
class ExtractionScore:
    """How well events became items. Optional facts count neither for nor against."""

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
    """How well predictions were put together: over all pairs of matched predictions of one project."""

    pairs: Rate
    contradictions_merged: int


@dataclass(frozen=True, slots=True)
class PairsScore:
    """How pairs were judged: counts by (label, judged label)."""

    confusion: Mapping[tuple[Label, Label], int]

    def of(self, label: Label) -> Rate:
        return Rate(
            right=self.confusion.get((label, label), 0),
            given=sum(self.confusion.get((other, label), 0) for other in LABELS),
            wanted=sum(self.confusion.get((label, other), 0) for other in LABELS),
        )

    @property
    def drift(self) -> Rate:
        """Drift is found where a contradiction is called one."""
        return self.of("contradiction")

    @property
    def contradictions_called_duplicates(self) -> int:
        return self.confusion.get(("contradiction", "duplicate"), 0)


def content_words(text: str) -> set[str]:
    """The words that carry meaning, numbers among them."""
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS}


def plain_paths(files: Iterable[str]) -> set[str]:
    """Paths in one spelling: no ``./`` before them, slashes as on the web."""
    return {file.replace("\\", "/").removeprefix("./") for file in files}


def match(predicted: Sequence[Item], gold: Sequence[Gold]) -> list[tuple[int, int]]:
    """One to one, the best first: (place of the prediction, place of the gold) of one event."""
    heard = [_words_of(item) for item in predicted]
    ranked: list[tuple[bool, float, float, int, int]] = []
    for at_gold, wanted in enumerate(gold):
        anchor = content_words(wanted.anchor)
        for at_item, words in enumerate(heard):
            share = len(anchor & words) / len(anchor) if anchor else 0.0
            if share >= MATCH_SHARE:
                # An item that says little else is the better match; an optional fact takes only what is left.
                told = len(anchor & words) / len(words)
                ranked.append((wanted.optional, -share, -told, at_item, at_gold))
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
    """What was found, of which type, with which files; what nobody asked for; what must never be told."""
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
    """Pairs that were put together against pairs that tell one fact. What stands in no cluster stands alone."""
    cluster_of = {ref: number for number, cluster in enumerate(clusters) for ref in cluster}
    right = given = wanted = merged = 0
    for one, other, label in labelled_pairs(events, predictions):
        cluster = cluster_of.get((one.event.id, one.index))
        together = cluster is not None and cluster == cluster_of.get((other.event.id, other.index))
        right += together and label == "duplicate"
        given += together
        wanted += label == "duplicate"
        merged += together and label == "contradiction"
    return DedupScore(pairs=Rate(right, given, wanted), contradictions_merged=merged)


def labelled_pairs(events: Sequence[EventLine], predictions: Predictions) -> Iterator[tuple[Match, Match, Label]]:
    """Every two matched predictions of a project and what they are: one fact that both tell is enough to be the same,
    one that the other excludes is enough to contradict it, whatever else they share."""
    opposed = {frozenset((gold.fact, other)) for event in events for gold in event.gold for other in gold.contradicts}
    found = [(match, match.facts) for match in match_all(events, predictions)]
    for (one, mine), (other, others) in combinations(found, 2):
        if one.event.project != other.event.project:
            continue
        clash = any(frozenset((fact, against)) in opposed for fact in mine for against in others)
        yield one, other, "contradiction" if clash else "duplicate" if mine & others else "different"


def score_pairs(pairs: Iterable[PairLine], judge: Judge, cosine: Cosine) -> PairsScore:
    """The judge asked about every pair, with the nearness the caller's embedder gives it."""
    confusion: Counter[tuple[Label, Label]] = Counter()
    for pair in pairs:
        a, b = pair.a.item, pair.b.item
        confusion[(pair.label, LABEL_OF_VERDICT[judge(a, b, cosine(a, b))])] += 1
    return PairsScore(confusion=dict(confusion))


def _has_more(event_id: str, predictions: Predictions, taken: set[Ref]) -> bool:
    return any((event_id, index) not in taken for index in range(len(predictions.get(event_id, ()))))


def _words_of(item: Item) -> set[str]:
    return content_words("\n".join((item.title, item.content, *(quote.quote for quote in item.evidence))))


def _file_rate(matches: Iterable[Match]) -> Rate:
    right = given = wanted = 0
    for found in matches:
        told, labelled = plain_paths(found.item.files), plain_paths(found.gold.files)
        right += len(told & labelled)
        given += len(told)
        wanted += len(labelled)
    return Rate(right, given, wanted)


def _tells(item: Item, secret: str | None) -> bool:
    if secret is None:
        return False
    spoken = (item.title, item.content, item.schema_key, *item.files, *item.tags, *(q.quote for q in item.evidence))
    return any(secret in text for text in spoken)
