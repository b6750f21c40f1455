"""Taking back what was applied of a plan: each item gets the state it had before, where nobody has touched it since."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from loremark.base.caller import Caller
from loremark.features.audit import store as audit
from loremark.features.history import store as history
from loremark.features.hygiene import records, store
from loremark.features.hygiene.applying import Work
from loremark.features.hygiene.records import Kept
from loremark.features.hygiene.service import CHANGED, UNKNOWN, hold_plan, skipped
from loremark.features.items import records as item_records
from loremark.features.items.service import find_item, touch_memory
from loremark.features.items.store import hold_by_ids
from loremark.jobs.notices import tell_changed
from loremark.storage.database import Row, Tx
from loremark.wire.hygiene import HygieneResult, HygieneUndone

NOT_APPLIED = "not applied"
FINAL = "redactions are final"
"""What a redaction took out is kept nowhere."""
REASON = "reverted"
"""Why there is a revision."""


async def undo(tx: Tx, caller: Caller, project_id: str, plan_id: str, selected: Sequence[str] | None) -> HygieneUndone:
    """Without a selection, all that was applied. The last that was done is taken back first."""
    plan = await hold_plan(tx, caller, project_id, plan_id)
    actions, work = records.actions_of(plan), Work(tx, caller, project_id, records.versions_of(plan))
    by_id = {action.id: action for action in actions}
    asked = [one.id for one in actions if one.applied_at_ms is not None] if selected is None else list(selected)
    known = [by_id[action_id] for action_id in dict.fromkeys(asked) if action_id in by_id]
    reasons = {action.id: await _take_back(work, action, actions, plan_id) for action in _last_first(known)}
    results: list[HygieneResult] = []
    for action_id in asked:
        reason = reasons.get(action_id, UNKNOWN)
        results.append(_undone(action_id) if reason is None else skipped(action_id, reason))
        if reason is None:
            reasons[action_id] = NOT_APPLIED  # asked for twice: there is nothing left to take back
    undone = sum(result.status == "success" for result in results)
    if undone:
        await store.update_plan(tx, caller.scope, plan_id, actions, work.versions)
        tell_changed(tx, caller.scope, "hygiene", project_id)
    if work.touched:
        await touch_memory(tx, caller.scope, project_id)
    return HygieneUndone(undone=undone, skipped=len(results) - undone, results=results)


def _undone(action_id: str) -> HygieneResult:
    return HygieneResult(action_id=action_id, status="success", reason=UNSET)


def _last_first(actions: list[Kept]) -> list[Kept]:
    return sorted(actions, key=lambda action: action.turn, reverse=True)


async def _take_back(work: Work, action: Kept, actions: Sequence[Kept], plan_id: str) -> str | None:
    """Why it is left as it is, or None when it was taken back."""
    if action.applied_at_ms is None:
        return NOT_APPLIED
    if action.type == "REDACT":
        return FINAL
    rows = {row["id"]: row for row in await hold_by_ids(work.tx, work.caller.scope, list(action.changed))}
    if not _is_as_left(work, action, actions, rows):
        return CHANGED
    for item_id, (before, _) in reversed(action.changed.items()):
        await _restore(work, rows[item_id], before)
    action.applied_at_ms, action.changed = None, {}
    await audit.record(
        work.tx,
        work.caller,
        "hygiene.undone",
        action.item_ids[0],
        project_id=work.project_id,
        type=action.type,
        planId=plan_id,
    )
    return None


def _is_as_left(work: Work, action: Kept, actions: Sequence[Kept], rows: dict[str, Row]) -> bool:
    """Whether each item is what the plan has made of it, and nothing else of the plan was done to it later."""
    for item_id in action.changed:
        row = rows.get(item_id)
        if row is None or row["project_id"] != work.project_id or row["version"] != work.versions.get(item_id):
            return False
        if any(other.turn > action.turn and item_id in other.changed for other in actions):
            return False
    return True


async def _restore(work: Work, row: Row, version: int) -> None:
    """The state of an earlier version, also whether another had taken its place."""
    revision = await history.find_revision(work.tx, work.caller.scope, row["id"], version)
    assert revision is not None, "the history of an item ends with the item"
    snapshot = msgspec.json.decode(revision["snapshot"])
    successor = snapshot["supersededBy"]
    if successor is not None and await find_item(work.tx, work.caller.scope, successor) is None:
        successor = None
    await work.change(row, item_records.from_snapshot(row["id"], snapshot), successor, REASON)
