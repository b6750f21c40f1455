"""The input and output of hygiene rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from loremark.memory.items import Item
from loremark.wire.items import ItemType

ActionType = Literal["RENAME_TITLE", "RETAG", "MERGE_MEMORIES", "DEPRECATE_MEMORY", "REDACT", "FLAG_QUALITY"]
DESTRUCTIVE_ACTIONS = frozenset[ActionType](("MERGE_MEMORIES", "DEPRECATE_MEMORY", "REDACT"))
"""Actions that can lose information: they need approval."""
MAX_TITLE_SHOWN = 80


@dataclass(frozen=True, slots=True)
class HygieneItem:
    """An item to check; ``item.id`` sorts by age.

    ``branch``: its unmerged branch. ``deleted_files``: those of its files that were deleted. ``served``: in
    how many briefings it was lately. ``used``: in how many of them the session used it or the person repeated it.
    """

    item: Item
    branch: str | None = None
    superseded_by: str | None = None
    deleted_files: tuple[str, ...] = ()
    served: int = 0
    used: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed action with its reason. The first item of a merge is the one that is kept."""

    type: ActionType
    item_ids: tuple[str, ...]
    description: str
    confidence: float
    before: str | None = None
    after: str | None = None
    new_type: ItemType | None = None
    new_key: str | None = None
    successor: str | None = field(default=None)
    needs_review: bool = False
    """Whether a person must approve although nothing is lost, such as a title with another subject."""

    @property
    def requires_human_approval(self) -> bool:
        return self.needs_review or self.type in DESTRUCTIVE_ACTIONS


def quote_title(item: Item) -> str:
    """An item's title for use in a sentence."""
    title = " ".join(item.title.split())
    short = title if len(title) <= MAX_TITLE_SHOWN else f"{title[: MAX_TITLE_SHOWN - 1].rstrip()}…"
    return f"“{short}”"
