"""Changes applied to the bytes of a file, and taken back from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from loremark.agents import blocks, jsonc, merging_json
from loremark.agents.changes import MARK, Block, Change, Element, Member, Trace, Whole
from loremark.agents.refusal import Refused

_BOM = "\ufeff"
_HEAD_LINES = 8
"""Room for what must come first in some files: a script's interpreter, the front matter of a rule."""


class Applied(NamedTuple):
    content: bytes
    traces: list[Trace]


class Reverted(NamedTuple):
    content: bytes
    is_bare: bool
    """Whether nothing is left but what the format itself asks for: the file can go if we made it."""


def apply(content: bytes | None, changes: Sequence[Change]) -> Applied:
    """The file with all changes; :class:`Refused` if it is not what it should be."""
    bom, text = _decode(content or b"")
    traces = []
    for change in changes:
        if isinstance(change, Whole):
            if text and not is_whole_ours(text):
                raise Refused("there is already a file of that name that is not ours; rename it, or do without ours")
            text, trace = change.text, Trace()
        elif isinstance(change, Block):
            text, trace = blocks.apply(text, change)
        else:
            text, trace = merging_json.apply(text, change)
        traces.append(trace)
    if any(isinstance(change, Member | Element) for change in changes):
        merging_json.root_of(text)
    return Applied((bom + text).encode(), traces)


def revert(content: bytes, changes: Sequence[Change], traces: Sequence[Trace] | None) -> Reverted:
    """The file without what is ours.

    Without traces (another machine did it) we take it that what holds nothing afterwards was made by us.
    """
    bom, text = _decode(content)
    if any(isinstance(change, Whole) for change in changes):
        return Reverted(content, is_whole_ours(text))
    known: Sequence[Trace | None] = traces if traces is not None else [None] * len(changes)
    in_json = any(isinstance(change, Member | Element) for change in changes)
    if in_json and jsonc.is_blank(text):
        return Reverted(content, not text.strip())
    found: list[Change] = []
    for change, trace in zip(reversed(changes), reversed(known), strict=True):
        if isinstance(change, Block):
            text = blocks.revert(text, change, trace)
        elif isinstance(change, Member | Element):
            before, text = text, merging_json.revert(text, change, trace)
            found += [change] if text != before else []
    if in_json:
        text = _tidy_json(text, found, known)
    is_bare = _is_scaffold(text, changes) if in_json else not text.strip()
    blank = next((trace.blank for trace in known if trace is not None and trace.blank is not None), None)
    if is_bare and blank is not None:
        text = blank
    return Reverted((bom + text).encode(), is_bare)


def _tidy_json(text: str, found: Sequence[Change], known: Sequence[Trace | None]) -> str:
    created: list[list[str]] = []
    interiors: list[tuple[list[str], str]] = []
    for trace in known:
        if trace is not None:
            created += trace.created
            interiors += trace.interiors
    if None in known:
        for change in found:
            path = change.path[:-1] if isinstance(change, Member) else getattr(change, "path", ())
            created += [list(path[:end]) for end in range(1, len(path) + 1)]
    # The first trace is the oldest: what a container looked like before anything of ours.
    oldest = {tuple(path): inside for path, inside in reversed(interiors)}
    return merging_json.tidy(text, created, [(list(path), inside) for path, inside in oldest.items()])


def _is_scaffold(text: str, changes: Sequence[Change]) -> bool:
    """Whether nothing is left but what the format itself asks for."""
    if "//" in text or "/*" in text:
        return False
    frame = {change.path[0]: change.value for change in changes if isinstance(change, Member) and change.only_if_absent}
    left = merging_json.root_of(text).items
    return all(item.key in frame and item.value.plain() == frame[item.key] for item in left)


def is_whole_ours(text: str) -> bool:
    return any(MARK in line for line in text.splitlines()[:_HEAD_LINES])


def _decode(content: bytes) -> tuple[str, str]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise Refused("it is not UTF-8 text") from None
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
