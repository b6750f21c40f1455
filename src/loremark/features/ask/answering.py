"""Building an answer: searches the memory, then streams text from the built-in engine or a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.plans import Plan, Plans
from loremark.base.redaction.redactor import redact
from loremark.features.ask.meter import AnswerMeter
from loremark.features.ask.quotations import Quotation, find_quotations
from loremark.features.ask.reading import read_items
from loremark.features.chats import service as chats
from loremark.features.metering.service import TeamMeter
from loremark.features.recall.service import Recall
from loremark.features.search.service import SIMILARITY_FLOOR, Finder, SearchHit
from loremark.features.sessions.service import Models, builtin_name
from loremark.memory.answering.citation_check import check_citations
from loremark.memory.answering.extractive_answer import compose_answer
from loremark.memory.answering.follow_ups import resolve_follow_up
from loremark.memory.answering.prompting import build_prompt
from loremark.memory.answering.records import ComposedAnswer, Passage, Turn
from loremark.memory.answering.unreviewed_answer import compose_unreviewed_answer, mark_unreviewed
from loremark.ports.llm import tokens
from loremark.ports.llm.model import Completion, LanguageModel, ModelFailed, Prompt, Usage
from loremark.ports.reader.reader import Reader
from loremark.storage.database import Database, Row

ANSWER_TOKENS = 1_200
_ANSWER_CHARS = 64_000
"""Limit for model servers that ignore ``max_tokens``."""
_SOURCES = 8
_HISTORY_MESSAGES = 8
_WRITE_SLOTS = 6
"""Concurrent write transactions. A team's transactions block each other, and waiting here holds no connection."""


@dataclass(frozen=True)
class Dependencies:
    """Dependencies shared by all answers of a process."""

    database: Database
    finder: Finder
    recall: Recall
    reader: Reader
    plans: Plans
    names: Models
    models: dict[str, LanguageModel]
    """By name. A tier served by the built-in engine has no entry."""
    meter_builtin: bool
    write_slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_WRITE_SLOTS))


@dataclass(frozen=True)
class AnswerRequest:
    """A question whose access checks have passed."""

    scope: Scope
    project_id: str
    chat_id: str
    question: str
    plan: Plan
    ai_tier: str | None
    show_unreviewed: bool


class AnswerBuilder:
    """Builds an answer. After a failure it still holds the text, sources and token usage up to that point."""

    def __init__(self, deps: Dependencies, request: AnswerRequest) -> None:
        self._deps = deps
        self._request = request
        self._pieces: list[str] = []
        self._chars = 0
        self._finished = False
        self._reservation: str | None = None
        self.found: list[SearchHit] = []
        self.quotations: list[Quotation] = []
        """What sessions and commits say, if no item covers the question."""
        self.passages: list[Passage] = []
        self.used: tuple[str, ...] = ()
        self.embed_tokens = 0
        self.model = builtin_name(request.plan, request.ai_tier)
        self.by_model = False
        self.meter = AnswerMeter(
            TeamMeter(deps.database, request.scope, request.plan, request.project_id), deps.write_slots
        )

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Yield the answer as it is produced. Raises ``ModelFailed`` and ``CapReached``."""
        history = await self._load_history()
        question, history = await asyncio.to_thread(_redact, self._request.question, history)
        resolved = resolve_follow_up(question, history)
        await self._find(resolved)
        confidences = await read_items(self._deps.reader, resolved, self.passages)
        composed = await asyncio.to_thread(compose_answer, resolved, self.passages, confidences)
        if not composed.used and self._request.show_unreviewed:
            self.quotations = await find_quotations(
                self._deps.recall, self._deps.reader, self._request.scope, self._request.project_id, resolved
            )
        model = self._choose_model(composed)
        said = [quotation.passage for quotation in self.quotations]
        if said and model is None:
            self.found, self.passages = [], said
            composed = await asyncio.to_thread(compose_unreviewed_answer, resolved, said)
        else:
            self.passages += said
        if model is None and self._deps.meter_builtin:
            await self._reserve(composed)
        stream = self._stream_builtin(composed) if model is None else self._stream_model(model, question, history)
        async with aclosing(stream):
            async for piece in stream:
                self._pieces.append(piece)
                yield piece

    async def count(self) -> tuple[int, int]:
        """Return prompt and completion tokens, as reported by the model or counted for the built-in engine."""
        if self.by_model:
            return self.meter.prompt_tokens, self.meter.completion_tokens
        if not self._pieces:
            return 0, 0
        return await asyncio.to_thread(self._count, self.text)

    def _count(self, answer: str) -> tuple[int, int]:
        shown = (self._request.question, *(f"{passage.title}\n{passage.content}" for passage in self.passages))
        return sum(map(tokens.count, shown)), tokens.count(answer)

    def finish(self, text: str, used: tuple[str, ...]) -> None:
        """Set the final answer."""
        self._pieces = [text]
        self.used = used
        self._finished = True

    async def finalize(self) -> None:
        """Prepare for storing: check the citations of an interrupted model answer and settle the token reservation."""
        if self.by_model and not self._finished and self._pieces:
            await self._check()
        if self._reservation is not None:
            await self.meter.spent(self._reservation, Usage(*await self.count()))

    async def _check(self) -> None:
        checked = await asyncio.to_thread(check_citations, self.text, self.passages)
        self.finish(mark_unreviewed(checked.text, self.passages, checked.used), checked.used)

    @property
    def sources(self) -> list[SearchHit]:
        """Sources to show: items similar enough to the question, and all cited ones."""
        return [item for item in self.found if item.similarity >= SIMILARITY_FLOOR or item.item_id in self.used]

    def _choose_model(self, composed: ComposedAnswer) -> LanguageModel | None:
        """Return the model, or None if nothing was found or the built-in engine serves the tier."""
        name = self._deps.names.name_for(self._request.plan, self._request.ai_tier)
        return self._deps.models.get(name) if composed.used or self.sources or self.quotations else None

    async def _reserve(self, composed: ComposedAnswer) -> None:
        """Reserve the tokens of the whole answer in advance if the built-in engine is metered."""
        needed = await asyncio.to_thread(self._count, composed.text)
        self._reservation = await self.meter.reserve(sum(needed))

    async def _load_history(self) -> list[Turn]:
        async with self._deps.database.read() as tx:
            rows = await chats.list_turns(tx, self._request.scope, self._request.chat_id, _HISTORY_MESSAGES)
        return _turns(rows)

    async def _find(self, text: str) -> None:
        """Find the best items regardless of similarity. Reading decides whether they answer the question."""
        scope, project_id = self._request.scope, self._request.project_id
        found = await self._deps.finder.find(scope, project_id, text, limit=_SOURCES, min_similarity=0)
        self.found, self.embed_tokens = found.sources, found.embed_tokens
        self.passages = [
            Passage(
                item_id=item.item_id,
                type=item.type,
                title=item.title,
                content=item.content,
                schema_key=item.schema_key,
                files=item.files,
                confidence=item.confidence,
                similarity=item.similarity,
                origin="" if item.reviewed else f"{item.source} on {clock.iso(item.updated_at_ms)[:10]}",
                date=clock.iso(item.updated_at_ms)[:10],
            )
            for item in found.sources
        ]

    async def _stream_builtin(self, composed: ComposedAnswer) -> AsyncGenerator[str, None]:
        """Stream the built-in engine's answer word by word."""
        self.used = composed.used
        for word in _words(composed.text):
            yield word
            await asyncio.sleep(0)  # let the reader run

    async def _stream_model(
        self, model: LanguageModel, question: str, history: Sequence[Turn]
    ) -> AsyncGenerator[str, None]:
        """Stream a model's answer and check its citations at the end."""
        self.model, self.by_model = model.name, True
        system, user = build_prompt(question, history, self.passages)
        prompt = Prompt(system, user, max_tokens=ANSWER_TOKENS)
        stream = cast(AsyncGenerator[str | Completion, None], model.stream(prompt, self.meter))
        async with aclosing(stream):
            async for part in stream:
                if isinstance(part, Completion):
                    break
                self._chars += len(part)
                if self._chars > _ANSWER_CHARS:
                    raise ModelFailed("malformed", f"the model's answer is longer than {_ANSWER_CHARS} characters")
                yield _sanitize(part)
        await self._check()


def _turns(rows: Iterable[Row]) -> list[Turn]:
    """Pair questions with answers, skipping incomplete pairs."""
    turns: list[Turn] = []
    question: str | None = None
    for row in rows:
        if row["role"] == "user":
            question = row["content"]
        elif question is not None:
            turns.append(Turn(question, row["content"]))
            question = None
    return turns


def _redact(question: str, history: Sequence[Turn]) -> tuple[str, list[Turn]]:
    """Redact secrets before anything is embedded or sent to a model."""
    return redact(question)[0], [Turn(redact(turn.question)[0], redact(turn.answer)[0]) for turn in history]


def _words(text: str) -> Iterable[str]:
    """Split the text into words, each with the whitespace before it."""
    start = 0
    for position in range(1, len(text)):
        if text[position].isspace() and not text[position - 1].isspace():
            yield text[start:position]
            start = position
    if text[start:]:
        yield text[start:]


def _sanitize(piece: str) -> str:
    """Replace lone surrogates and NUL, which JSON or the database cannot store."""
    return piece.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
