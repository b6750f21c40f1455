"""How confident we are that passages answer a question."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.base import log
from loremark.memory.answering.passage_selection import MAX_READ, rate_passages
from loremark.memory.answering.records import Passage
from loremark.ports.reader.reader import Reader, ReaderFailed

_log = log.logger("ask")


async def read_items(reader: Reader, question: str, passages: Sequence[Passage]) -> list[float]:
    """The confidence in each of the first passages. The question must stand alone."""
    first = passages[:MAX_READ]
    return await read_passages(reader, question, first, [f"{passage.title}. {passage.content}" for passage in first])


async def read_passages(
    reader: Reader, question: str, passages: Sequence[Passage], texts: Sequence[str]
) -> list[float]:
    """The confidence in each passage, with the texts to read; without the reader, by similarity alone."""
    answers: list[float] | None = None
    try:
        answers = [reading.answers for reading in await reader.read([(question, text) for text in texts])]
    except ReaderFailed as failure:
        _log.warning("reader model failed, ranking answers by similarity only", error=str(failure))
    return rate_passages(question, texts, [passage.similarity for passage in passages], answers)
