"""The actors of the contract tests, shared per database engine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.contract.cast import Cast, open_cast
from tests.support import databases


@pytest.fixture(scope="package", params=databases.ENGINES)
async def cast(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, anyio_backend: object
) -> AsyncIterator[Cast]:
    async with open_cast(request.param, tmp_path_factory.mktemp("contract")) as opened:
        yield opened
