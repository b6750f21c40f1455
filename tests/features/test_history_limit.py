"""The number of revisions kept of one item or context is limited."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from loremark.base.caller import Scope
from loremark.features.history import store as history
from loremark.storage.tables import revisions
from tests.support.service import Service

pytestmark = pytest.mark.anyio

APPROVED = {3, 4, 700}


async def _record_many(service: Service, team_id: str, record_id: str, approved: set[int], versions: range) -> None:
    async with service.runtime.database.write() as tx:
        for version in versions:
            await history.record(
                tx,
                Scope(team_id),
                record_kind="item",
                record_id=record_id,
                project_id=None,
                version=version,
                snapshot={"status": "approved" if version in approved else "draft", "title": f"Edit {version}"},
                reason="edited",
                actor_id=None,
            )


async def _versions(service: Service, record_id: str) -> list[int]:
    query = select(revisions.c.version).where(revisions.c.record_id == record_id).order_by(revisions.c.version)
    async with service.runtime.database.read() as tx:
        return [row["version"] for row in await tx.many(query)]


async def test_the_oldest_revisions_go_first(service: Service) -> None:
    """The first one stays, and what was approved and when that ended."""
    owner = await service.owner()
    await _record_many(service, owner.team_id, "itm_edited", APPROVED, range(1, 1_001))
    kept = await _versions(service, "itm_edited")
    assert len(kept) == history.KEPT_REVISIONS
    assert {1, *APPROVED, 5, 701} <= set(kept)
    newest = history.KEPT_REVISIONS - 4
    assert kept[-newest:] == list(range(1_001 - newest, 1_001))


async def test_a_history_of_approved_texts_is_limited_too(service: Service) -> None:
    owner = await service.owner()
    last = history.KEPT_REVISIONS + 100
    await _record_many(service, owner.team_id, "itm_approved", set(range(last + 1)), range(1, last + 1))
    assert await _versions(service, "itm_approved") == [1, *range(102, last + 1)]


async def test_a_short_history_is_complete(service: Service) -> None:
    owner = await service.owner()
    await _record_many(service, owner.team_id, "itm_short", set(), range(1, history.KEPT_REVISIONS + 1))
    assert len(await _versions(service, "itm_short")) == history.KEPT_REVISIONS
