"""Project overviews and the context map."""

from __future__ import annotations

from loremark.wire.billing import Counters, Period
from loremark.wire.contexts import ContextState, ContextType
from loremark.wire.projects import ProjectStatus, Visibility
from loremark.wire.shapes import Shape


class ItemCounts(Shape):
    approved: int
    draft: int
    deprecated: int


class FlagCounts(Shape):
    """Number of items with each flag, deprecated items excluded."""

    stale: int
    conflict: int
    low_confidence: int
    quality: int


class SessionCounts(Shape):
    active: int
    enriching: int
    failed: int
    total: int


class WeeklyGrowth(Shape):
    """Items added in one week. ``weekStart`` is the date of its Monday (UTC)."""

    week_start: str
    added: int


class ProjectOverview(Shape):
    """A project's key figures. ``tokens`` is the size of its approved memory."""

    id: str
    name: str
    status: ProjectStatus
    visibility: Visibility
    items: ItemCounts
    flags: FlagCounts
    contexts: int
    sessions: SessionCounts
    last_event_at: str | None
    growth: list[WeeklyGrowth]
    tokens: int


class ReviewCounts(Shape):
    """Items to review."""

    drafts: int
    low_confidence: int
    conflicts: int
    stale: int


class ProjectHealth(ProjectOverview):
    """A project's key figures, with its items by type (deprecated items excluded) and the review queue."""

    by_type: dict[str, int]
    review: ReviewCounts


class Spend(Shape):
    """This month's AI tokens and their limit, remaining credits, and the plan's other counters."""

    plan: str
    period: Period
    used: int
    limit: int
    credits: int
    usage: Counters


class Overview(Shape):
    """The newest projects visible to the caller. ``spend`` is null except for the team's owner and admins."""

    projects: list[ProjectOverview]
    spend: Spend | None


class MapItemCounts(Shape):
    """Items of a context. Stale and conflicting items are also counted under their status."""

    approved: int
    draft: int
    stale: int
    conflict: int


class MapContext(Shape):
    """A context with the number of items that belong to it and to no deeper context."""

    id: str
    parent_id: str | None
    name: str
    schema_key: str
    state: ContextState
    tier: int
    context_type: ContextType
    project_id: str | None
    tokens: int
    updated_at: str
    items: MapItemCounts
