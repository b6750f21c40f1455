"""The contract's limits on search."""

from __future__ import annotations

import pytest

from loremark.base import limits
from tests.contract.cast import Cast
from tests.contract.contract import load
from tests.contract.examples_memory import make_item

pytestmark = pytest.mark.anyio

CONTRACT = load()


async def test_search_result_limit(cast: Cast) -> None:
    limit, least = CONTRACT.limit("count.search"), CONTRACT.limit("score.min_similarity")
    assert (limit.max, least.default) == (limits.SEARCH_RESULTS, 0.5)
    project = await cast.project()
    for number in range(limits.SEARCH_RESULTS + 2):
        await make_item(cast, project, title=f"Sessions number {number}", status="approved", branch=None)
    path = f"/api/v2/search?projectId={project}&q=sessions"

    async def count(query: str) -> int:
        answer = await cast.owner.get(path + query)
        assert answer.status_code == 200, answer.text
        return len(answer.json()["results"])

    assert await count("&minSimilarity=0") == limit.default
    assert await count(f"&minSimilarity=0&limit={limit.max}") == limit.max
    assert await count(f"&minSimilarity=0&limit={limit.min}") == limit.min
    assert await count("&minSimilarity=1") == 0
    for query, name in (
        ("&limit=0", "limit"),
        (f"&limit={limits.SEARCH_RESULTS + 1}", "limit"),
        ("&minSimilarity=-0.1", "minSimilarity"),
        ("&minSimilarity=1.1", "minSimilarity"),
        ("&minSimilarity=nan", "minSimilarity"),
    ):
        answer = await cast.owner.get(path + query)
        assert answer.status_code == 400, query
        assert answer.json()["error"].startswith(f"{name} "), answer.text
