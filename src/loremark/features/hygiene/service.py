"""Applying the selected actions of a plan in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from loremark.base import clock, errors, ids
from loremark.base.caller import Caller, Scope
from loremark.features.audit import store as audit
from loremark.features.hygiene import applying, records, store
from loremark.features.hygiene.applying import PlanExecution
from loremark.features.items import store as items_store
from loremark.features.items.service import lock_memory, touch_memory
from loremark.features.projects.access import Access, get_project
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Row, Tx
from loremark.wire.hygiene import HygieneApplied, HygieneResult, StoredPlan

UNKNOWN = "unknown action"
CHANGED = "item changed"
ALREADY_APPLIED = "already applied"


async def list_plans(tx: Tx, scope: Scope, project_id: str, most: int) -> list[StoredPlan]:
    """List the newest plans, without actions on deleted items."""
    rows = await store.list_plans(tx, scope, project_id, most)
    item_ids = {
        item_id for row in rows for action in records.actions_of(row) for item_id in records.affected_items(action)
    }
    existing = await items_store.find_existing_ids(tx, scope, item_ids)
    return [records.stored_shape(row, existing) for row in rows]


async def apply(tx: Tx, caller: Caller, project_id: str, plan_id: str, selected: Sequence[str]) -> HygieneApplied:
    """Apply the selected actions. The plan is locked, so that each action is applied only once."""
    plan = await lock_plan(tx, caller, project_id, plan_id)
    actions, execution = records.actions_of(plan), PlanExecution(tx, caller, project_id, records.versions_of(plan))
    by_id = {action.id: action for action in actions}
    results: list[HygieneResult] = []
    for action_id in selected:
        action = by_id.get(action_id)
        if action is None:
            results.append(skipped(action_id, UNKNOWN))
        elif action.applied_at_ms is not None:
            results.append(skipped(action_id, ALREADY_APPLIED))
        elif await applying.apply(execution, action):
            action.applied_at_ms = clock.now_ms()
            action.turn = 1 + max(other.turn for other in actions)
            results.append(HygieneResult(action_id=action_id, status="success", reason=UNSET))
            await audit.record(
                tx,
                caller,
                "hygiene.applied",
                action.item_ids[0],
                project_id=project_id,
                type=action.type,
                planId=plan_id,
            )
        else:
            results.append(skipped(action_id, CHANGED))
    applied = sum(result.status == "success" for result in results)
    if applied:
        await store.update_plan(tx, caller.scope, plan_id, actions, execution.versions)
        notify_changed(tx, caller.scope, "hygiene", project_id)
    if execution.touched:
        await touch_memory(tx, caller.scope, project_id)
    return HygieneApplied(applied=applied, skipped=len(results) - applied, results=results)


async def lock_plan(tx: Tx, caller: Caller, project_id: str, plan_id: str) -> Row:
    """Return the plan if the caller has write access, locked until the transaction ends."""
    await get_project(tx, caller, project_id, Access.WRITE)
    await lock_memory(tx, caller.scope, project_id)
    plan = await store.lock_plan(tx, caller.scope, project_id, plan_id) if ids.looks_valid(plan_id, "hyg") else None
    if plan is None:
        raise errors.PLAN_NOT_FOUND()
    return plan


def skipped(action_id: str, reason: str) -> HygieneResult:
    return HygieneResult(action_id=action_id, status="skipped", reason=reason)
