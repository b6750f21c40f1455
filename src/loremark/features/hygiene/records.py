"""Plans as stored in the database, and their API responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import msgspec
from msgspec import UNSET

from loremark.base import clock, ids
from loremark.memory.hygiene.proposals import Proposal
from loremark.storage.database import Row
from loremark.wire.hygiene import (
    HygieneAction,
    HygieneActionType,
    HygienePlan,
    HygieneSummary,
    StoredAction,
    StoredPlan,
)
from loremark.wire.items import ItemType


class PlannedAction(msgspec.Struct, omit_defaults=True, rename="camel"):
    """An action of a plan. It never contains secrets: a redaction searches the item for them again."""

    id: str
    type: HygieneActionType
    item_ids: list[str]
    description: str
    confidence: float
    requires_human_approval: bool
    before: str | None = None
    after: str | None = None
    new_type: ItemType | None = None
    new_key: str | None = None
    successor: str | None = None
    applied_at_ms: int | None = None
    turn: int = 0
    """Position in the order in which the plan's actions were applied."""
    changed: dict[str, tuple[int, int]] = {}
    """Items changed by applying it, with the version before and after."""


_actions = msgspec.json.Decoder(list[PlannedAction])
_versions = msgspec.json.Decoder(dict[str, int])


def to_action(proposal: Proposal) -> PlannedAction:
    return PlannedAction(
        id=ids.new("act"),
        type=proposal.type,
        item_ids=list(proposal.item_ids),
        description=proposal.description,
        confidence=proposal.confidence,
        requires_human_approval=proposal.requires_human_approval,
        before=proposal.before,
        after=proposal.after,
        new_type=proposal.new_type,
        new_key=proposal.new_key,
        successor=proposal.successor,
    )


def affected_items(action: PlannedAction) -> list[str]:
    """Return the items of an action, including a successor."""
    return [*action.item_ids, *([action.successor] if action.successor else [])]


def actions_of(row: Row) -> list[PlannedAction]:
    return _actions.decode(row["actions"])


def versions_of(row: Row) -> dict[str, int]:
    return _versions.decode(row["versions"])


def encode(value: list[PlannedAction] | dict[str, int]) -> str:
    return msgspec.json.encode(value).decode()


def shape(row: Row, notes: Sequence[str] = ()) -> HygienePlan:
    actions = actions_of(row)
    return HygienePlan(
        plan_id=row["id"],
        items_analyzed=row["items_analyzed"],
        actions=[_shape(action) for action in actions],
        created_at=clock.iso(row["created_at_ms"]),
        expires_at=clock.iso(row["expires_at_ms"]),
        mode=row["mode"],
        summary=_summary(actions, notes),
    )


def stored_shape(row: Row, existing: Collection[str]) -> StoredPlan:
    """Return a stored plan without actions on items that have been deleted."""
    actions = [action for action in actions_of(row) if all(item_id in existing for item_id in affected_items(action))]
    return StoredPlan(
        plan_id=row["id"],
        items_analyzed=row["items_analyzed"],
        actions=[_stored_shape(action) for action in actions],
        created_at=clock.iso(row["created_at_ms"]),
        expires_at=clock.iso(row["expires_at_ms"]),
        mode=row["mode"],
        summary=_summary(actions, ()),
    )


def _summary(actions: Sequence[PlannedAction], notes: Sequence[str]) -> HygieneSummary:
    return HygieneSummary(by_type=dict(Counter(action.type for action in actions)), notes=list(notes))


def _stored_shape(action: PlannedAction) -> StoredAction:
    return StoredAction(**msgspec.structs.asdict(_shape(action)), applied=action.applied_at_ms is not None)


def _shape(action: PlannedAction) -> HygieneAction:
    is_merge = action.type == "MERGE_MEMORIES"
    return HygieneAction(
        id=action.id,
        type=action.type,
        description=action.description,
        confidence=action.confidence,
        requires_human_approval=action.requires_human_approval,
        item_id=UNSET if is_merge else action.item_ids[0],
        item_ids=action.item_ids if is_merge else UNSET,
        before=UNSET if action.before is None else action.before,
        after=UNSET if action.after is None else action.after,
    )
