"""Poll until the server has caught up with an optimistic update of the page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def eventually(ask: Callable[[], object], wanted: object, seconds: float = 60.0) -> None:
    """Poll until ``ask`` returns ``wanted``; fail with the last value after the timeout."""
    stop = time.monotonic() + seconds
    while time.monotonic() < stop and ask() != wanted:
        await asyncio.sleep(0.05)
    found = ask()
    assert found == wanted, found
