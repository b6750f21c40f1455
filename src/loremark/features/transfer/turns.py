"""Whose exports may run: a few at once, few of them one team's, fewer one person's.

Each holds a connection and a snapshot of the database for as long as somebody reads it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, finalize

from loremark.base import errors, log
from loremark.base.caller import Caller
from loremark.storage.database import Database

AT_ONCE = 8
OF_TEAM = 3
OF_PERSON = 2
_RETRY_S = 10
_READER_S = 30.0
"""So long a reader may take for one piece."""

_log = log.logger("transfer")


class Turn:
    """Leave to run; it is given back when it ends, or when nobody has it any more."""

    end: finalize[[Counter[str], tuple[str, ...]], Turn]


class Turns:
    """Those of one database."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    def take(self, caller: Caller) -> Turn:
        """One's turn, now or not at all: a silent wait would look like a server that has stopped."""
        bounds = {"": AT_ONCE, caller.team_id: OF_TEAM, caller.user_id: OF_PERSON}
        if any(self._held[name] >= most for name, most in bounds.items()):
            raise errors.UNAVAILABLE({"Retry-After": str(_RETRY_S)})
        self._held.update(bounds.keys())
        turn = Turn()
        turn.end = finalize(turn, _give_back, self._held, tuple(bounds))
        turn.end.atexit = False
        return turn


def _give_back(held: Counter[str], names: tuple[str, ...]) -> None:
    held.subtract(names)
    for name in names:
        if not held[name]:
            del held[name]


_turns: WeakKeyDictionary[Database, Turns] = WeakKeyDictionary()


def take_turn(database: Database, caller: Caller) -> Turn:
    """Refused where too many run already."""
    return _turns.setdefault(database, Turns()).take(caller)


@contextmanager
def patience(project_id: str) -> Iterator[None]:
    """While a reader has a piece: one who takes nothing is left, so that the snapshot ends and others get their turn.

    A stream is sent by the task that asks for its pieces; that is the one to be ended.
    """

    def leave(task: asyncio.Task[Any]) -> None:
        _log.warning("the reader of an export takes nothing, it ends", project_id=project_id)
        task.cancel()

    sending = asyncio.current_task()
    assert sending is not None
    timer = asyncio.get_running_loop().call_later(_READER_S, leave, sending)
    try:
        yield
    finally:
        timer.cancel()
