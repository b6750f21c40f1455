"""Ask the memory a question and collect the streamed answer."""

from __future__ import annotations

from contextlib import aclosing
from typing import Annotated

import msgspec
from msgspec import Meta

from loremark.mcp.errors import ToolError
from loremark.mcp.formatting import fenced, one_line, truncate, unreviewed_mark
from loremark.mcp.memory import Memory
from loremark.mcp.tool import Arguments, MemoryResult, Progress, Tool
from loremark.wire.answers import AnswerDone, AnswerToken

_ANSWER_CHARS = 20_000
_SOURCES = 12
_PROGRESS_EVERY_CHARS = 200


class AskArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: Annotated[str, Meta(min_length=3, max_length=4_000, description="One question, as a full sentence.")]


class AskSource(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    title: str
    cited: bool
    reviewed: bool = True
    session_id: str = ""


class Answer(MemoryResult):
    answer: str
    sources: list[AskSource]
    model: str


async def _ask(memory: Memory, given: AskArguments, progress: Progress) -> Answer:
    project_id = await memory.project_id(given.project)
    await progress(0, None, "Searching project memory")
    written = reported = 0
    done: AnswerDone | None = None
    async with aclosing(memory.client.ask(project_id, given.question)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, AnswerToken):
                written += len(event.content)
                if written - reported >= _PROGRESS_EVERY_CHARS:
                    reported = written
                    await progress(written, None, f"{written} characters written")
            else:
                done = event
    if done is None:
        raise ToolError("The answer ended early: try again, or use memory_search.")
    if not isinstance(done.answer, str):
        why = one_line(done.error, 200) if isinstance(done.error, str) else "no reason given"
        raise ToolError(f"The question could not be answered ({why}): try again, or use memory_search.")
    sources = sorted(done.sources, key=lambda source: not source.used)[:_SOURCES]
    return Answer(
        answer=truncate(done.answer, _ANSWER_CHARS),
        sources=[
            AskSource(
                id=source.item_id,
                type=source.type,
                title=source.title,
                cited=source.used,
                reviewed=source.reviewed is not False,
                session_id=source.session_id if isinstance(source.session_id, str) else "",
            )
            for source in sources
        ],
        model=done.model,
    )


def _render(answer: Answer) -> str:
    cited = [
        source.id if source.reviewed else f"{source.id} ({unreviewed_mark(source.session_id)})"
        for source in answer.sources
        if source.cited
    ]
    return fenced(answer.answer + (f"\n\nSources: {', '.join(cited)}" if cited else ""))


ASK = Tool(
    "memory_ask",
    "Ask project memory",
    "Answer a question about the project from its memory, with sources. Use it for why and how questions that involve "
    "several items (“why did we choose …”, “how does … work here”). Takes a few seconds and may use model tokens; for "
    "single facts, memory_search is faster.",
    AskArguments,
    Answer,
    _ask,
    _render,
    idempotent=False,
)
