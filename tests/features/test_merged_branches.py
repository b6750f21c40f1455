"""Branches: what was learned on one joins the main memory once it is merged, however it is merged."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from loremark.storage.tables import items
from tests.features.memory_project import Memory, digest, save
from tests.support.service import Service

pytestmark = [pytest.mark.anyio, pytest.mark.both_engines]

BRANCH = "feature/pool-limits"
REDIS = ("decision", "Keep sessions in Redis", "We keep sessions in Redis because the database could not keep up.")
FIRST = (
    "feat(pool): limit connections per tenant",
    "A script with slow queries took all connections, so requests of the others waited for minutes and timed out.",
)
SECOND = ("fix(pool): close idle connections", "They leaked on each deploy because the pool was never drained.")


def _commits(letter: str, *messages: tuple[str, str], author: str = "Mara") -> list[dict[str, Any]]:
    return [
        {"sha": f"{letter}{number}" * 20, "message": f"{subject}\n\n{body}", "author": author, "files": ["src/pool.py"]}
        for number, (subject, body) in enumerate(messages, 1)
    ]


def _push(commits: list[dict[str, Any]], branch: str, **more: Any) -> dict[str, Any]:
    return {"branch": branch, "commits": commits, "headCommitSha": commits[-1]["sha"] if commits else "f" * 40, **more}


async def _count_waiting(service: Service, memory: Memory) -> int:
    """Count items that still wait for the merge of their branch."""
    query = select(items.c.id).where(
        items.c.project_id == memory.tool.project_id, items.c.branch.is_not(None), items.c.merged_at_ms.is_(None)
    )
    async with service.runtime.database.read() as tx:
        return len(await tx.many(query))


async def _on_branch(service: Service, branch: str = BRANCH) -> Memory:
    """A memory with a session and two commits on a branch."""
    memory = await Memory.of(service)
    await memory.learn(save(REDIS, branch=branch))
    await memory.learn(_push(_commits("a", FIRST, SECOND), branch), "git_digest")
    assert await _count_waiting(service, memory) == 3, "one of the session, two of the commits"
    return memory


async def test_a_merge_commit_releases_the_branch_it_names(service: Service) -> None:
    memory = await _on_branch(service)
    await memory.learn(digest(("b1" * 20, f"Merge branch '{BRANCH}'", [])), "git_digest")
    assert await _count_waiting(service, memory) == 0
    assert {item["branch"] for item in await memory.items()} == {BRANCH}  # still shown where it was learned


@pytest.mark.parametrize(
    "subject",
    [
        "Merge pull request #7 from harbour/feature/pool-limits",
        "Merged in feature/pool-limits (pull request #7)",
        "Merge branch 'feature/pool-limits' into 'main'",
        "Merge remote-tracking branch 'origin/feature/pool-limits'",
        "Merge branches 'docs' and 'feature/pool-limits'",
        "merge: feature/pool-limits",
        "Feature/pool limits (#7)",
        "Pool limits (#7)",
    ],
)
async def test_a_branch_that_only_sessions_know_is_released_by_name(service: Service, subject: str) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(REDIS, branch=BRANCH))
    await memory.learn(digest(("b1" * 20, subject, [])), "git_digest")
    assert await _count_waiting(service, memory) == 0


@pytest.mark.parametrize(
    "subject",
    [
        "Merge branch 'feature/pool'",
        "Merge branch 'main' into feature/pool-limits",
        "Merge branch 'feature/pool-limits' into feature/other",
        "Document feature/pool-limits",
        "Pool limits for everybody (#7)",
        "Limits (#7)",
    ],
)
async def test_other_commits_release_nothing(service: Service, subject: str) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(REDIS, branch=BRANCH))
    await memory.learn(digest(("b1" * 20, subject, [])), "git_digest")
    assert await _count_waiting(service, memory) == 1


async def test_a_fast_forward_releases_the_branch(service: Service) -> None:
    memory = await _on_branch(service)
    first, second = _commits("a", FIRST, SECOND)
    await memory.learn(_push([first], "main"), "git_digest")
    assert await _count_waiting(service, memory) >= 2, "the second commit is not merged yet"
    await memory.learn(_push([second], "main"), "git_digest")
    assert await _count_waiting(service, memory) == 0


async def test_a_squash_merge_is_recognized_by_its_list_of_commits(service: Service) -> None:
    memory = await _on_branch(service)
    message = f"Bound the pool (#7)\n\n* {FIRST[0]}\n\n{FIRST[1]}\n\n* {SECOND[0]}\n\n* fix test\n\n{SECOND[1]}"
    await memory.learn(digest(("b1" * 20, message, ["src/pool.py"])), "git_digest")
    assert await _count_waiting(service, memory) == 0


async def test_a_squash_merge_is_recognized_by_its_title(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(_push(_commits("a", FIRST), "mara/wip"), "git_digest")
    assert await _count_waiting(service, memory) == 1
    await memory.learn(_push(_commits("b", (f"{FIRST[0]} (#7)", FIRST[1])), "main"), "git_digest")
    assert await _count_waiting(service, memory) == 0


async def test_a_squash_merge_is_recognized_by_the_hook(service: Service) -> None:
    memory = await _on_branch(service)
    squash = _commits("b", ("Bound the pool (#7)", ""))
    await memory.learn(_push(squash, "main", mergedBranches=[BRANCH]), "git_digest")
    assert await _count_waiting(service, memory) == 0


async def test_a_rebased_branch_is_released_when_all_its_commits_are_there(service: Service) -> None:
    memory = await _on_branch(service)
    await memory.learn(_push(_commits("b", FIRST), "main"), "git_digest")
    assert await _count_waiting(service, memory) >= 2, "one of two commits may be a cherry-pick"
    await memory.learn(_push(_commits("c", FIRST, SECOND), "main"), "git_digest")
    assert await _count_waiting(service, memory) == 0


async def test_the_same_subject_of_another_author_is_another_commit(service: Service) -> None:
    memory = await _on_branch(service)
    await memory.learn(_push(_commits("c", FIRST, SECOND, author="Tuula"), "main"), "git_digest")
    assert await _count_waiting(service, memory) >= 1


async def test_commits_made_again_with_the_same_change_release_the_branch(service: Service) -> None:
    memory = await _on_branch(service)
    repeated = [{"old": f"a{number}" * 20, "new": f"c{number}" * 20} for number in (1, 2)]
    await memory.learn(_push([], "main", repeated=repeated), "git_digest")
    assert await _count_waiting(service, memory) == 0


async def test_a_session_that_is_enriched_after_the_merge_is_released_too(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send(save(REDIS, branch=BRANCH, source="agent:7"))
    await memory.learn(digest(("b1" * 20, f"Merge branch '{BRANCH}'", []), source="git:harbour"), "git_digest")
    await memory.enrich(sent["sessionId"])
    assert await _count_waiting(service, memory) == 0


async def test_what_is_learned_on_a_branch_after_its_merge_waits_for_the_next_one(service: Service) -> None:
    memory = await _on_branch(service)
    merge = digest(("b1" * 20, f"Merge branch '{BRANCH}'", []))
    await memory.learn(merge, "git_digest")
    await memory.learn(
        save(("decision", "Ask for tides", "We ask the harbour for tides because ours were wrong."), branch=BRANCH)
    )
    assert await _count_waiting(service, memory) == 1
    await memory.learn(digest(("b2" * 20, f"Merge branch '{BRANCH}'", [])), "git_digest")
    assert await _count_waiting(service, memory) == 0
