"""Undoing applied actions: restores each item's previous state, unless it has changed since."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from loremark.base.caller import Caller
from loremark.features.audit import store as audit
from loremark.features.history import store as history
from loremark.features.hygiene import records, store
from loremark.features.hygiene.applying import PlanExecution
from loremark.features.hygiene.records import PlannedAction
from loremark.features.hygiene.service import CHANGED, UNKNOWN, lock_plan, skipped
from loremark.features.items import records as item_records
from loremark.features.items.service import find_item, touch_memory
from loremark.features.items.store import lock_by_ids
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Row, Tx
from loremark.wire.hygiene import HygieneResult, HygieneUndone

NOT_APPLIED = "not applied"
FINAL = "redactions are final"
"""Redacted text is not stored anywhere."""
REASON = "reverted"
"""Reason stored with the revisions."""


async def undo(tx: Tx, caller: Caller, project_id: str, plan_id: str, selected: Sequence[str] | None) -> HygieneUndone:
    """Undo the selected actions, or all applied ones, in reverse order."""
    plan = await lock_plan(tx, caller, project_id, plan_id)
    actions, execution = records.actions_of(plan), PlanExecution(tx, caller, project_id, records.versions_of(plan))
    by_id = {action.id: action for action in actions}
    requested = (
        [action.id for action in actions if action.applied_at_ms is not None] if selected is None else list(selected)
    )
    known = [by_id[action_id] for action_id in dict.fromkeys(requested) if action_id in by_id]
    reasons = {action.id: await _undo_action(execution, action, actions, plan_id) for action in _last_first(known)}
    results: list[HygieneResult] = []
    for action_id in requested:
        reason = reasons.get(action_id, UNKNOWN)
        results.append(_undone(action_id) if reason is None else skipped(action_id, reason))
        if reason is None:
            reasons[action_id] = NOT_APPLIED  # listed twice: already undone
    undone = sum(result.status == "success" for result in results)
    if undone:
        await store.update_plan(tx, caller.scope, plan_id, actions, execution.versions)
        notify_changed(tx, caller.scope, "hygiene", project_id)
    if execution.touched:
        await touch_memory(tx, caller.scope, project_id)
    return HygieneUndone(undone=undone, skipped=len(results) - undone, results=results)


def _undone(action_id: str) -> HygieneResult:
    return HygieneResult(action_id=action_id, status="success", reason=UNSET)


def _last_first(actions: list[PlannedAction]) -> list[PlannedAction]:
    return sorted(actions, key=lambda action: action.turn, reverse=True)


async def _undo_action(
    execution: PlanExecution, action: PlannedAction, actions: Sequence[PlannedAction], plan_id: str
) -> str | None:
    """Undo an action; return the reason if it was skipped, or None."""
    if action.applied_at_ms is None:
        return NOT_APPLIED
    if action.type == "REDACT":
        return FINAL
    rows = {row["id"]: row for row in await lock_by_ids(execution.tx, execution.caller.scope, list(action.changed))}
    if not _is_unchanged(execution, action, actions, rows):
        return CHANGED
    for item_id, (before, _) in reversed(action.changed.items()):
        await _restore(execution, rows[item_id], before)
    action.applied_at_ms, action.changed = None, {}
    await audit.record(
        execution.tx,
        execution.caller,
        "hygiene.undone",
        action.item_ids[0],
        project_id=execution.project_id,
        type=action.type,
        planId=plan_id,
    )
    return None


def _is_unchanged(
    execution: PlanExecution, action: PlannedAction, actions: Sequence[PlannedAction], rows: dict[str, Row]
) -> bool:
    """Return whether each item is as the action left it, without later changes by this plan or others."""
    for item_id in action.changed:
        row = rows.get(item_id)
        if (
            row is None
            or row["project_id"] != execution.project_id
            or row["version"] != execution.versions.get(item_id)
        ):
            return False
        if any(other.turn > action.turn and item_id in other.changed for other in actions):
            return False
    return True


async def _restore(execution: PlanExecution, row: Row, version: int) -> None:
    """Restore an earlier version, including its successor."""
    revision = await history.find_revision(execution.tx, execution.caller.scope, row["id"], version)
    assert revision is not None, "revisions exist as long as their item"
    snapshot = msgspec.json.decode(revision["snapshot"])
    successor = snapshot["supersededBy"]
    if successor is not None and await find_item(execution.tx, execution.caller.scope, successor) is None:
        successor = None
    await execution.change(row, item_records.from_snapshot(row["id"], snapshot), successor, REASON)
