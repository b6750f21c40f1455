"""Keeps slow work out of write transactions, because the writes of all teams wait for the one that is open.

The storage layer marks tasks that hold a write transaction. What can take long, such as receiving a body or searching a
text for secrets, refuses to run in one, so any test that reaches such code finds the fault.
"""

from __future__ import annotations

import asyncio
from typing import Any

_writing: set[asyncio.Task[Any] | None] = set()


def start_writing() -> asyncio.Task[Any] | None:
    """Mark the current task as holding a write transaction. Pass the result to ``end_writing``."""
    task = asyncio.current_task()
    _writing.add(task)
    return task


def end_writing(task: asyncio.Task[Any] | None) -> None:
    _writing.discard(task)


def refuse_while_writing(what: str) -> None:
    """Raise if the current task holds a write transaction."""
    if _writing and asyncio.current_task() in _writing:
        raise RuntimeError(f"{what} inside a write transaction")
