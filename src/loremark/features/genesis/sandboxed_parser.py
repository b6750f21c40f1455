"""Parses files in a sandboxed child process, so that a file that breaks the parser affects only itself."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from loremark.base import clock
from loremark.memory.codebase.records import FileFacts
from loremark.ports.sandbox.child import PROTECTIONS, Child, NoAnswer, Protection

_COMMAND = (sys.executable, "-I", "-m", "loremark.features.genesis.parser_process")
_CHUNK_S = 60.0
_FILE_S = 5.0
_LOST_S = 120.0
"""Total time a scan spends on files that break the parser. After that, whole chunks with such files are skipped."""
_START_S = 30.0
_decoder = msgspec.msgpack.Decoder(list[FileFacts])


async def list_protections() -> list[Protection]:
    """Start a parser and return what confines it on this machine."""
    child = Child((*_COMMAND, PROTECTIONS))
    try:
        answer = await child.ask(msgspec.msgpack.encode([]), _START_S)
    except (NoAnswer, OSError):
        raise ParserUnavailable("the parser process failed to start") from None
    finally:
        await child.close()
    return msgspec.msgpack.decode(answer, type=list[Protection])


class ParserUnavailable(Exception):
    """The child process does not respond even to an empty request."""


class SandboxedParser:
    """The parser process of one scan."""

    def __init__(self) -> None:
        self._child = Child(_COMMAND)
        self._lost_s = 0.0
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the child process in the background. Errors surface at the first read."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._warm_up())

    async def _warm_up(self) -> None:
        with suppress(NoAnswer, OSError):
            await self._child.ask(msgspec.msgpack.encode([]), _START_S)

    async def read(self, texts: Mapping[str, str]) -> tuple[dict[str, FileFacts], list[str]]:
        """Return the facts of each file, and the paths that could not be parsed."""
        if self._starting is not None:
            await asyncio.wait((self._starting,))
        started = clock.monotonic()
        try:
            return await self._ask(texts, _CHUNK_S if self._lost_s <= _LOST_S else _FILE_S), []
        except NoAnswer:
            self._lost_s += clock.monotonic() - started
        await self._check()
        facts: dict[str, FileFacts] = {}
        failed: list[str] = []
        for path, text in texts.items():
            started = clock.monotonic()
            try:
                if self._lost_s > _LOST_S:
                    raise NoAnswer
                facts |= await self._ask({path: text}, _FILE_S)
            except NoAnswer:
                self._lost_s += clock.monotonic() - started
                failed.append(path)
                facts[path] = FileFacts(None, text.count("\n"))
        return facts, failed

    async def _check(self) -> None:
        """Raise if the child process does not work at all, which is not the files' fault."""
        try:
            await self._child.ask(msgspec.msgpack.encode([]), _START_S)
        except NoAnswer:
            raise ParserUnavailable("the parser process failed to start") from None

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
