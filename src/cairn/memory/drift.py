"""Finds what memory says that may no longer hold: items that contradict each other, and items whose files changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cairn.memory.contradiction import Clash
from cairn.memory.dedup import canonical_key, clash_between, contradicts
from cairn.memory.items import Item

GIT = "git"


@dataclass(frozen=True, slots=True)
class Conflict:
    """An approved item that cannot be true together with the one asked about, and why in one plain sentence."""

    other_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileNow:
    """A file as it is now; a fingerprint is ``scheme:digest``, such as ``git:…`` or ``sha:…``."""

    fingerprint: str | None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class ItemFile:
    """A file that an item speaks of, as it was when last looked at."""

    item_id: str
    path: str
    fingerprint: str | None


def conflicts(item: Item, approved: Sequence[tuple[Item, float]]) -> list[Conflict]:
    """The approved items that this one contradicts, the nearest first."""
    found = []
    for other, cosine in sorted(approved, key=lambda pair: (-pair[1], canonical_key(pair[0]))):
        if contradicts(item, other, cosine):
            found.append(Conflict(other_id=other.id, reason=_reason(clash_between(item, other))))
    return found


def stale_items(changes: Mapping[str, FileNow], known: Sequence[ItemFile]) -> dict[str, str]:
    """Items whose files were deleted or are not what they were, each with the reason; the first file by name speaks."""
    found: dict[str, str] = {}
    for held in sorted(known, key=lambda held: (held.item_id, held.path)):
        now = changes.get(held.path)
        if now is None or held.item_id in found:
            continue
        if now.deleted:
            found[held.item_id] = f"{held.path} was deleted"
        elif _has_changed(held.fingerprint, now.fingerprint):
            found[held.item_id] = f"{held.path} changed"
    return found


def _has_changed(before: str | None, now: str | None) -> bool:
    """Fingerprints of one scheme are compared. A commit that names a file is a change; a first look at it is not."""
    if now is None:
        return False
    scheme = now.partition(":")[0]
    if before is not None and before.partition(":")[0] == scheme:
        return before != now
    return scheme == GIT


def _reason(clash: Clash) -> str:
    match clash.kind:
        case "sense":
            return f"says the opposite: “{clash.mine}” against “{clash.other}”"
        case "order":
            return f"puts it the other way round: “{clash.mine}” against “{clash.other}”"
        case _:
            return f"says {clash.mine} where the other says {clash.other}"
