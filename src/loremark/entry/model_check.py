"""Tests the configured model servers at startup, in the background, and logs what is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from loremark.base import log
from loremark.features.models.service import ModelDirectory

_log = log.logger("models")


@asynccontextmanager
async def check_models(models: ModelDirectory) -> AsyncIterator[None]:
    """Test the models while the block runs. A server that is down must not keep ours from starting."""
    checking = asyncio.create_task(_check(models))
    try:
        yield
    finally:
        checking.cancel()
        with suppress(asyncio.CancelledError):
            await checking


async def _check(models: ModelDirectory) -> None:
    tested: set[tuple[str, str]] = set()
    for entry in models.entries():
        if entry.server is None or (entry.model, entry.server) in tested:
            continue
        tested.add((entry.model, entry.server))
        result = await models.test(entry.purpose)
        write = _log.info if result.ok else _log.warning
        event = "model works" if result.ok else "model does not work"
        write(event, purpose=entry.purpose, model=entry.model, server=entry.server, result=result.message)
