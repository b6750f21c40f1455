"""Reverts: what a commit taught is no longer served once the commit is reverted, and is again if the revert is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.memory_project import Memory, digest, save
from tests.features.steps import run_sql
from tests.support.service import Service

pytestmark = [pytest.mark.anyio, pytest.mark.both_engines]

POOL = "a1" * 20
UNDO = "b2" * 20
REDO = "c3" * 20
SUBJECT = "feat(pool): one connection pool per tenant (#12)"
WHY = "One tenant with slow queries took all connections, so requests of the others waited for minutes and timed out."
LEARNED = (POOL, f"{SUBJECT}\n\n{WHY}", ["src/pool.py"])
REVERT = (UNDO, f'Revert "{SUBJECT}" (#14)\n\nThis reverts commit {POOL}.', ["src/pool.py"])
EXPLAINED = (
    UNDO,
    f'Revert "{SUBJECT}" (#14)\n\nThis reverts commit {POOL}.\n\n'
    "Eighty tenants with ten connections each exceed what the database allows.",
    ["src/pool.py"],
)


async def _learn(service: Service, **project: Any) -> tuple[Memory, dict[str, Any]]:
    memory = await Memory.of(service, **project)
    await memory.learn(digest(LEARNED), "git_digest")
    (item,) = await memory.items()
    return memory, item


async def test_an_item_quotes_its_own_commit(service: Service) -> None:
    memory = await Memory.of(service)
    other = ("d4" * 20, "fix(mail): retry twice\n\nThe relay drops messages because its queue is short.", ["src/m.py"])
    await memory.learn(digest(LEARNED, other), "git_digest")
    shas = {item["title"]: {quote["commitSha"] for quote in item["evidence"]} for item in await memory.items()}
    assert shas == {"One connection pool per tenant": {POOL}, "mail: retry twice": {"d4" * 20}}
    (item, _) = await memory.items()
    answer = await memory.owner.get(f"/api/v2/items/{item['id']}/evidence")
    assert {(quote["commitSha"], quote["found"]) for quote in answer.json()} == {
        (quote["commitSha"], True) for quote in item["evidence"]
    }


async def test_a_revert_without_a_reason_makes_an_approved_item_stale(service: Service) -> None:
    memory, item = await _learn(service)
    assert (item["status"], item["flags"]) == ("approved", [])
    await memory.learn(digest(REVERT), "git_digest")
    (reverted,) = await memory.items()
    assert (reverted["status"], reverted["flags"], reverted["supersededBy"]) == ("approved", ["stale"], None)
    mark = next(quote for quote in reverted["evidence"] if quote["commitSha"] == UNDO)
    assert mark["quote"] == f"This reverts commit {POOL}"


async def test_a_revert_with_a_reason_supersedes_the_item(service: Service) -> None:
    memory, item = await _learn(service)
    await memory.learn(digest(EXPLAINED), "git_digest")
    reverted, reason = await memory.items()
    assert (reverted["id"], reverted["supersededBy"], reverted["status"]) == (item["id"], reason["id"], "approved")
    assert (reason["type"], reason["status"]) == ("decision", "approved")
    assert reason["title"].startswith('Reverted "One connection pool per tenant"')
    assert "Eighty tenants" in reason["content"]
    assert "conflict" not in {*reverted["flags"], *reason["flags"]}


async def test_a_draft_is_not_left_for_review(service: Service) -> None:
    memory, item = await _learn(service, autoApproveThreshold=1.01)
    assert item["status"] == "draft"
    await memory.learn(digest(REVERT), "git_digest")
    (reverted,) = await memory.items()
    assert (reverted["status"], reverted["flags"]) == ("deprecated", ["stale"])


async def test_a_commit_that_is_reverted_at_once_is_never_approved(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(digest(LEARNED, REVERT, headCommitSha=UNDO), "git_digest")
    (item,) = await memory.items()
    assert item["status"] == "deprecated"


async def test_a_revert_without_a_hash_is_found_by_its_subject(service: Service) -> None:
    memory, _ = await _learn(service)
    await memory.learn(digest((UNDO, f'Revert "{SUBJECT}"', ["src/pool.py"])), "git_digest")
    (reverted,) = await memory.items()
    assert reverted["flags"] == ["stale"]


async def test_an_abbreviated_hash_is_enough(service: Service) -> None:
    memory, _ = await _learn(service)
    await memory.learn(digest((UNDO, f"Back to a shared pool\n\nThis reverts commit {POOL[:9]}.", [])), "git_digest")
    (reverted,) = await memory.items()
    assert reverted["flags"] == ["stale"]


@pytest.mark.parametrize("by", ["hash", "subject"])
async def test_reverting_a_revert_restores_the_item(service: Service, by: str) -> None:
    memory, item = await _learn(service)
    await memory.learn(digest(EXPLAINED), "git_digest")
    body = f"\n\nThis reverts commit {UNDO}." if by == "hash" else ""
    again = (REDO, f'Reapply "{SUBJECT}" (#15){body}', ["src/pool.py"])
    await memory.learn(digest(again), "git_digest")
    restored, reason = await memory.items()
    assert (restored["status"], restored["supersededBy"], restored["flags"]) == ("approved", None, [])
    assert restored["evidence"] == item["evidence"]
    assert (reason["supersededBy"], reason["status"]) == (item["id"], "approved")


async def test_a_deprecated_draft_is_restored_and_approved(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(digest(LEARNED, REVERT, headCommitSha=UNDO), "git_digest")
    await memory.learn(digest((REDO, f'Revert "Revert "{SUBJECT}""\n\nThis reverts commit {UNDO}.', [])), "git_digest")
    (restored,) = await memory.items()
    assert (restored["status"], restored["flags"]) == ("approved", [])


async def test_what_replaced_the_item_for_another_reason_still_does(service: Service) -> None:
    memory, item = await _learn(service)
    await memory.learn(digest(REVERT), "git_digest")
    await memory.learn(save(("decision", "Pools are gone", "We keep no pools, because the proxy has one of its own.")))
    other = next(each for each in await memory.items() if each["id"] != item["id"])
    await run_sql(service, f"UPDATE items SET superseded_by = '{other['id']}' WHERE id = '{item['id']}'", "SELECT 1")
    await memory.learn(digest((REDO, f"Use pools again\n\nThis reverts commit {UNDO}.", [])), "git_digest")
    restored = await memory.item(item["id"])
    assert (restored["supersededBy"], restored["flags"]) == (other["id"], [])


async def test_what_a_person_deprecated_stays_so(service: Service) -> None:
    memory, item = await _learn(service)
    await memory.learn(digest(REVERT), "git_digest")
    answer = await memory.owner.patch(f"/api/v2/items/{item['id']}", {"status": "deprecated"})
    assert answer.status_code == 200
    await memory.learn(digest((REDO, f"Use pools again\n\nThis reverts commit {UNDO}.", [])), "git_digest")
    (restored,) = await memory.items()
    assert restored["status"] == "deprecated"


async def test_an_item_with_other_evidence_is_only_flagged(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(("decision", "One connection pool per tenant", WHY)))
    await memory.learn(digest(LEARNED), "git_digest")
    both = next(item for item in await memory.items() if len({quote["eventId"] for quote in item["evidence"]}) == 2)
    await memory.learn(digest(EXPLAINED), "git_digest")
    after = await memory.item(both["id"])
    assert (after["status"], after["supersededBy"]) == (both["status"], None)
    assert "stale" in after["flags"]


async def test_a_revert_on_a_branch_waits_for_its_merge(service: Service) -> None:
    memory, item = await _learn(service)
    await memory.learn(digest(REVERT, branch="undo-pool"), "git_digest")
    assert await memory.item(item["id"]) == item
    merge: tuple[str, str, list[Any]] = ("e5" * 20, "Merge branch 'undo-pool'", [])
    await memory.learn(digest(merge), "git_digest")
    assert (await memory.item(item["id"]))["flags"] == ["stale"]
