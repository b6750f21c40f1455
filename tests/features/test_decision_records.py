"""Decision records in commits become items, and later versions and records replace earlier ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.memory_project import Memory
from tests.support.service import Service

pytestmark = pytest.mark.anyio

_PATH = "docs/adr/0003-sessions.md"
_CARTS = "docs/adr/0004-carts.md"


def _record(title: str, status: str, decision: str) -> str:
    return f"# {title}\n\n## Status\n\n{status}\n\n## Context\n\nWe had no rule.\n\n## Decision\n\n{decision}\n"


_SESSIONS = _record("3. Sessions expire", "Accepted", "Sessions end after 30 minutes of inactivity.")
_OTHER = _record("4. Carts live in Redis", "Accepted", "Carts live in Redis with a lifetime of 7 days.")


def _digest(number: int, *records: tuple[str, str]) -> dict[str, Any]:
    sha = f"{number}" * 40
    return {
        "branch": "main",
        "headCommitSha": sha,
        "commits": [{"sha": sha, "message": "docs: write it down", "files": [path for path, _ in records]}],
        "decisionRecords": [{"path": path, "commit": sha, "content": text} for path, text in records],
    }


async def _states(memory: Memory) -> dict[str, tuple[str, bool]]:
    """The status of each decision by its title, and whether it was replaced."""
    return {item["title"]: (item["status"], item["supersededBy"] is not None) for item in await memory.items()}


async def test_a_committed_record_is_an_approved_decision_with_its_commit(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(_digest(1, (_PATH, _SESSIONS)), "git_digest")
    (item,) = await memory.items()
    assert (item["type"], item["status"], item["title"]) == ("decision", "approved", "Sessions expire")
    assert item["files"] == [_PATH]
    evidence = (await memory.owner.get(f"/api/v2/items/{item['id']}/evidence")).json()
    assert "1" * 40 in str(evidence)


async def test_an_edited_record_replaces_its_earlier_version(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(_digest(1, (_PATH, _SESSIONS), (_CARTS, _OTHER)), "git_digest")
    (old,) = [item for item in await memory.items() if "30 minutes" in item["content"]]
    await memory.learn(_digest(2, (_PATH, _SESSIONS.replace("30 minutes", "8 hours"))), "git_digest")
    states = [(("8 hours" in item["content"]), item["supersededBy"]) for item in await memory.items()]
    assert (await memory.item(old["id"]))["supersededBy"] is not None
    assert (True, None) in states
    assert (await _states(memory))["Carts live in Redis"] == ("approved", False)


async def test_a_record_marked_as_superseded_is_no_longer_told(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(_digest(1, (_PATH, _SESSIONS)), "git_digest")
    await memory.learn(_digest(2, (_PATH, _SESSIONS.replace("Accepted", "Superseded by ADR 9"))), "git_digest")
    told = [item for item in await memory.items() if item["status"] == "approved" and item["supersededBy"] is None]
    assert told == []


async def test_a_record_that_a_person_approved_is_only_flagged_when_it_says_that_it_is_outdated(
    service: Service,
) -> None:
    memory = await Memory.of(service)
    await memory.learn(_digest(1, (_PATH, _SESSIONS)), "git_digest")
    (item,) = await memory.items()
    await memory.owner.patch(f"/api/v2/items/{item['id']}", {"status": "approved"})
    await memory.learn(_digest(2, (_PATH, _SESSIONS.replace("Accepted", "Superseded by ADR 9"))), "git_digest")
    kept = await memory.item(item["id"])
    assert (kept["status"], kept["supersededBy"], kept["flags"]) == ("approved", None, ["stale"])


@pytest.mark.parametrize("says", ["Accepted. Supersedes ADR 0003", "Accepted\n\nSupersedes [ADR-3](0003-sessions.md)."])
async def test_a_record_replaces_the_one_it_names(service: Service, says: str) -> None:
    memory = await Memory.of(service)
    await memory.learn(_digest(1, (_PATH, _SESSIONS), (_CARTS, _OTHER)), "git_digest")
    newer = _record("9. Sessions follow the shift", says, "A session ends when the driver's shift ends.")
    await memory.learn(_digest(2, ("docs/adr/0009-shifts.md", newer)), "git_digest")
    assert await _states(memory) == {
        "Sessions expire": ("approved", True),
        "Carts live in Redis": ("approved", False),
        "Sessions follow the shift": ("approved", False),
    }
