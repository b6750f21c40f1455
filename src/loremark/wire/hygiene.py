"""Hygiene: plans of what could be tidied up in a memory, and what came of applying them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.shapes import AnyId, Shape

HygieneStep = Literal["analyze", "apply"]
HygieneMode = Literal["quick", "weekly"]
HygieneActionType = Literal["RENAME_TITLE", "RETAG", "MERGE_MEMORIES", "DEPRECATE_MEMORY", "REDACT", "FLAG_QUALITY"]
HygieneStatus = Literal["success", "skipped", "failed"]
ActionIds = Annotated[list[AnyId], Meta(max_length=limits.LIST_ENTRIES)]


class PlanGiven(Shape):
    """The plan to apply. Only its id is read: what it proposes is known to the server."""

    plan_id: AnyId


class HygieneRequest(Shape):
    """``plan`` and ``selectedActionIds`` are needed to apply."""

    project_id: str
    action: HygieneStep
    mode: HygieneMode = "quick"
    selected_action_ids: ActionIds | None = None
    plan: PlanGiven | None = None


class HygieneAction(Shape):
    """Something that could be done; merges name several items, the one that stays first."""

    id: str
    type: HygieneActionType
    description: str
    confidence: float
    requires_human_approval: bool
    item_id: str | UnsetType = UNSET
    item_ids: list[str] | UnsetType = UNSET
    before: str | UnsetType = UNSET
    after: str | UnsetType = UNSET


class HygieneSummary(Shape):
    """How many actions there are of each type; and where a model was to be asked and could not, why."""

    by_type: dict[str, int]
    notes: list[str]


class HygienePlan(Shape):
    """What could be done. Nothing of it is, until it is applied."""

    plan_id: str
    items_analyzed: int
    actions: list[HygieneAction]
    created_at: str
    expires_at: str
    mode: HygieneMode
    summary: HygieneSummary


class KeptAction(HygieneAction, kw_only=True):
    """An action of a plan that was made before, and whether it is done."""

    applied: bool


class KeptPlan(Shape):
    """A plan that was made before. ``notes`` of its summary were for whoever made it."""

    plan_id: str
    items_analyzed: int
    actions: list[KeptAction]
    created_at: str
    expires_at: str
    mode: HygieneMode
    summary: HygieneSummary


class HygieneUndo(Shape):
    """What to take back of a plan; without ``actionIds`` all that was applied of it."""

    project_id: str
    plan_id: AnyId
    action_ids: ActionIds | None = None


class HygieneResult(Shape):
    """What became of one selected action."""

    action_id: str
    status: HygieneStatus
    reason: str | UnsetType = UNSET


class HygieneApplied(Shape):
    """What became of all of them, in the order they were selected."""

    applied: int
    skipped: int
    results: list[HygieneResult]


class HygieneUndone(Shape):
    """What became of all of them, in the order they were asked for."""

    undone: int
    skipped: int
    results: list[HygieneResult]
