"""Files read by a child process; one that it cannot read costs only itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import msgspec

from cairn.memory.codebase.records import FileFacts
from cairn.ports.sandbox.child import Child, NoAnswer

_COMMAND = (sys.executable, "-I", "-m", "cairn.features.genesis.child")
_CHUNK_S = 60.0
_FILE_S = 5.0
_decoder = msgspec.msgpack.Decoder(list[FileFacts])


class Reader:
    """One child, for one scan."""

    def __init__(self) -> None:
        self._child = Child(_COMMAND)

    async def read(self, texts: Mapping[str, str]) -> tuple[dict[str, FileFacts], list[str]]:
        """The facts of each file, and those that could not be read."""
        try:
            return await self._ask(texts, _CHUNK_S), []
        except NoAnswer:
            pass
        facts: dict[str, FileFacts] = {}
        unreadable: list[str] = []
        for path, text in texts.items():
            try:
                facts |= await self._ask({path: text}, _FILE_S)
            except NoAnswer:
                unreadable.append(path)
                facts[path] = FileFacts(None, text.count("\n"))
        return facts, unreadable

    async def _ask(self, texts: Mapping[str, str], timeout_s: float) -> dict[str, FileFacts]:
        if not texts:
            return {}
        answer = await self._child.ask(msgspec.msgpack.encode(list(texts.items())), timeout_s)
        try:
            return dict(zip(texts, _decoder.decode(answer), strict=True))
        except (msgspec.DecodeError, ValueError):
            raise NoAnswer from None

    async def close(self) -> None:
        await self._child.close()
