"""Applying a plan: what a person has selected of it, all in one transaction, each thing once."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from loremark.base import clock, errors, ids
from loremark.base.caller import Caller, Scope
from loremark.features.audit import store as audit
from loremark.features.hygiene import applying, records, store
from loremark.features.hygiene.applying import Work
from loremark.features.items import store as items_store
from loremark.features.items.service import lock_memory, touch_memory
from loremark.features.projects.access import Right, get_project
from loremark.jobs.notices import tell_changed
from loremark.storage.database import Row, Tx
from loremark.wire.hygiene import HygieneApplied, HygieneResult, KeptPlan

UNKNOWN = "unknown action"
CHANGED = "item changed"
ALREADY = "already applied"


async def list_kept(tx: Tx, scope: Scope, project_id: str, most: int) -> list[KeptPlan]:
    """The newest plans, without what they say of items that are no more."""
    rows = await store.list_plans(tx, scope, project_id, most)
    named = {one for row in rows for action in records.actions_of(row) for one in records.concerned(action)}
    there = await items_store.find_those_there(tx, scope, named)
    return [records.kept_shape(row, there) for row in rows]


async def apply(tx: Tx, caller: Caller, project_id: str, plan_id: str, selected: Sequence[str]) -> HygieneApplied:
    """Do what was selected. Two who apply at once come one after the other: each thing is done once."""
    plan = await hold_plan(tx, caller, project_id, plan_id)
    actions, work = records.actions_of(plan), Work(tx, caller, project_id, records.versions_of(plan))
    by_id = {action.id: action for action in actions}
    results: list[HygieneResult] = []
    for action_id in selected:
        action = by_id.get(action_id)
        if action is None:
            results.append(skipped(action_id, UNKNOWN))
        elif action.applied_at_ms is not None:
            results.append(skipped(action_id, ALREADY))
        elif await applying.apply(work, action):
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
        await store.update_plan(tx, caller.scope, plan_id, actions, work.versions)
        tell_changed(tx, caller.scope, "hygiene", project_id)
    if work.touched:
        await touch_memory(tx, caller.scope, project_id)
    return HygieneApplied(applied=applied, skipped=len(results) - applied, results=results)


async def hold_plan(tx: Tx, caller: Caller, project_id: str, plan_id: str) -> Row:
    """The plan, for whoever may write; nobody else applies or undoes anything of it until the transaction ends."""
    await get_project(tx, caller, project_id, Right.WRITE)
    await lock_memory(tx, caller.scope, project_id)
    plan = await store.hold_plan(tx, caller.scope, project_id, plan_id) if ids.looks_valid(plan_id, "hyg") else None
    if plan is None:
        raise errors.PLAN_NOT_FOUND()
    return plan


def skipped(action_id: str, reason: str) -> HygieneResult:
    return HygieneResult(action_id=action_id, status="skipped", reason=reason)
