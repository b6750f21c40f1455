"""Finds what memory says that may no longer hold: items that contradict each other, and items whose files changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from loremark.memory.dedup import canonical_key, clash_between, contradicts, undoes
from loremark.memory.extraction.commit_files import is_beside
from loremark.memory.items import Item
from loremark.memory.provenance import rests_on_commits

GIT = "git"
# What is done is done, whatever becomes of the files; a description holds for as long as they are as they were.
_DEEDS = ("bug", "implementation", "decision")


@dataclass(frozen=True, slots=True)
class Conflict:
    """An item that cannot be true together with the one asked about, and why in one plain sentence."""

    other_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileNow:
    """A file as it is now; a fingerprint is ``scheme:digest``, such as ``git:…`` or ``sha:…``."""

    fingerprint: str | None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Holding:
    """An item with the fingerprints of those of its files that were seen now, and those that were gone before."""

    item: Item
    fingerprints: Mapping[str, str | None]
    gone: Collection[str] = ()


def conflicts(
    item: Item, approved: Sequence[tuple[Item, float]], drafts: Sequence[tuple[Item, float]] = ()
) -> list[Conflict]:
    """The approved items that this one contradicts, and the drafts that one of the two takes back; nearest first."""
    found = []
    held = [(other, cosine, True) for other, cosine in approved] + [(other, cosine, False) for other, cosine in drafts]
    for other, cosine, is_approved in sorted(held, key=lambda held: (-held[1], canonical_key(held[0]))):
        if undoes(item, other, cosine):
            found.append(Conflict(other.id, _reason(item, other, is_undone=True)))
        elif is_approved and contradicts(item, other, cosine):
            found.append(Conflict(other.id, _reason(item, other, is_undone=False)))
    return found


def stale_items(changes: Mapping[str, FileNow], known: Sequence[Holding]) -> dict[str, str]:
    """Items that rest on files that were deleted or are not what they were, each with the reason.

    What commits tell was done, and stays done: it goes with the last of its files. What people tell and scans find
    goes with a file that its words name, or with its only one; the first file by name speaks.
    """
    found: dict[str, str] = {}
    for holding in known:
        reason = _why_stale(holding, changes)
        if reason is not None:
            found[holding.item.id] = reason
    return found


def _why_stale(holding: Holding, changes: Mapping[str, FileNow]) -> str | None:
    item = holding.item
    own = [path for path in item.files if not is_beside(path)]
    rests = own or ([] if rests_on_commits(item) else list(item.files))
    deleted = sorted(path for path in rests if path in changes and changes[path].deleted)
    if deleted and all(path in holding.gone or path in deleted for path in rests):
        return f"{deleted[0]} was deleted"
    if item.type in _DEEDS and rests_on_commits(item):
        return None
    for path in sorted(rests):
        now = changes.get(path)
        if now is None or not (len(rests) == 1 or _names(item, path)):
            continue
        if now.deleted:
            return f"{path} was deleted"
        if path in holding.fingerprints and _has_changed(holding.fingerprints[path], now.fingerprint):
            return f"{path} changed"
    return None


def _names(item: Item, path: str) -> bool:
    """Whether the words of an item name the file, by its path or by as much of its end as no other file has."""
    text = "\n".join((item.title, item.content, *(quote.quote for quote in item.evidence)))
    parts = path.split("/")
    for start in range(len(parts)):
        end = "/".join(parts[start:])
        is_its_own = not any(other != path and f"/{other}".endswith(f"/{end}") for other in item.files)
        if is_its_own and re.search(rf"(?<![\w.-]){re.escape(end)}(?![\w-])", text):
            return True
    return False


def _has_changed(before: str | None, now: str | None) -> bool:
    """Fingerprints of one scheme are compared. A commit that names a file is a change; a first look at it is not."""
    if now is None:
        return False
    scheme = now.partition(":")[0]
    if before is not None and before.partition(":")[0] == scheme:
        return before != now
    return scheme == GIT


def _reason(item: Item, other: Item, *, is_undone: bool) -> str:
    """What stands against what; where no clash has a name, nothing more is said than that one may be wrong."""
    titles = f"“{item.title}” against “{other.title}”"
    if is_undone:
        return f"one takes back the other: {titles}"
    clash = clash_between(item, other)
    if clash is None:
        return f"both may not hold: {titles}"
    match clash.kind:
        case "sense":
            return f"says the opposite: “{clash.mine}” against “{clash.other}”"
        case "order":
            return f"puts it the other way round: “{clash.mine}” against “{clash.other}”"
        case _:
            return f"says {clash.mine} where the other says {clash.other}"
