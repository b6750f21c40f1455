"""The questions of ``loremark eval``: ranked, answered by the built-in engine, scored by the items it cites."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.features.items.records import item_text
from loremark.memory.answering.composing import compose
from loremark.memory.answering.condensing import condense
from loremark.memory.answering.records import Passage, Turn
from loremark.memory.evaluation.asking import AskLine, AskScore, AskSet, MemoryLine, load_asks, score_asks
from loremark.memory.evaluation.loading import Split
from loremark.memory.items import Item
from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.memory.ranking.ranking import Filters, Hit, Question, rank
from loremark.ports.embeddings.embedded import Vectors
from loremark.ports.embeddings.embedder import Embedder

_SOURCES = 8


async def evaluate_asks(settings: Settings, split: Split) -> AskScore:
    """As Ask does it, with as many sources; however far they are, the answer itself decides what it cites."""
    asks = load_asks(split)
    embedder = engines.open_embedder(settings)
    try:
        sources = await sources_of(embedder, asks)
    finally:
        await embedder.close()
    return score_asks(asks, lambda line: compose(line.question, turns_of(line), sources(line)).used)


async def sources_of(embedder: Embedder, asks: AskSet) -> Callable[[AskLine], list[Passage]]:
    """What the ranking finds for a question of the set, in the project that the line names."""
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
    return condense(line.question, turns_of(line))


def _corpora(memory: Sequence[MemoryLine], vectors: Vectors) -> dict[str, Corpus]:
    corpora = {}
    for project in dict.fromkeys(line.project for line in memory):
        places = [place for place, line in enumerate(memory) if line.project == project]
        corpora[project] = Corpus.build([_entry(memory[place]) for place in places], vectors[places])
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
    """What is embedded of it."""
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


def turns_of(line: AskLine) -> list[Turn]:
    """What was said before."""
    return [Turn(turn.question, turn.answer) for turn in line.earlier]
