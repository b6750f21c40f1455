"""How an answer is made: found in the memory, then told by the built-in engine or by a model, a piece at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from loremark.base.caller import Scope
from loremark.base.plans import Plan, Plans
from loremark.base.redaction.redacting import redact
from loremark.features.ask.meter import AnswerMeter
from loremark.features.chats import service as chats
from loremark.features.metering.service import TeamMeter
from loremark.features.search.service import SIMILARITY_FLOOR, Finder, FoundItem
from loremark.features.sessions.service import Models, builtin_name
from loremark.memory.answering.checking import check
from loremark.memory.answering.composing import compose
from loremark.memory.answering.condensing import condense
from loremark.memory.answering.prompting import build_prompt
from loremark.memory.answering.records import Composed, Passage, Turn
from loremark.ports.llm import tokens
from loremark.ports.llm.model import Completion, LanguageModel, ModelFailed, Prompt, Usage
from loremark.storage.database import Database, Row

ANSWER_TOKENS = 1_200
_ANSWER_CHARS = 64_000
"""A server that does not keep to the tokens is not listened to any longer."""
_SOURCES = 8
_EARLIER_MESSAGES = 8
_WRITERS = 6
"""Transactions of a team wait for each other. They wait here, where nobody holds a connection that others need."""


@dataclass(frozen=True)
class Kit:
    """What all answers of a process share."""

    database: Database
    finder: Finder
    plans: Plans
    names: Models
    models: dict[str, LanguageModel]
    """By name; a tier served by the built-in engine has none."""
    meter_builtin: bool
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_WRITERS))


@dataclass(frozen=True)
class Asked:
    """A question of somebody who may ask it."""

    scope: Scope
    project_id: str
    chat_id: str
    question: str
    plan: Plan
    ai_tier: str | None


class Making:
    """An answer on its way. Whatever happens, what is here by then was said, found and spent."""

    def __init__(self, kit: Kit, asked: Asked) -> None:
        self._kit = kit
        self._asked = asked
        self._pieces: list[str] = []
        self._chars = 0
        self._finished = False
        self._set_aside_as: str | None = None
        self.found: list[FoundItem] = []
        self.passages: list[Passage] = []
        self.used: tuple[str, ...] = ()
        self.embed_tokens = 0
        self.model = builtin_name(asked.plan, asked.ai_tier)
        self.by_model = False
        self.meter = AnswerMeter(TeamMeter(kit.database, asked.scope, asked.plan, asked.project_id), kit.turns)

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    async def pieces(self) -> AsyncGenerator[str, None]:
        """The answer as it is made. Raises ``ModelFailed`` and ``CapReached``."""
        earlier = await self._earlier()
        question, earlier = await asyncio.to_thread(_without_secrets, self._asked.question, earlier)
        await self._find(condense(question, earlier))
        composed = await asyncio.to_thread(compose, question, earlier, self.passages)
        model = self._model(composed)
        if model is None and self._kit.meter_builtin:
            await self._set_aside(composed)
        made = self._tell(composed) if model is None else self._ask(model, question, earlier)
        async with aclosing(made):
            async for piece in made:
                self._pieces.append(piece)
                yield piece

    async def count(self) -> tuple[int, int]:
        """Tokens of the prompt and of the answer: as the model's server told, or by our own count."""
        if self.by_model:
            return self.meter.prompt_tokens, self.meter.completion_tokens
        if not self._pieces:
            return 0, 0
        return await asyncio.to_thread(self._count, self.text)

    def _count(self, answer: str) -> tuple[int, int]:
        shown = (self._asked.question, *(f"{passage.title}\n{passage.content}" for passage in self.passages))
        return sum(map(tokens.count, shown)), tokens.count(answer)

    def finish(self, text: str, used: tuple[str, ...]) -> None:
        """The answer as it stands in the end."""
        self._pieces = [text]
        self.used = used
        self._finished = True

    async def settle(self) -> None:
        """Before it is kept: a model's word that was interrupted is checked like a whole answer, and all is counted."""
        if self.by_model and not self._finished and self._pieces:
            await self._check()
        if self._set_aside_as is not None:
            await self.meter.spent(self._set_aside_as, Usage(*await self.count()))

    async def _check(self) -> None:
        checked = await asyncio.to_thread(check, self.text, self.passages)
        self.finish(checked.text, checked.used)

    @property
    def sources(self) -> list[FoundItem]:
        """What is shown beside the answer: what is near to the question, and all that was used."""
        return [item for item in self.found if item.similarity >= SIMILARITY_FLOOR or item.item_id in self.used]

    def _model(self, composed: Composed) -> LanguageModel | None:
        """None where there is nothing to ask a model about, or the tier is served by the built-in engine."""
        name = self._kit.names.name_for(self._asked.plan, self._asked.ai_tier)
        return self._kit.models.get(name) if composed.used or self.sources else None

    async def _set_aside(self, composed: Composed) -> None:
        """Where the built-in engine costs something, what the whole answer costs must be left before its first word."""
        needed = await asyncio.to_thread(self._count, composed.text)
        self._set_aside_as = await self.meter.reserve(sum(needed))

    async def _earlier(self) -> list[Turn]:
        async with self._kit.database.read() as tx:
            rows = await chats.list_turns(tx, self._asked.scope, self._asked.chat_id, _EARLIER_MESSAGES)
        return _turns(rows)

    async def _find(self, text: str) -> None:
        """The best, however near: whether they answer the question is decided by reading them."""
        scope, project_id = self._asked.scope, self._asked.project_id
        found = await self._kit.finder.find(scope, project_id, text, limit=_SOURCES, min_similarity=0)
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
            )
            for item in found.sources
        ]

    async def _tell(self, composed: Composed) -> AsyncGenerator[str, None]:
        """By the built-in engine, in words."""
        self.used = composed.used
        for word in _words(composed.text):
            yield word
            await asyncio.sleep(0)  # whoever reads, reads along

    async def _ask(self, model: LanguageModel, question: str, earlier: Sequence[Turn]) -> AsyncGenerator[str, None]:
        """By a model, as it speaks; what it cites is checked when it has ended."""
        self.model, self.by_model = model.name, True
        system, user = build_prompt(question, earlier, self.passages)
        prompt = Prompt(system, user, max_tokens=ANSWER_TOKENS)
        stream = cast(AsyncGenerator[str | Completion, None], model.stream(prompt, self.meter))
        async with aclosing(stream):
            async for part in stream:
                if isinstance(part, Completion):
                    break
                self._chars += len(part)
                if self._chars > _ANSWER_CHARS:
                    raise ModelFailed("malformed", f"the model's answer is longer than {_ANSWER_CHARS} characters")
                yield _readable(part)
        await self._check()


def _turns(rows: Iterable[Row]) -> list[Turn]:
    """Questions with their answers; one whose other half is missing is left out."""
    turns: list[Turn] = []
    question: str | None = None
    for row in rows:
        if row["role"] == "user":
            question = row["content"]
        elif question is not None:
            turns.append(Turn(question, row["content"]))
            question = None
    return turns


def _without_secrets(question: str, earlier: Sequence[Turn]) -> tuple[str, list[Turn]]:
    """As it may be embedded and shown to a model."""
    return redact(question)[0], [Turn(redact(turn.question)[0], redact(turn.answer)[0]) for turn in earlier]


def _words(text: str) -> Iterable[str]:
    """The text in words, each with the space before it."""
    start = 0
    for place in range(1, len(text)):
        if text[place].isspace() and not text[place - 1].isspace():
            yield text[start:place]
            start = place
    if text[start:]:
        yield text[start:]


def _readable(piece: str) -> str:
    """Without what neither JSON nor a database can hold: halves of characters, and NUL."""
    return piece.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
