"""Redacts what people write, before it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

import msgspec

from loremark.base.redaction.redactor import redact
from loremark.base.slow_work import refuse_while_writing

T = TypeVar("T", bound=msgspec.Struct)

_SHORT_CHARS = 2_000
_BATCH_CHARS = 50_000
_MOST_AT_ONCE = 2
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def redact_structs(structs: Sequence[T], *names: str) -> list[T]:
    """Return the structs with secrets in these fields removed."""
    texts = [(at, name, getattr(struct, name)) for at, struct in enumerate(structs) for name in names]
    texts = [(at, name, text) for at, name, text in texts if isinstance(text, str)]
    redacted: list[dict[str, str]] = [{} for _ in structs]
    for (at, name, _), text in zip(texts, await redact_texts([text for _, _, text in texts]), strict=True):
        redacted[at][name] = text
    return [msgspec.structs.replace(struct, **made) for struct, made in zip(structs, redacted, strict=True)]


async def redact_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts without secrets.

    Long ones are searched in a thread, in batches that take turns with those of other requests: a few at once, because
    searching keeps a processor busy.
    """
    refuse_while_writing("redaction")
    if sum(map(len, texts)) <= _SHORT_CHARS:
        return _redact_all(texts)
    turns = _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_MOST_AT_ONCE))
    done: list[str] = []
    for batch in _batches(texts):
        async with turns:
            done += await asyncio.to_thread(_redact_all, batch)
    return done


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _redact_all(texts: Sequence[str]) -> list[str]:
    return [redact(text)[0] for text in texts]
