"""Measure answers for ``loremark eval``: the built-in engine is scored by the items it cites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.features.items.records import item_text
from loremark.memory.answering.extractive_answer import compose_answer
from loremark.memory.answering.follow_ups import resolve_follow_up
from loremark.memory.answering.records import Passage, Turn
from loremark.memory.evaluation.ask_sets import AskLine, AskScore, AskSet, MemoryLine, load_ask_set, score_ask_set
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, Split
from loremark.memory.items import Item
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.memory.ranking.ranking import Filters, Hit, Question, rank
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.embeddings.embedding_result import Vectors

_SOURCES = 8


async def evaluate_asks(settings: Settings, split: Split, sets: Path | None = None) -> AskScore:
    """Answer a set's questions like Ask does, without a similarity threshold, and score the citations."""
    asks = load_ask_set(split, sets or CHECKOUT_SETS)
    embedder = engines.open_embedder(settings)
    try:
        sources = await build_source_finder(embedder, asks)
    finally:
        await embedder.close()
    return score_ask_set(asks, lambda line: compose_answer(line.question, earlier_turns(line), sources(line)).used)


async def build_source_finder(embedder: Embedder, asks: AskSet) -> Callable[[AskLine], list[Passage]]:
    """A function that returns the ranked sources for a question, from its project."""
    items = await embedder.embed([text_of(line) for line in asks.memory])
    texts = list(dict.fromkeys(map(_condensed, asks.questions)))
    vectors = dict(zip(texts, (await embedder.embed(texts)).vectors, strict=True))
    corpora = _corpora(asks.memory, items.vectors)
    known = {line.key: line for line in asks.memory}

    def sources(line: AskLine) -> list[Passage]:
        question = Question(_condensed(line), vectors[_condensed(line)])
        hits = rank(corpora[line.project], question, Filters(), _SOURCES)
        return [_passage(known[hit.item_id], hit) for hit in hits]

    return sources


def _condensed(line: AskLine) -> str:
    return resolve_follow_up(line.question, earlier_turns(line))


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


def earlier_turns(line: AskLine) -> list[Turn]:
    """The earlier turns of the chat."""
    return [Turn(turn.question, turn.answer) for turn in line.earlier]
