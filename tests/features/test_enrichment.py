"""The pipeline without a model: extraction, merging and flags."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.memory_project import Memory, digest, save
from tests.features.steps import run_sql, status_and_body
from tests.support.service import Service

pytestmark = pytest.mark.anyio

STAGES = ["enrich", "embed", "dedup", "drift_check"]
POOL = (
    "decision",
    "Use PgBouncer in transaction mode",
    "We decided to put PgBouncer in transaction mode in front of PostgreSQL because the workers exhausted the "
    "connection limit. Configured in deploy/pgbouncer.ini.",
)
RETRY = (
    "bugfix",
    "Fix double charge on retry",
    "The payment worker charged twice because the idempotency key was made anew on every retry. "
    "It is now derived from the order id in src/payments/worker.py.",
)


async def test_session_becomes_typed_items_with_evidence(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send(save(POOL, RETRY, summary="Hardened the payment path."))
    await memory.send({"summary": "wip", "changes": []})
    job = await memory.enrich(sent["sessionId"])
    assert job["status"] == "completed"
    assert [(stage["stage"], stage["status"]) for stage in job["pipeline"]] == [(name, "completed") for name in STAGES]
    assert all(isinstance(stage["duration"], int) and stage["duration"] >= 0 for stage in job["pipeline"])
    assert "warning" not in job
    items = await memory.items()
    assert job["itemsExtracted"] == len(items) == 2
    found = {item["type"]: item for item in items}
    assert set(found) == {"decision", "bug"}
    assert found["decision"]["files"] == ["deploy/pgbouncer.ini"]
    assert found["bug"]["files"] == ["src/payments/worker.py"]
    for item in items:
        assert item["projectId"] == memory.tool.project_id
        assert item["sourceRef"] == sent["sessionId"]
        assert item["version"] >= 1
        assert all(quote["eventId"] == sent["eventId"] for quote in item["evidence"])
        texts = [text for change in (POOL, RETRY) for text in change]
        assert all(any(quote["quote"] in text for text in texts) for quote in item["evidence"])
    session = await memory.session(sent["sessionId"])
    assert session["status"] == "completed"
    assert session["itemsExtracted"] == 2
    assert session["enrichmentModel"] == "builtin-medium"


async def test_confident_items_are_approved_and_others_stay_drafts(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=0.9)
    await memory.learn(save(POOL))
    assert [item["status"] for item in await memory.items()] == ["approved"]
    strict = await Memory.of(service, autoApproveThreshold=1.01)
    await strict.learn(save(POOL))
    assert [item["status"] for item in await strict.items()] == ["draft"]


async def test_one_enrichment_at_a_time_and_only_failed_jobs_are_retried(service: Service) -> None:
    memory = await Memory.of(service)
    session_id = (await memory.send(save(POOL)))["sessionId"]
    path = f"/api/v2/sessions/{session_id}"
    first = await memory.owner.post(f"{path}/enrich")
    assert status_and_body(first) == (202, {"jobId": first.json()["jobId"], "status": "queued", "pipeline": STAGES})
    second = await memory.owner.post(f"{path}/enrich")
    await service.wait_for_jobs(30)
    if second.status_code == 409:  # unless the first has already finished
        assert second.json() == {"error": "Enrichment already in progress"}
    assert status_and_body(await memory.owner.post(f"{path}/retry")) == (409, {"error": "No failed job to retry"})
    again = await memory.enrich(session_id)
    assert (again["status"], again["itemsExtracted"]) == ("completed", 0)
    assert len(await memory.items()) == 1
    assert (await memory.session(session_id))["itemsExtracted"] == 1


async def test_events_are_enriched_once_and_later_ones_are_added(service: Service) -> None:
    memory = await Memory.of(service)
    first = await memory.send(save(POOL))
    await memory.enrich(first["sessionId"])
    reopened = await memory.owner.patch(f"/api/v2/sessions/{first['sessionId']}", {"status": "active"})
    assert reopened.status_code == 200
    second = await memory.send(save(RETRY))
    assert second["sessionId"] == first["sessionId"]
    job = await memory.enrich(first["sessionId"])
    assert job["itemsExtracted"] == 1
    assert (await memory.session(first["sessionId"]))["itemsExtracted"] == 2


async def test_duplicate_is_merged_with_both_sources_and_can_be_split_again(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1.01)
    first = await memory.send(save(RETRY))
    await memory.enrich(first["sessionId"])
    (before,) = await memory.items()
    again = (
        "bug",
        "Double charge on retry fixed",
        "Payment worker charged twice: the idempotency key was made anew on every retry. It is now derived from the "
        "order id (src/payments/worker.py).",
    )
    second = await memory.send(save(again))
    job = await memory.enrich(second["sessionId"])
    assert job["itemsExtracted"] == 0
    (after,) = await memory.items()
    assert {quote["eventId"] for quote in after["evidence"]} == {first["eventId"], second["eventId"]}
    assert after["confidence"] >= before["confidence"]
    assert after["version"] > before["version"]
    reverted = await memory.owner.post(f"/api/v2/items/{after['id']}/revert", {"version": before["version"]})
    assert reverted.status_code == 200, reverted.text
    counters = ("version", "updatedAt")
    assert {**reverted.json(), **{name: before[name] for name in counters}} == before


async def test_concurrent_sessions_create_one_item_for_the_same_fact(service: Service) -> None:
    memory = await Memory.of(service)
    sessions = [(await memory.send(save(RETRY, source=source)))["sessionId"] for source in ("editor", "cli", "hook")]
    assert len(set(sessions)) == 3
    for session_id in sessions:
        started = await memory.owner.post(f"/api/v2/sessions/{session_id}/enrich")
        assert started.status_code == 202
    await service.wait_for_jobs(30)
    (item,) = await memory.items()
    assert len(item["evidence"]) >= 3
    assert sum([(await memory.session(session_id))["itemsExtracted"] for session_id in sessions]) == 1


async def test_contradicting_items_stay_separate_and_are_both_flagged(service: Service) -> None:
    memory = await Memory.of(service)
    timeout = "The upstream time-out of the gateway is {} seconds. Set in config/gateway.yaml."
    await memory.learn(save(("decision", "Gateway time-out is 30 seconds", "We decided: " + timeout.format(30))))
    await memory.learn(save(("decision", "Gateway time-out is 60 seconds", "We decided: " + timeout.format(60))))
    older, newer = await memory.items()
    assert (older["status"], newer["status"]) == ("approved", "draft")
    assert "conflict" in older["flags"]
    assert "conflict" in newer["flags"]
    resolved = await memory.owner.patch(f"/api/v2/items/{older['id']}", {"status": "deprecated"})
    assert resolved.status_code == 200
    assert "conflict" not in (await memory.item(newer["id"]))["flags"]


async def test_later_change_to_its_files_makes_an_item_stale(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(RETRY))
    await memory.learn(save(POOL))
    commit = ("c" * 40, "refactor: split the worker into modules for clearer ownership", ["src/payments/worker.py"])
    await memory.learn(digest(commit), "git_digest")
    flags = {item["title"]: item["flags"] for item in await memory.items() if item["type"] != "implementation"}
    assert sorted(name for found in flags.values() for name in found) == ["stale"]
    stale = next(item for item in await memory.items() if "stale" in item["flags"])
    assert "src/payments/worker.py" in stale["files"]
    assert stale["status"] == "approved"
    confirmed = await memory.owner.patch(f"/api/v2/items/{stale['id']}", {"status": "approved", "title": "Still so"})
    assert "stale" not in confirmed.json()["flags"]


async def test_deleted_file_makes_an_item_stale(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.learn(save(POOL))
    await memory.learn({"root": ".", "files": [], "deleted": ["deploy/pgbouncer.ini"]}, "scan_result")
    (item,) = await memory.items()
    assert item["flags"] == ["stale"]


async def test_user_additions_to_a_finding_survive_rescans(service: Service) -> None:
    memory = await Memory.of(service)

    def finding(content: str) -> dict[str, Any]:
        fields = {"title": "Exports are written by the report worker", "layer": "architecture", "content": content}
        return {"root": ".", "findings": [{**fields, "files": ["report/worker.py"]}], "files": []}

    first = "The report worker writes the exports to the bucket reports-eu as CSV."
    added = "Accounting imports them every Monday, so their columns must keep their order."
    await memory.learn(finding(first), "scan_result")
    note = ("architecture", "Exports are written by the report worker", f"{first} {added} See docs/exports.md.")
    await memory.learn(save(note, filesChanged=["docs/exports.md"]))
    (item,) = await memory.items()
    assert first in item["content"]
    assert added in item["content"]
    for bucket in ("reports-fr", "reports-de"):
        newer = f"The report worker writes the exports to the bucket {bucket} as CSV."
        await memory.learn(finding(newer), "scan_result")
        (item,) = await memory.items()
        assert newer in item["content"]
        assert first not in item["content"]
        assert added in item["content"]
        assert {*item["files"]} == {"report/worker.py", "docs/exports.md"}


async def test_items_of_the_changing_session_are_not_stale(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send(save(RETRY))
    commit = ("d" * 40, "fix(payments): derive the idempotency key from the order id", ["src/payments/worker.py"])
    await memory.send(digest(commit), "git_digest")
    await memory.enrich(sent["sessionId"])
    assert all("stale" not in item["flags"] for item in await memory.items())


@pytest.mark.parametrize("event", ["session_save", "git_digest"])
async def test_secrets_reach_no_item(service: Service, event: str) -> None:
    memory = await Memory.of(service)
    secret = "ghp_" + "9aB3xK7LmQ2rT5vW8yZ1cD4eF6gH0jN2pS4u"
    text = f"We decided to authenticate the mirror job with the token {secret} because deploy keys expire."
    payload = save(("decision", "Mirror job authenticates by token", text))
    if event == "git_digest":
        payload = digest(("e" * 40, f"feat(mirror): authenticate by token\n\n{text}", ["ci/mirror.sh"]))
    await memory.learn(payload, event)
    items = await memory.items()
    assert items
    assert all("redacted" in item["flags"] and item["status"] == "draft" for item in items)
    for table in ("items", "revisions", "candidates", "jobs", "outbox"):
        rows = await run_sql(service, f"SELECT * FROM {table}")
        assert secret not in str(rows)


async def test_tools_can_create_update_and_deprecate_items(service: Service) -> None:
    memory = await Memory.of(service)
    item = {"title": "Money is integer cents", "content": "Never floats.", "type": "convention", "confidence": 0.97}
    await memory.learn({"operation": "create", "item": item}, "memory_operation")
    (created,) = await memory.items()
    assert (created["title"], created["type"], created["status"], created["tier"]) == (
        item["title"],
        "convention",
        "draft",
        1,
    )
    change = {"content": "Never floats; use the Money type."}  # a draft may be reworded, approved text may not
    await memory.learn({"operation": "update", "itemId": created["id"], "item": change}, "memory_operation")
    assert (await memory.item(created["id"]))["content"] == change["content"]
    job = await memory.learn({"operation": "delete", "itemId": created["id"]}, "memory_operation")
    assert job["status"] == "completed"
    assert (await memory.item(created["id"]))["status"] == "deprecated"
    job = await memory.learn({"operation": "deprecate", "itemId": "itm_unknown"}, "memory_operation")
    assert (job["status"], "item not found" in job["warning"]) == ("completed", True)


async def test_operation_cannot_change_items_of_another_project(service: Service) -> None:
    memory, other = await Memory.of(service), await Memory.of(service)
    await other.learn(save(POOL))
    (foreign,) = await other.items()
    for operation in ("delete", "update"):
        change = {"operation": operation, "itemId": foreign["id"], "item": {"content": "taken over"}}
        await memory.learn(change, "memory_operation")
    assert await other.items() == [foreign]


async def test_contexts_are_written_and_appended(service: Service) -> None:
    memory = await Memory.of(service)
    first = {"schemaKey": "root/journal", "name": "Journal", "content": "## Monday\n\nBegan."}
    await memory.learn(first, "context_update")
    second = {"schemaKey": "root/journal", "name": "Journal", "content": "## Tuesday\n\nWent on.", "append": True}
    await memory.learn(second, "context_update")
    answer = await memory.owner.get(f"/api/contexts?projectId={memory.tool.project_id}")
    listed = next(context for context in answer.json() if context["schemaKey"] == "root/journal")
    full = await memory.owner.get(f"/api/contexts/{listed['id']}")
    assert "Began." in full.json()["content"]
    assert "Went on." in full.json()["content"]
