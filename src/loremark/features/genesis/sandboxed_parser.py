"""Parses files in a sandboxed child process, so that a file that breaks the parser affects only itself."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from loremark.memory.codebase.records import FileFacts
from loremark.ports.sandbox.child import PROTECTIONS, Child, NoAnswer, Protection

_COMMAND = (sys.executable, "-I", "-m", "loremark.features.genesis.parser_process")
_CHUNK_S = 60.0
_FILE_S = 5.0
_START_S = 30.0
MOST_CPU_S = 600
"""The default budget of a scan, in CPU seconds. Source code usually takes one per megabyte."""
_SMALL_SHARE = 1 / 20
_SHARE_PER_MB = 1 / 60
"""What a scan may use of the budget before it has read anything, and more for each megabyte."""
_MAX_CHARS = 262_144
"""As many characters of a file are parsed."""
_FILE_CPU_S = 5.0
_CHUNK_CPU_S = 5.0
_CPU_S_PER_MB = 10.0
"""What a chunk may use, and more for each megabyte of it."""
_MB = 1_000_000
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
    """The parser process of one scan, with a budget of CPU time that grows with what it reads."""

    def __init__(self, most_cpu_s: float = MOST_CPU_S) -> None:
        self._child = Child(_COMMAND)
        self._most_cpu_s = most_cpu_s
        self._chars = 0
        self._starting: asyncio.Task[None] | None = None

    @property
    def is_exhausted(self) -> bool:
        """Whether the budget is used up. Then nothing more is parsed."""
        return self._left_s() <= 0

    def _left_s(self) -> float:
        share = min(1.0, _SMALL_SHARE + _SHARE_PER_MB * self._chars / _MB)
        return self._most_cpu_s * share - self._child.cpu_s

    def start(self) -> None:
        """Start the child process in the background. Errors surface at the first read."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._warm_up())

    async def _warm_up(self) -> None:
        with suppress(NoAnswer, OSError):
            await self._child.ask(msgspec.msgpack.encode([]), _START_S)

    async def read(self, texts: Mapping[str, str]) -> tuple[dict[str, FileFacts], list[str]]:
        """Return the facts of each file, and the paths that could not be parsed.

        Files that the budget does not suffice for are in neither.
        """
        if self._starting is not None:
            await asyncio.wait((self._starting,))
        self._chars += _chars(texts)
        if self.is_exhausted:
            return {}, []
        with suppress(NoAnswer):
            chunk_s = _CHUNK_CPU_S + _CPU_S_PER_MB * _chars(texts) / _MB
            # If a file breaks the parser, this is lost, and the budget must suffice for the other files.
            return await self._ask(texts, _CHUNK_S, min(chunk_s, self._left_s() / 4)), []
        facts: dict[str, FileFacts] = {}
        failed: list[str] = []
        for path, text in texts.items():
            if self.is_exhausted:
                break
            if not self._child.is_running:
                await self._check()
            try:
                facts |= await self._ask({path: text}, _FILE_S, _FILE_CPU_S)
            except NoAnswer:
                failed.append(path)
                facts[path] = FileFacts(None, text.count("\n"))
        return facts, failed

    async def _check(self) -> None:
        """Raise if the child process does not work at all, which is not the files' fault."""
        try:
            await self._child.ask(msgspec.msgpack.encode([]), _START_S)
        except NoAnswer:
            raise ParserUnavailable("the parser process failed to start") from None

    async def _ask(self, texts: Mapping[str, str], timeout_s: float, cpu_s: float) -> dict[str, FileFacts]:
        if not texts:
            return {}
        answer = await self._child.ask(msgspec.msgpack.encode(list(texts.items())), timeout_s, cpu_s)
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


def _chars(texts: Mapping[str, str]) -> int:
    return sum(min(len(text), _MAX_CHARS) for text in texts.values())
