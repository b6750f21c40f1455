"""The tool server that is mounted at /mcp: made at its first request, and again where that failed."""

from __future__ import annotations

from typing import Any, cast

import pytest

from loremark.entry.mounting import Mount
from loremark.web.needs import Origins

pytestmark = pytest.mark.anyio


class Endpoint:
    closed = False

    async def close(self) -> None:
        self.closed = True


async def test_a_first_request_that_fails_breaks_neither_the_next_nor_the_stop() -> None:
    mount = Mount("http://127.0.0.1", cast(Any, None), cast(Any, None), Origins(frozenset()))
    made: list[Any] = []

    def make() -> Any:
        if not made:
            made.append(Endpoint())
            raise OSError(24, "Too many open files")
        return made[0]

    mount.make = make
    with pytest.raises(OSError, match="Too many"):
        await mount._endpoint()
    assert await mount._endpoint() is made[0]
    assert await mount._endpoint() is made[0]
    await mount.close()
    assert all(one.closed for one in made)

    mount.make = lambda: cast(Any, [][0])
    mount._making = None
    with pytest.raises(IndexError):
        await mount._endpoint()
    await mount.close()
