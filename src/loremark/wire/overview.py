"""Projects at a glance, and the map of a memory."""

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
    """How many of the items that are not deprecated carry each flag."""

    stale: int
    conflict: int
    low_confidence: int
    quality: int


class SessionCounts(Shape):
    active: int
    enriching: int
    failed: int
    total: int


class Week(Shape):
    """How many items were added in the week that begins with this Monday (a day, UTC)."""

    from_: str
    added: int


class ProjectOverview(Shape):
    """A project at a glance. ``tokens`` is the size of its approved memory."""

    id: str
    name: str
    status: ProjectStatus
    visibility: Visibility
    items: ItemCounts
    flags: FlagCounts
    contexts: int
    sessions: SessionCounts
    last_event_at: str | None
    growth: list[Week]
    tokens: int


class Review(Shape):
    """What waits for a person's word."""

    drafts: int
    low_confidence: int
    conflicts: int
    stale: int


class ProjectHealth(ProjectOverview):
    """The same of one project, with its living items by type."""

    types: dict[str, int]
    review: Review


class Spend(Shape):
    """AI tokens of this month against the plan's, the credits that are left, and the other counters of the plan."""

    plan: str
    period: Period
    used: int
    limit: int
    credits: int
    usage: Counters


class Overview(Shape):
    """The newest projects the caller may see; what is spent is for the team's owner and admins."""

    projects: list[ProjectOverview]
    spend: Spend | None


class PlaceCounts(Shape):
    """Items of a place on the map. A stale or conflicting one is also counted as what it is."""

    approved: int
    draft: int
    stale: int
    conflict: int


class Place(Shape):
    """A context on the map, with the items for which there is none deeper."""

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
    items: PlaceCounts
