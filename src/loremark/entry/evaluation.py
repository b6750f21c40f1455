"""``loremark eval``: the built-in engine measured on the shipped sets, on a set of one's own, or on a project."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.base.redaction.redacting import redact_payload
from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.features.items.records import item_text, to_entry
from loremark.memory import dedup, judgement
from loremark.memory.evaluation.loading import EventLine, LabelledSet, load, parse
from loremark.memory.evaluation.report import Report, measure
from loremark.memory.evaluation.scoring import Predictions, Ref, match_all
from loremark.memory.extraction.extract import extract
from loremark.memory.items import Item, RawEvent
from loremark.memory.merging import merge
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.ranking import Filters, Question, rank
from loremark.ports.embeddings.embedder import Embedder

_AT_ONCE = 48
_NEIGHBOURS = 6
_DEPTHS = (1, 5, 10)


@dataclass(frozen=True)
class Retrieval:
    """How often the facts that answer a question are among the items ranked best."""

    questions: int
    recall: dict[int, float]
    mrr: float

    def to_table(self) -> str:
        found = "  ".join(f"R@{depth} {share:.3f}" for depth, share in self.recall.items())
        return f"retrieval  {self.questions} questions  {found}  MRR {self.mrr:.3f}"


def find_items(event: RawEvent) -> list[Item]:
    """As the pipeline does it: no secret is seen by anything that extracts."""
    payload, _ = redact_payload(event.payload)
    return list(extract(RawEvent(event.id, event.event, payload)).items)


async def load_set(split: str, folder: Path | None) -> LabelledSet:
    """A shipped set, or one's own: events.jsonl, and pairs.jsonl and questions.jsonl if there are any."""
    if folder is None:
        if split not in ("dev", "test"):
            raise ValueError("--split must be dev or test")
        return load("dev" if split == "dev" else "test")
    if not (folder / "events.jsonl").is_file():
        raise ValueError(f"{folder} holds no events.jsonl")
    texts = [
        path.read_text(encoding="utf-8") if path.exists() else ""
        for path in (folder / f"{name}.jsonl" for name in ("events", "pairs", "questions"))
    ]
    return parse(folder.name, *texts)


async def evaluate(settings: Settings, labelled: LabelledSet) -> tuple[Report, Retrieval | None]:
    """The figures of the built-in engine on a set, and how the ranking does on its questions."""
    embedder = engines.open_embedder(settings)
    try:
        found = {event.id: find_items(event.raw) for event in labelled.events}
        sides = [side.item for pair in labelled.pairs for side in (pair.a, pair.b)]
        vectors = await _Vectors.of(embedder, [*(item for items in found.values() for item in items), *sides])
        predictions = found
        if embedder.name in judgement.EMBEDDERS:
            predictions = {event.id: _judged(event, found[event.id], vectors) for event in labelled.events}
        report = measure(
            labelled,
            lambda event: list(predictions[event.id]),
            lambda events, found: _cluster(events, found, vectors),
            dedup.judge,
            vectors.cosine,
        )
        retrieval = await _retrieve(embedder, labelled, predictions, vectors)
    finally:
        await embedder.close()
    return report, retrieval


def _judged(event: EventLine, found: Sequence[Item], vectors: _Vectors) -> list[Item]:
    judged = [judgement.judged(item, event.event, vectors.row(item)) for item in found]
    return [item for item in judged if item is not None]


class _Vectors:
    """The vectors of texts, each embedded once."""

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
class _Known:
    item: Item
    vector: NDArray[np.float32]
    refs: list[Ref]


def _cluster(events: Sequence[EventLine], predictions: Predictions, vectors: _Vectors) -> list[list[Ref]]:
    """As the pipeline does it: batch by batch, first among themselves, then against what is known of the project."""
    clusters: list[list[Ref]] = []
    for project in dict.fromkeys(event.project for event in events):
        found = [
            ((event.id, place), item)
            for event in events
            if event.project == project
            for place, item in enumerate(predictions[event.id])
        ]
        known: list[_Known] = []
        for start in range(0, len(found), _AT_ONCE):
            _settle(found[start : start + _AT_ONCE], known, vectors)
        clusters += [entry.refs for entry in known]
    return clusters


def _settle(batch: Sequence[tuple[Ref, Item]], known: list[_Known], vectors: _Vectors) -> None:
    items = [item for _, item in batch]
    matrix = np.stack([vectors.row(item) for item in items])
    before = list(known)
    for group in dedup.group(items, matrix):
        merged = reduce(merge, [items[number] for number in group])
        best = next((number for number in group if items[number].title == merged.title), group[0])
        vector = matrix[best]
        near = sorted(before, key=lambda entry: -float(entry.vector @ vector))[:_NEIGHBOURS]
        place = dedup.choose(merged, vector, [(entry.item, float(entry.vector @ vector)) for entry in near])
        refs = [batch[number][0] for number in group]
        if place is None:
            known.append(_Known(merged, vector, refs))
        else:
            near[place].item = merge(near[place].item, merged)
            near[place].refs += refs


async def _retrieve(
    embedder: Embedder, labelled: LabelledSet, predictions: Predictions, vectors: _Vectors
) -> Retrieval | None:
    """Each question against all items of its project."""
    if not labelled.questions:
        return None
    project_of = {gold.fact: event.project for event in labelled.events for gold in event.gold}
    fact_of = {(match.event.id, match.index): match.gold.fact for match in match_all(labelled.events, predictions)}
    asked = (await embedder.embed([question.question for question in labelled.questions])).vectors
    corpora = {project: _corpus(labelled, project, predictions, vectors) for project in set(project_of.values())}
    hits = dict.fromkeys(_DEPTHS, 0.0)
    reciprocal = 0.0
    for question, vector in zip(labelled.questions, asked, strict=True):
        wanted = set(question.facts)
        corpus, refs = corpora[project_of[question.facts[0]]]
        found = rank(corpus, Question(question.question, vector), Filters(status="draft"), len(refs))
        ranked = [fact_of.get(refs[hit.item_id], "") for hit in found]
        for depth in _DEPTHS:
            hits[depth] += len(wanted & set(ranked[:depth])) / len(wanted)
        first = next((place for place, fact in enumerate(ranked, start=1) if fact in wanted), None)
        reciprocal += 1 / first if first else 0.0
    count = len(labelled.questions)
    return Retrieval(count, {depth: hit / count for depth, hit in hits.items()}, reciprocal / count)


def _corpus(
    labelled: LabelledSet, project: str, predictions: Predictions, vectors: _Vectors
) -> tuple[Corpus, dict[str, Ref]]:
    """All that was found in a project, ranked as the service does it; and which prediction each item is."""
    refs = [
        (event.id, place)
        for event in labelled.events
        if event.project == project
        for place in range(len(predictions[event.id]))
    ]
    entries, rows = [], []
    for number, (event_id, place) in enumerate(refs):
        item = dataclasses.replace(predictions[event_id][place], id=f"{number:06d}", branch=None)
        entries.append(to_entry(item, event_id, 0, merged=False))
        rows.append(vectors.row(predictions[event_id][place]))
    corpus = Corpus.build(entries, np.array(rows, dtype=np.float32))
    return corpus, {entry.item_id: ref for entry, ref in zip(entries, refs, strict=True)}
