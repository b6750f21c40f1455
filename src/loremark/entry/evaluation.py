"""``loremark eval``: measure the built-in engine on a labelled set."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.base.redaction.redactor import redact_payload
from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.features.items.records import item_text, to_entry
from loremark.memory import dedup, item_classifier
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, EventLine, LabeledSet, load, parse
from loremark.memory.evaluation.report import Report, measure
from loremark.memory.evaluation.scoring import Predictions, Ref, match_all
from loremark.memory.extraction.extract import extract
from loremark.memory.items import Item, RawEvent
from loremark.memory.merging import merge
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.ranking import Filters, Question, rank
from loremark.ports.embeddings.embedder import Embedder

_BATCH = 48
_NEIGHBORS = 6
_DEPTHS = (1, 5, 10)


@dataclass(frozen=True)
class Retrieval:
    """How often search ranks the right items at the top."""

    questions: int
    recall: dict[int, float]
    mrr: float

    def to_table(self) -> str:
        found = "  ".join(f"R@{depth} {share:.3f}" for depth, share in self.recall.items())
        asked = "1 question" if self.questions == 1 else f"{self.questions} questions"
        return f"retrieval  {asked}  {found}  MRR {self.mrr:.3f}"


def find_items(event: RawEvent) -> list[Item]:
    """Extract items like the pipeline does, after redacting secrets."""
    payload, _ = redact_payload(event.payload)
    return list(extract(RawEvent(event.id, event.event, payload)).items)


async def load_set(split: str, sets: Path | None, folder: Path | None) -> LabeledSet:
    """A split of the labeled sets, or a folder with events.jsonl and optionally pairs.jsonl and questions.jsonl."""
    if folder is None:
        if split not in ("dev", "test"):
            raise ValueError("--split must be dev or test")
        return load("dev" if split == "dev" else "test", sets or CHECKOUT_SETS)
    if not (folder / "events.jsonl").is_file():
        raise ValueError(f"{folder} contains no events.jsonl")
    texts = [
        path.read_text(encoding="utf-8") if path.exists() else ""
        for path in (folder / f"{name}.jsonl" for name in ("events", "pairs", "questions"))
    ]
    return parse(folder.name, *texts)


async def evaluate(settings: Settings, labelled: LabeledSet) -> tuple[Report, Retrieval | None]:
    """Measure extraction and deduplication on a set, and search on its questions."""
    embedder = engines.open_embedder(settings)
    try:
        found = {event.id: find_items(event.raw) for event in labelled.events}
        sides = [side.item for pair in labelled.pairs for side in (pair.a, pair.b)]
        vectors = await _Vectors.of(embedder, [*(item for items in found.values() for item in items), *sides])
        predictions = found
        if embedder.name in item_classifier.SUPPORTED_EMBEDDERS:
            predictions = {event.id: _judged(event, found[event.id], vectors) for event in labelled.events}
        report = measure(
            labelled,
            lambda event: list(predictions[event.id]),
            lambda events, found: _cluster(events, found, vectors),
            dedup.classify_pair,
            vectors.cosine,
        )
        retrieval = await _measure_retrieval(embedder, labelled, predictions, vectors)
    finally:
        await embedder.close()
    return report, retrieval


async def judge_items(
    embedder: Embedder, events: Sequence[EventLine], found: Mapping[str, Sequence[Item]]
) -> dict[str, list[Item]]:
    """Return the items that the classifier keeps, by event."""
    vectors = await _Vectors.of(embedder, [item for items in found.values() for item in items])
    return {event.id: _judged(event, found[event.id], vectors) for event in events}


def _judged(event: EventLine, found: Sequence[Item], vectors: _Vectors) -> list[Item]:
    judged = [item_classifier.classify_item(item, event.event, vectors.row(item)) for item in found]
    return [item for item in judged if item is not None]


class _Vectors:
    """Item vectors; each distinct text is embedded once."""

    def __init__(self, rows: dict[str, NDArray[np.float32]]) -> None:
        self._rows = rows

    @classmethod
    async def of(cls, embedder: Embedder, items: Sequence[Item]) -> _Vectors:
        texts = sorted({item_text(item) for item in items})
        if not texts:
            return cls({})
        return cls(dict(zip(texts, (await embedder.embed(texts)).vectors, strict=True)))

    def row(self, item: Item) -> NDArray[np.float32]:
        return self._rows[item_text(item)]

    def cosine(self, one: Item, another: Item) -> float:
        return float(self.row(one) @ self.row(another))


@dataclass
class _KnownItem:
    item: Item
    vector: NDArray[np.float32]
    refs: list[Ref]


def _cluster(events: Sequence[EventLine], predictions: Predictions, vectors: _Vectors) -> list[list[Ref]]:
    """Deduplicate like the pipeline: batch by batch, first within the batch, then against known items."""
    clusters: list[list[Ref]] = []
    for project in dict.fromkeys(event.project for event in events):
        found = [
            ((event.id, index), item)
            for event in events
            if event.project == project
            for index, item in enumerate(predictions[event.id])
        ]
        known: list[_KnownItem] = []
        for start in range(0, len(found), _BATCH):
            _deduplicate_batch(found[start : start + _BATCH], known, vectors)
        clusters += [entry.refs for entry in known]
    return clusters


def _deduplicate_batch(batch: Sequence[tuple[Ref, Item]], known: list[_KnownItem], vectors: _Vectors) -> None:
    items = [item for _, item in batch]
    matrix = np.stack([vectors.row(item) for item in items])
    before = list(known)
    for group in dedup.cluster_items(items, matrix):
        merged = reduce(merge, [items[number] for number in group])
        best = next((number for number in group if items[number].title == merged.title), group[0])
        vector = matrix[best]
        nearest = sorted(before, key=lambda entry: -float(entry.vector @ vector))[:_NEIGHBORS]
        index = dedup.find_duplicate(merged, vector, [(entry.item, float(entry.vector @ vector)) for entry in nearest])
        refs = [batch[number][0] for number in group]
        if index is None:
            known.append(_KnownItem(merged, vector, refs))
        else:
            nearest[index].item = merge(nearest[index].item, merged)
            nearest[index].refs += refs


async def _measure_retrieval(
    embedder: Embedder, labelled: LabeledSet, predictions: Predictions, vectors: _Vectors
) -> Retrieval | None:
    """Search for each question among all items of its project."""
    if not labelled.questions:
        return None
    project_of = {gold.fact: event.project for event in labelled.events for gold in event.gold}
    fact_of = {(match.event.id, match.index): match.gold.fact for match in match_all(labelled.events, predictions)}
    question_vectors = (await embedder.embed([question.question for question in labelled.questions])).vectors
    corpora = {project: _corpus(labelled, project, predictions, vectors) for project in set(project_of.values())}
    hits = dict.fromkeys(_DEPTHS, 0.0)
    reciprocal = 0.0
    for question, vector in zip(labelled.questions, question_vectors, strict=True):
        wanted = set(question.facts)
        corpus, refs = corpora[project_of[question.facts[0]]]
        found = rank(corpus, Question(question.question, vector), Filters(status="draft"), len(refs))
        ranked = [fact_of.get(refs[hit.item_id], "") for hit in found]
        for depth in _DEPTHS:
            hits[depth] += len(wanted & set(ranked[:depth])) / len(wanted)
        first = next((index for index, fact in enumerate(ranked, start=1) if fact in wanted), None)
        reciprocal += 1 / first if first else 0.0
    count = len(labelled.questions)
    return Retrieval(count, {depth: hit / count for depth, hit in hits.items()}, reciprocal / count)


def _corpus(
    labelled: LabeledSet, project: str, predictions: Predictions, vectors: _Vectors
) -> tuple[Corpus, dict[str, Ref]]:
    """A search index of a project's extracted items, and the prediction behind each item."""
    refs = [
        (event.id, index)
        for event in labelled.events
        if event.project == project
        for index in range(len(predictions[event.id]))
    ]
    entries, rows = [], []
    for number, (event_id, index) in enumerate(refs):
        item = dataclasses.replace(predictions[event_id][index], id=f"{number:06d}", branch=None)
        entries.append(to_entry(item, event_id, 0, merged=False))
        rows.append(vectors.row(predictions[event_id][index]))
    corpus = Corpus.build(entries, np.array(rows, dtype=np.float32))
    return corpus, {entry.item_id: ref for entry, ref in zip(entries, refs, strict=True)}
