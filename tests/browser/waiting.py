"""What a page shows at once reaches the server a little later."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def eventually(ask: Callable[[], object], wanted: object, seconds: float = 60.0) -> None:
    """Until the server answers what is wanted; what it says last is compared at the end."""
    stop = time.monotonic() + seconds
    while time.monotonic() < stop and ask() != wanted:
        await asyncio.sleep(0.05)
    found = ask()
    assert found == wanted, found
