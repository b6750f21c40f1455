"""Finds items that may no longer hold: contradicting items, and items whose files changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from loremark.memory.dedup import canonical_key, contradicts, find_contradiction, is_reverted
from loremark.memory.extraction.commit_files import is_supporting_file
from loremark.memory.items import Item
from loremark.memory.provenance import is_from_commits

GIT = "git"
# Something that was done stays done whatever happens to its files. A description holds only while they stay the same.
_DONE_TYPES = ("bug", "implementation", "decision")


@dataclass(frozen=True, slots=True)
class Conflict:
    """An item that contradicts the given one, and the reason in one sentence."""

    other_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileState:
    """The current state of a file. A fingerprint is ``scheme:digest``, such as ``git:…`` or ``sha:…``."""

    fingerprint: str | None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class TrackedItem:
    """An item with the fingerprints its files had, and those of its files that were already deleted."""

    item: Item
    fingerprints: Mapping[str, str | None]
    deleted_files: Collection[str] = ()


def find_conflicts(
    item: Item, approved: Sequence[tuple[Item, float]], drafts: Sequence[tuple[Item, float]] = ()
) -> list[Conflict]:
    """Return the approved items that this one contradicts and the drafts that either reverts, most similar first."""
    found = []
    candidates = [(other, cosine, True) for other, cosine in approved] + [
        (other, cosine, False) for other, cosine in drafts
    ]
    for other, cosine, is_approved in sorted(
        candidates, key=lambda candidates: (-candidates[1], canonical_key(candidates[0]))
    ):
        if is_reverted(item, other, cosine):
            found.append(Conflict(other.id, _reason(item, other, is_revert=True)))
        elif is_approved and contradicts(item, other, cosine):
            found.append(Conflict(other.id, _reason(item, other, is_revert=False)))
    return found


def find_stale_items(changes: Mapping[str, FileState], known: Sequence[TrackedItem]) -> dict[str, str]:
    """Return the ids of items whose files were deleted or changed, each with the reason.

    Items from commits record what was done, so they go stale only with their last file. Other items go stale with a
    file that their text names, or with their only file. The first file by name is reported.
    """
    found: dict[str, str] = {}
    for holding in known:
        reason = _find_stale_reason(holding, changes)
        if reason is not None:
            found[holding.item.id] = reason
    return found


def _find_stale_reason(holding: TrackedItem, changes: Mapping[str, FileState]) -> str | None:
    item = holding.item
    own = [path for path in item.files if not is_supporting_file(path)]
    sources = own or ([] if is_from_commits(item) else list(item.files))
    deleted = sorted(path for path in sources if path in changes and changes[path].deleted)
    if deleted and all(path in holding.deleted_files or path in deleted for path in sources):
        return f"{deleted[0]} was deleted"
    if item.type in _DONE_TYPES and is_from_commits(item):
        return None
    for path in sorted(sources):
        now = changes.get(path)
        if now is None or not (len(sources) == 1 or _names(item, path)):
            continue
        if now.deleted:
            return f"{path} was deleted"
        if path in holding.fingerprints and _has_changed(holding.fingerprints[path], now.fingerprint):
            return f"{path} changed"
    return None


def _names(item: Item, path: str) -> bool:
    """Whether the item's text names the file, by its path or a unique suffix of it."""
    text = "\n".join((item.title, item.content, *(quote.quote for quote in item.evidence)))
    parts = path.split("/")
    for start in range(len(parts)):
        end = "/".join(parts[start:])
        is_unique = not any(other != path and f"/{other}".endswith(f"/{end}") for other in item.files)
        if is_unique and re.search(rf"(?<![\w.-]){re.escape(end)}(?![\w-])", text):
            return True
    return False


def _has_changed(before: str | None, now: str | None) -> bool:
    """Compare fingerprints of the same scheme. A commit that touches a file counts as a change; seeing it first does
    not."""
    if now is None:
        return False
    scheme = now.partition(":")[0]
    if before is not None and before.partition(":")[0] == scheme:
        return before != now
    return scheme == GIT


def _reason(item: Item, other: Item, *, is_revert: bool) -> str:
    """Describe the conflict. Without a named contradiction, say only that one may be wrong."""
    titles = f"“{item.title}” vs. “{other.title}”"
    if is_revert:
        return f"reverts the other or is reverted by it: {titles}"
    clash = find_contradiction(item, other)
    if clash is None:
        return f"may contradict the other: {titles}"
    match clash.kind:
        case "polarity":
            return f"says the opposite: “{clash.mine}” vs. “{clash.other}”"
        case "order":
            return f"reverses the order: “{clash.mine}” vs. “{clash.other}”"
        case _:
            return f"says {clash.mine} where the other says {clash.other}"
