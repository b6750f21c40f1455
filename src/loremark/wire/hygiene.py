"""Hygiene: cleanup plans for a project's memory, and the results of applying them."""

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


class PlanReference(Shape):
    """The plan to apply. Only its ID is used; the server keeps the actions."""

    plan_id: AnyId


class HygieneRequest(Shape):
    """``plan`` and ``selectedActionIds`` are required for ``apply``."""

    project_id: str
    action: HygieneStep
    mode: HygieneMode = "quick"
    selected_action_ids: ActionIds | None = None
    plan: PlanReference | None = None


class HygieneAction(Shape):
    """A proposed change. A merge lists several items; the first one is kept."""

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
    """Number of actions by type. ``notes`` says why a model could not be used."""

    by_type: dict[str, int]
    notes: list[str]


class HygienePlan(Shape):
    """Proposed actions. Nothing changes until the plan is applied."""

    plan_id: str
    items_analyzed: int
    actions: list[HygieneAction]
    created_at: str
    expires_at: str
    mode: HygieneMode
    summary: HygieneSummary


class StoredAction(HygieneAction, kw_only=True):
    """An action of an earlier plan."""

    applied: bool


class StoredPlan(Shape):
    """An earlier plan. The ``notes`` of its summary are not stored."""

    plan_id: str
    items_analyzed: int
    actions: list[StoredAction]
    created_at: str
    expires_at: str
    mode: HygieneMode
    summary: HygieneSummary


class HygieneUndoRequest(Shape):
    """Actions to undo; without ``actionIds``, every action applied from the plan."""

    project_id: str
    plan_id: AnyId
    action_ids: ActionIds | None = None


class HygieneResult(Shape):
    """The result of one selected action."""

    action_id: str
    status: HygieneStatus
    reason: str | UnsetType = UNSET


class HygieneApplied(Shape):
    """Results in the order the actions were selected."""

    applied: int
    skipped: int
    results: list[HygieneResult]


class HygieneUndone(Shape):
    """Results in the order the actions were requested."""

    undone: int
    skipped: int
    results: list[HygieneResult]
