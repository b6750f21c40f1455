"""The MCP server at /mcp is created on the first request, and again if that failed."""

from __future__ import annotations

from typing import Any, cast

import pytest

from loremark.entry.mcp_endpoint import McpMount
from loremark.web.authentication import Origins

pytestmark = pytest.mark.anyio


class Endpoint:
    closed = False

    async def close(self) -> None:
        self.closed = True


async def test_failed_creation_is_retried_and_close_still_works() -> None:
    mount = McpMount("http://127.0.0.1", Origins(frozenset()))
    created: list[Any] = []

    def create() -> Any:
        if not created:
            created.append(Endpoint())
            raise OSError(24, "Too many open files")
        return created[0]

    mount.create_endpoint = create
    with pytest.raises(OSError, match="Too many"):
        await mount._endpoint()
    assert await mount._endpoint() is created[0]
    assert await mount._endpoint() is created[0]
    await mount.close()
    assert all(endpoint.closed for endpoint in created)

    mount.create_endpoint = lambda: cast(Any, [][0])
    mount._creation = None
    with pytest.raises(IndexError):
        await mount._endpoint()
    await mount.close()
