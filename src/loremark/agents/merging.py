"""Apply changes to a file's bytes, and revert them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from loremark.agents import blocks, jsonc, merging_json
from loremark.agents.changes import OWNED_MARK, Block, Change, Element, Member, UndoInfo, WholeFile
from loremark.agents.errors import EditError

_BOM = "\ufeff"
_HEAD_LINES = 8
"""The mark may come after a shebang line or front matter."""


class Applied(NamedTuple):
    content: bytes
    undo_infos: list[UndoInfo]


class Reverted(NamedTuple):
    content: bytes
    is_bare: bool
    """Whether only the format's required parts are left, so a file that we created can be deleted."""


def apply(content: bytes | None, changes: Sequence[Change]) -> Applied:
    """Apply all changes. Raises :class:`EditError` if the file is not in the expected format."""
    bom, text = _decode(content or b"")
    undo_infos = []
    for change in changes:
        if isinstance(change, WholeFile):
            if text and not is_owned_file(text):
                raise EditError(
                    "there is already a file with that name that Loremark did not create; rename the file and run this "
                    "again"
                )
            text, undo = change.text, UndoInfo()
        elif isinstance(change, Block):
            text, undo = blocks.apply(text, change)
        else:
            text, undo = merging_json.apply(text, change)
        undo_infos.append(undo)
    if any(isinstance(change, Member | Element) for change in changes):
        merging_json.parse_object(text)
    return Applied((bom + text).encode(), undo_infos)


def revert(content: bytes, changes: Sequence[Change], undo_infos: Sequence[UndoInfo] | None) -> Reverted:
    """Remove our changes.

    Without undo information (the changes were made on another machine), containers that end up empty are removed too.
    """
    bom, text = _decode(content)
    if any(isinstance(change, WholeFile) for change in changes):
        return Reverted(content, is_owned_file(text))
    known: Sequence[UndoInfo | None] = undo_infos if undo_infos is not None else [None] * len(changes)
    in_json = any(isinstance(change, Member | Element) for change in changes)
    if in_json and jsonc.is_blank(text):
        return Reverted(content, not text.strip())
    found: list[Change] = []
    for change, undo in zip(reversed(changes), reversed(known), strict=True):
        if isinstance(change, Block):
            text = blocks.revert(text, change, undo)
        elif isinstance(change, Member | Element):
            before, text = text, merging_json.revert(text, change, undo)
            found += [change] if text != before else []
    if in_json:
        text = _tidy_json(text, found, known)
    is_bare = _is_empty_scaffold(text, changes) if in_json else not text.strip()
    blank = next((undo.blank for undo in known if undo is not None and undo.blank is not None), None)
    if is_bare and blank is not None:
        text = blank
    return Reverted((bom + text).encode(), is_bare)


def _tidy_json(text: str, found: Sequence[Change], known: Sequence[UndoInfo | None]) -> str:
    created: list[list[str]] = []
    interiors: list[tuple[list[str], str]] = []
    for undo in known:
        if undo is not None:
            created += undo.created
            interiors += undo.interiors
    if None in known:
        for change in found:
            path = change.path[:-1] if isinstance(change, Member) else getattr(change, "path", ())
            created += [list(path[:end]) for end in range(1, len(path) + 1)]
    # The first entry is the oldest: the container before any of our changes.
    oldest = {tuple(path): inside for path, inside in reversed(interiors)}
    return merging_json.tidy(text, created, [(list(path), inside) for path, inside in oldest.items()])


def _is_empty_scaffold(text: str, changes: Sequence[Change]) -> bool:
    """Return whether only the format's required parts are left."""
    if "//" in text or "/*" in text:
        return False
    scaffold = {
        change.path[0]: change.value for change in changes if isinstance(change, Member) and change.only_if_absent
    }
    left = merging_json.parse_object(text).items
    return all(item.key in scaffold and item.value.plain() == scaffold[item.key] for item in left)


def is_owned_file(text: str) -> bool:
    return any(OWNED_MARK in line for line in text.splitlines()[:_HEAD_LINES])


def _decode(content: bytes) -> tuple[str, str]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise EditError("it is not UTF-8 text") from None
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
