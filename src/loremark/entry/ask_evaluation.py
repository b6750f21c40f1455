"""Measure answers for ``loremark eval``: the built-in engine is scored by the items it cites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.features.ask.reading import read_items
from loremark.features.items.records import item_text
from loremark.memory.answering.extractive_answer import compose_answer
from loremark.memory.answering.follow_ups import resolve_follow_up
from loremark.memory.answering.records import Passage, Turn
from loremark.memory.evaluation.ask_sets import (
    AskLine,
    AskScore,
    AskSet,
    MemoryLine,
    foreign_questions,
    load_ask_set,
    score_ask_set,
)
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, Split
from loremark.memory.items import Item
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.memory.ranking.ranking import Filters, Hit, Question, rank
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.embeddings.embedding_result import Vectors
from loremark.ports.reader.reader import Reader

_SOURCES = 8


async def evaluate_asks(settings: Settings, split: Split, sets: Path | None = None) -> AskScore:
    """Answer a set's questions like Ask does, without a similarity threshold, and score the citations."""
    asks = load_ask_set(split, sets or CHECKOUT_SETS)
    embedder, reader = engines.open_embedder(settings), engines.open_reader(settings)
    try:
        sources = await _source_finder(embedder, asks)
        cited = {
            line: await _cited(reader, _resolve(line), sources(line))
            for line in (*asks.questions, *foreign_questions(asks))
        }
    finally:
        await embedder.close()
        await reader.close()
    return score_ask_set(asks, cited.__getitem__)


async def _cited(reader: Reader, question: str, passages: Sequence[Passage]) -> Sequence[str]:
    return compose_answer(question, passages, await read_items(reader, question, passages)).used


async def _source_finder(embedder: Embedder, asks: AskSet) -> Callable[[AskLine], list[Passage]]:
    """A function that returns the ranked sources for a question, from its project."""
    items = await embedder.embed([text_of(line) for line in asks.memory])
    texts = list(dict.fromkeys(map(_resolve, asks.questions)))
    vectors = dict(zip(texts, (await embedder.embed(texts)).vectors, strict=True))
    corpora = _corpora(asks.memory, items.vectors)
    known = {line.key: line for line in asks.memory}

    def sources(line: AskLine) -> list[Passage]:
        question = Question(_resolve(line), vectors[_resolve(line)])
        hits = rank(corpora[line.project], question, Filters(), _SOURCES)
        return [_passage(known[hit.item_id], hit) for hit in hits]

    return sources


def _resolve(line: AskLine) -> str:
    """The question as it is searched and read."""
    return resolve_follow_up(line.question, [Turn(turn.question, turn.answer) for turn in line.earlier])


def _corpora(memory: Sequence[MemoryLine], vectors: Vectors) -> dict[str, Corpus]:
    corpora = {}
    for project in dict.fromkeys(line.project for line in memory):
        indexes = [index for index, line in enumerate(memory) if line.project == project]
        corpora[project] = Corpus.build([_entry(memory[index]) for index in indexes], vectors[indexes])
    return corpora


def _entry(line: MemoryLine) -> Entry:
    return Entry(
        item_id=line.key,
        status="approved",
        type=line.type,
        schema_key=line.schema_key,
        session_id=line.session,
        branch=None,
        created_at_ms=0,
        confidence=line.confidence,
        terms=pack_terms(line.title, line.content, line.schema_key, line.files, ()),
    )


def _passage(line: MemoryLine, hit: Hit) -> Passage:
    return Passage(
        item_id=line.key,
        type=line.type,
        title=line.title,
        content=line.content,
        schema_key=line.schema_key,
        files=line.files,
        confidence=line.confidence,
        similarity=hit.similarity,
    )


def text_of(line: MemoryLine) -> str:
    """The text that is embedded for a memory."""
    return item_text(
        Item(
            title=line.title,
            content=line.content,
            type=line.type,
            schema_key=line.schema_key,
            confidence=line.confidence,
            files=line.files,
        )
    )
