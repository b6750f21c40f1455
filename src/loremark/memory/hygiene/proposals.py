"""What the rules look at, and what they propose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from loremark.memory.items import Item
from loremark.wire.items import ItemType

ActionType = Literal["RENAME_TITLE", "RETAG", "MERGE_MEMORIES", "DEPRECATE_MEMORY", "REDACT", "FLAG_QUALITY"]
LOSES = frozenset[ActionType](("MERGE_MEMORIES", "DEPRECATE_MEMORY", "REDACT"))
"""What can take something from a reader: a person is asked."""
SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True)
class Seen:
    """A living item as hygiene looks at it; ``item.id`` sorts by age.

    ``branch``: the line of work it belongs to while that is not merged. ``gone``: those of its files that were deleted.
    """

    item: Item
    branch: str | None = None
    superseded_by: str | None = None
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing that could be done, with its reason in words. The first item of a merge is the one that stays."""

    type: ActionType
    item_ids: tuple[str, ...]
    description: str
    confidence: float
    before: str | None = None
    after: str | None = None
    new_type: ItemType | None = None
    new_key: str | None = None
    successor: str | None = field(default=None)
    needs_person: bool = False
    """Whether a person is asked although nothing is lost, such as where a title would be about something else."""

    @property
    def requires_human_approval(self) -> bool:
        return self.needs_person or self.type in LOSES


def named(item: Item) -> str:
    """An item's title as it stands in a sentence."""
    title = " ".join(item.title.split())
    short = title if len(title) <= SHOWN_CHARS else f"{title[: SHOWN_CHARS - 1].rstrip()}…"
    return f"“{short}”"
