"""What differs between two states, as lines that were taken away and lines that came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loremark.cli import page
from loremark.cli.kit import Stop

if TYPE_CHECKING:
    from loremark.wire.history import Revision

_TEXTS = ("content", "description")
_MOST_LINES = 3_000
"""Comparing takes time that grows with the square of the lines."""


def show_text(before: str, after: str, indent: str = "") -> None:
    """A unified diff of two texts, in colours where there are any."""
    import difflib

    old, new = page.plain(before).splitlines(), page.plain(after).splitlines()
    if max(len(old), len(new)) > _MOST_LINES:
        page.write(f"{indent}({len(old)} lines became {len(new)}; too long to compare here)")
        return
    heads = 2 if max(len(old), len(new)) > 1 else 3
    for number, line in enumerate(difflib.unified_diff(old, new, lineterm="", n=2)):
        if number < heads:  # names of files, which there are none of; and the place, where there is but one
            continue
        colour = {"+": ("green",), "-": ("red",), "@": ("cyan",)}.get(line[:1], ())
        page.write(indent + page.styled(line, *colour))


def show_states(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """The fields that differ, texts line by line; whether there were any."""
    changed = [name for name in (*before, *(set(after) - set(before))) if before.get(name) != after.get(name)]
    for name in changed:
        old, new = before.get(name), after.get(name)
        page.write(page.styled(name, "bold"))
        if name in _TEXTS and isinstance(old, str) and isinstance(new, str):
            show_text(old, new)
        else:
            page.write(page.styled(f"- {_told(old)}", "red"))
            page.write(page.styled(f"+ {_told(new)}", "green"))
    return bool(changed)


def between(revisions: Sequence[Revision], first: int | None, last: int | None) -> tuple[Revision, Revision]:
    """Two versions of a thing: by default the newest, and the one before it."""
    by_version = {each.version: each for each in revisions}
    if not by_version:
        raise Stop("there is no history")
    newest = max(by_version)
    upper = newest if last is None else last
    older = [version for version in by_version if version < upper]
    lower = first if first is not None else max(older, default=upper)
    for version in (lower, upper):
        if version not in by_version:
            raise Stop(f"there is no version {version}; there are {min(by_version)} to {newest}")
    return by_version[lower], by_version[upper]


def show_versions(before: Revision, after: Revision) -> None:
    page.write(page.styled(f"version {before.version} → {after.version} ({after.change})", "cyan"))
    if not show_states(before.snapshot, after.snapshot):
        page.note("they are the same")


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return page.one_line(value if isinstance(value, str) else str(value))
