"""Merging, conflicts and staleness depend on whether an item comes from commits, scans or users."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.memory_project import Memory, digest, save
from tests.support.service import Service

pytestmark = pytest.mark.anyio

POOL = "feat(pool): keep idle sockets for ninety seconds\n\nEach handshake costs 40 ms because the peer is far away."


def _sha(letter: str) -> str:
    return letter * 40


async def test_two_commits_on_one_topic_are_two_items_without_conflict(service: Service) -> None:
    memory = await Memory.of(service)
    first = (
        _sha("a"),
        "fix(parser): do not crash on an empty block\n\nIt failed because the lexer returned no list of tokens.",
        ["src/parser.go"],
    )
    second = (
        _sha("b"),
        "fix(parser): name the file in the message for an empty block\n\n"
        "Nobody found the place, since a project has hundreds of files.",
        ["src/parser.go"],
    )
    await memory.learn(digest(first, second), "git_digest")
    third = (
        _sha("c"),
        "fix(parser): accept an empty block after an import\n\nThe rest was lost because imports end with a newline.",
        ["src/parser.go"],
    )
    await memory.learn(digest(third), "git_digest")
    items = await memory.items()
    assert len(items) == 3
    assert all("conflict" not in item["flags"] for item in items)
    await memory.learn(digest(third, branch="release"), "git_digest")
    assert len(await memory.items()) == 3


async def test_commit_item_is_stale_only_when_its_files_are_deleted(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(digest((_sha("a"), POOL, ["src/pool.go", "src/dial.go", "src/pool_test.go"])), "git_digest")
    later = (_sha("b"), "refactor(dial): split the dialer so that proxies can be tested", ["src/dial.go"])
    await memory.learn(digest(later), "git_digest")

    async def flags() -> list[str]:
        pool_item = next(item for item in await memory.items() if "src/pool.go" in item["files"])
        return [flag for flag in pool_item["flags"] if flag != "low_confidence"]

    assert await flags() == []
    await memory.learn({"root": ".", "files": [], "deleted": ["src/dial.go"]}, "scan_result")
    assert await flags() == []
    await memory.learn({"root": ".", "files": [], "deleted": ["src/pool.go"]}, "scan_result")
    assert await flags() == ["stale"]


async def test_user_item_is_stale_when_its_file_changes(service: Service) -> None:
    memory = await Memory.of(service)
    note = (
        "architecture",
        "Sockets are pooled by the dialer",
        "All sockets of the service go through the pool of src/dial.go, one pool for each upstream.",
    )
    await memory.learn(save(note, filesChanged=["src/dial.go", "src/proxy.go"]))
    change = "refactor(proxy): split the proxy so that it can be tested"
    await memory.learn(digest((_sha("a"), change, ["src/proxy.go", "docs/pool.md"])), "git_digest")
    note_item = next(item for item in await memory.items() if item["type"] == "architecture")
    assert "stale" not in note_item["flags"]
    await memory.learn(digest((_sha("b"), "refactor(dial): one pool for all upstreams", ["src/dial.go"])), "git_digest")
    assert "stale" in (await memory.item(note_item["id"]))["flags"]


async def test_draft_is_approved_when_a_more_certain_source_repeats_it(service: Service) -> None:
    item = {"title": "Money is integer cents", "content": "Amounts of money are never floats.", "type": "convention"}
    memory = await Memory.of(service, autoApproveThreshold=0.9)
    for confidence, status in ((0.88, "draft"), (0.89, "draft"), (0.95, "approved")):
        operation = {"operation": "create", "item": {**item, "confidence": confidence}}
        await memory.learn_from(memory.owner, operation)
        (stored,) = await memory.items()
        assert stored["status"] == status


async def test_draft_kept_back_by_a_user_is_not_approved_by_a_repeat(service: Service) -> None:
    item = {"title": "Money is integer cents", "content": "Amounts of money are never floats.", "type": "convention"}
    memory = await Memory.of(service, autoApproveThreshold=0.9)
    await memory.learn_from(memory.owner, {"operation": "create", "item": {**item, "confidence": 0.95}})
    (created,) = await memory.items()
    await memory.owner.patch(f"/api/v2/items/{created['id']}", {"status": "draft"})
    await memory.learn_from(memory.owner, {"operation": "create", "item": {**item, "confidence": 0.94}})
    (stored,) = await memory.items()
    assert (stored["id"], stored["status"]) == (created["id"], "draft")


async def test_items_with_different_names_are_not_merged(service: Service) -> None:
    memory = await Memory.of(service)
    notes = [
        ("Harbour note", "river stone market window paper garden travel"),
        ("Signal list", "paper garden travel window bridge market summer"),
        ("Winter log", "market summer river garden window stone bridge"),
        ("Open page", "stone travel paper bridge summer garden market"),
    ]
    for title, content in notes:
        await memory.learn({"operation": "create", "item": {"title": title, "content": content}}, "memory_operation")
    items = await memory.items()
    assert [item["title"] for item in items] == [title for title, _ in notes]
    assert all("conflict" not in item["flags"] for item in items)


async def test_scan_does_not_override_user_text(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1.01)
    title, text = (
        "Exports are written by the report worker",
        "The report worker writes the exports as CSV to reports-eu.",
    )
    await memory.learn(save(("architecture", title, f"{text} Accounting needs the columns in this order.")))

    def finding(content: str) -> dict[str, Any]:
        found = {"title": title, "layer": "architecture", "content": content, "importance": "critical"}
        return {"root": ".", "findings": [{**found, "files": ["report/worker.py"]}], "files": []}

    for content in (text, "The report worker writes the exports as CSV to reports-eu and logs each."):
        await memory.learn(finding(content), "scan_result")
        items = await memory.items()
        stored = next(item for item in items if "Accounting" in item["content"])
        assert stored["title"] == title
        assert stored["content"].startswith(text)
