"""Asking the memory a question: the answer is collected while it is written."""

from __future__ import annotations

from contextlib import aclosing
from typing import Annotated

import msgspec
from msgspec import Meta

from loremark.mcp.memory import Memory
from loremark.mcp.problem import Problem
from loremark.mcp.shown import cut, framed, one_line
from loremark.mcp.tool import Arguments, Progress, Remembered, Tool
from loremark.wire.answers import AnswerDone, AnswerToken

_ANSWER_CHARS = 20_000
_SOURCES = 12
_TOLD_EVERY_CHARS = 200


class AskArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: Annotated[str, Meta(min_length=3, max_length=4_000, description="One question, in a whole sentence.")]


class AskSource(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    title: str
    cited: bool


class Answer(Remembered):
    answer: str
    sources: list[AskSource]
    model: str


async def _ask(memory: Memory, given: AskArguments, progress: Progress) -> Answer:
    project_id = await memory.project_id(given.project)
    await progress(0, None, "Looking in the project's memory")
    written = told = 0
    done: AnswerDone | None = None
    async with aclosing(memory.client.ask(project_id, given.question)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, AnswerToken):
                written += len(event.content)
                if written - told >= _TOLD_EVERY_CHARS:
                    told = written
                    await progress(written, None, f"{written} characters written")
            else:
                done = event
    if done is None:
        raise Problem("The answer broke off: try again, or use memory_search.")
    if not isinstance(done.answer, str):
        why = one_line(done.error, 200) if isinstance(done.error, str) else "no reason given"
        raise Problem(f"The question could not be answered ({why}): try again, or use memory_search.")
    shown = sorted(done.sources, key=lambda source: not source.used)[:_SOURCES]
    return Answer(
        answer=cut(done.answer, _ANSWER_CHARS),
        sources=[
            AskSource(id=source.item_id, type=source.type, title=source.title, cited=source.used) for source in shown
        ],
        model=done.model,
    )


def _tell(answer: Answer) -> str:
    cited = [source.id for source in answer.sources if source.cited]
    return framed(answer.answer + (f"\n\nEntries: {', '.join(cited)}" if cited else ""))


ASK = Tool(
    "memory_ask",
    "Ask the project's memory",
    "A written answer to a question about the project, made only from its memory, with the entries it rests on. Use it "
    "for why and how questions that touch several entries (“why did we choose …”, “how does … work here”). It takes "
    "some seconds and may cost model tokens; memory_search is quicker for single facts.",
    AskArguments,
    Answer,
    _ask,
    _tell,
    repeats_safely=False,
)
