"""Usefulness: what agents made of the memory they were given."""

from __future__ import annotations

from msgspec import field

from loremark.wire.shapes import Shape


class ItemUsefulness(Shape):
    """How often an item was in a briefing, was used by the session, or had to be repeated by a person."""

    item_id: str
    title: str
    served: int
    used: int
    corrected: int


class BriefingPeriod(Shape):
    """A period during which briefings stayed on or stayed off.

    ``sessions``: those that memory had something for. While briefings are off it is recorded but not given to them, so
    that ``corrections``, what people had to say again, can be compared.
    """

    from_: str = field(name="from")
    to: str
    enabled: bool
    sessions: int
    corrections: int
    tokens_median: int


class Usefulness(Shape):
    """A project's figures. ``repeatCorrectionRate``: corrected entries per entry served, 0 to 1."""

    briefings: int
    tokens_median: int
    sessions_briefed: int
    entries_served: int
    entries_used: int
    entries_corrected: int
    repeat_correction_rate: float
    periods: list[BriefingPeriod]
    items: list[ItemUsefulness]


class ItemUsage(Shape):
    """How often an item was in a briefing, was used, or had to be repeated."""

    served: int
    used: int
    corrected: int
    last_served_at: str | None
