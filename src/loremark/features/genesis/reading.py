"""Files read by a child process; one that it cannot read costs only itself."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from loremark.base import clock
from loremark.memory.codebase.records import FileFacts
from loremark.ports.sandbox.child import Child, NoAnswer

_COMMAND = (sys.executable, "-I", "-m", "loremark.features.genesis.child")
_CHUNK_S = 60.0
_FILE_S = 5.0
_LOST_S = 120.0
"""So long a scan waits in all for texts that choke the child; then the whole of a chunk that holds one is left out."""
_START_S = 30.0
_decoder = msgspec.msgpack.Decoder(list[FileFacts])


class NoReader(Exception):
    """The child does not even answer when it is asked about nothing."""


class Reader:
    """One child, for one scan."""

    def __init__(self) -> None:
        self._child = Child(_COMMAND)
        self._lost_s = 0.0
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Let the child come up while other things are prepared; what goes wrong shows at the first reading."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._come_up())

    async def _come_up(self) -> None:
        with suppress(NoAnswer, OSError):
            await self._child.ask(msgspec.msgpack.encode([]), _START_S)

    async def read(self, texts: Mapping[str, str]) -> tuple[dict[str, FileFacts], list[str]]:
        """The facts of each file, and those that could not be read."""
        if self._starting is not None:
            await asyncio.wait((self._starting,))
        begun = clock.monotonic()
        try:
            return await self._ask(texts, _CHUNK_S if self._lost_s <= _LOST_S else _FILE_S), []
        except NoAnswer:
            self._lost_s += clock.monotonic() - begun
        await self._check()
        facts: dict[str, FileFacts] = {}
        unreadable: list[str] = []
        for path, text in texts.items():
            begun = clock.monotonic()
            try:
                if self._lost_s > _LOST_S:
                    raise NoAnswer
                facts |= await self._ask({path: text}, _FILE_S)
            except NoAnswer:
                self._lost_s += clock.monotonic() - begun
                unreadable.append(path)
                facts[path] = FileFacts(None, text.count("\n"))
        return facts, unreadable

    async def _check(self) -> None:
        """A child that cannot work at all is no fault of the files."""
        try:
            await self._child.ask(msgspec.msgpack.encode([]), _START_S)
        except NoAnswer:
            raise NoReader("the process that reads files does not start") from None

    async def _ask(self, texts: Mapping[str, str], timeout_s: float) -> dict[str, FileFacts]:
        if not texts:
            return {}
        answer = await self._child.ask(msgspec.msgpack.encode(list(texts.items())), timeout_s)
        try:
            return dict(zip(texts, _decoder.decode(answer), strict=True))
        except (msgspec.DecodeError, ValueError):
            raise NoAnswer from None

    async def close(self) -> None:
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            await asyncio.wait((starting,))
        await self._child.close()
