"""Reserves and settles tokens so that cancellation loses neither."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from loremark.ports.llm.attempt import Answer
from loremark.ports.llm.model import Meter

T = TypeVar("T")


async def _finished(work: Coroutine[Any, Any, T]) -> tuple[asyncio.Task[T], asyncio.CancelledError | None]:
    """Run to completion even if cancelled. Return the cancellation, to be raised later."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    return task, cancelled


async def reserve(meter: Meter, tokens: int) -> str:
    """Reserve tokens. If cancelled meanwhile, release them before raising."""
    task, cancelled = await _finished(meter.reserve(tokens))
    if cancelled is None:
        return task.result()
    if not task.cancelled() and task.exception() is None:
        await _finished(meter.release(task.result()))
    raise cancelled


async def settle(meter: Meter, reservation: str, answer: Answer, sent_tokens: int, *, free: bool) -> None:
    """Settle an attempt: release the reservation, or charge for what was sent and received."""
    task, cancelled = await _finished(_settle(meter, reservation, answer, sent_tokens, free))
    if cancelled is not None:
        raise cancelled
    task.result()


async def _settle(meter: Meter, reservation: str, answer: Answer, sent_tokens: int, free: bool) -> None:
    if free:
        await meter.release(reservation)
    else:
        # Counting a long answer takes a while, so do it in a thread.
        await meter.spent(reservation, await asyncio.to_thread(answer.usage, sent_tokens))
