"""The contract's limits on Genesis: rate, files, concurrent scans and value ranges."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from loremark.base import clock, limits
from loremark.memory.codebase.records import Finding
from tests.contract.cast import Cast
from tests.contract.contract import load
from tests.contract.error_cases import valid
from tests.contract.examples import BY_NAME
from tests.contract.examples_genesis import REPOSITORY, ask_of, keep_scan, project_with_repository
from tests.features.signed_tool import tool_for

pytestmark = pytest.mark.anyio

CONTRACT = load()
START = BY_NAME["genesis.start"]


async def test_scan_rate_limit_per_team(cast: Cast) -> None:
    most = CONTRACT.limit("rate.genesis_start").value
    assert isinstance(most, int)
    hour_ms = (clock.now_ms() // 3_600_000 - 2) * 3_600_000
    async with cast.elsewhere(LOREMARK_ROUTE_LIMITS="login=1000/minute") as service:
        owner = await service.owner()
        statuses, refused = [], None
        with clock.use(lambda: hour_ms + 3_600_000 - 42_500):
            for _ in range(most + 1):
                tool = await tool_for(owner)
                await owner.patch(f"/api/projects/{tool.project_id}", {"repoUrl": REPOSITORY})
                raw = b'{"projectId": "%s"}' % tool.project_id.encode()
                refused = await service.http.post(START.path, content=raw, headers=tool.headers(raw))
                statuses.append(refused.status_code)
        assert statuses == [202] * most + [429]
        assert refused is not None
        assert refused.json() == {"error": "Rate limit exceeded"}
        assert refused.headers["retry-after"] == "43"


async def test_max_files_range(cast: Cast) -> None:
    limit = CONTRACT.limit("count.max_files")
    assert (limit.min, limit.max, limit.default) == (1, limits.SCAN_FILES, limits.SCAN_FILES_DEFAULT)
    for count, status in ((0, 400), (1, 202), (limits.SCAN_FILES, 202), (limits.SCAN_FILES + 1, 400)):
        ask = await valid(cast, START)
        answer = await cast.send(cast["owner"], START, replace(ask, json={**ask.json, "maxFiles": count}))
        assert answer.status_code == status, (count, answer.text)


async def test_one_scan_per_project_under_concurrency(cast: Cast) -> None:
    assert CONTRACT.limit("count.scans").value == 1
    project = await project_with_repository(cast)
    ask = await ask_of(cast, project, by_body=True)
    answers = await asyncio.gather(*(cast.send(cast["owner"], START, ask) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 7


async def test_progress_and_importance_ranges(cast: Cast) -> None:
    progress, importance = CONTRACT.limit("score.progress"), CONTRACT.limit("score.importance")
    project = await cast.project()
    await keep_scan(cast, project, "complete")
    ask = await ask_of(cast, project, by_body=False)
    scan = (await cast.send(cast["owner"], BY_NAME["genesis.status"], ask)).json()["scan"]
    assert (scan["progress"], progress.min, progress.max) == (1.0, 0.0, 1.0)
    (found,) = (await cast.send(cast["owner"], BY_NAME["genesis.results"], ask)).json()["findings"]
    assert (importance.min, importance.max) == (1, 5)
    assert importance.min <= found["importance"] <= importance.max
    assert Finding.__annotations__["importance"] == "int"
