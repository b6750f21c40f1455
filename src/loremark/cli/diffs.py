"""Print differences between versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loremark.cli import output
from loremark.cli.framework import CommandError

if TYPE_CHECKING:
    from loremark.wire.history import Revision

_TEXTS = ("content", "description")
_MAX_LINES = 3_000
"""difflib takes quadratic time."""


def show_text(before: str, after: str, indent: str = "") -> None:
    """Print a unified diff of two texts."""
    import difflib

    old, new = output.plain(before).splitlines(), output.plain(after).splitlines()
    if max(len(old), len(new)) > _MAX_LINES:
        output.write(f"{indent}({len(old)} lines became {len(new)}; too long to show a diff)")
        return
    skipped_lines = 2 if max(len(old), len(new)) > 1 else 3
    for number, line in enumerate(difflib.unified_diff(old, new, lineterm="", n=2)):
        if number < skipped_lines:  # skip the file names, and the line range of one-line texts
            continue
        color = {"+": ("green",), "-": ("red",), "@": ("cyan",)}.get(line[:1], ())
        output.write(indent + output.styled(line, *color))


def show_states(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Print the fields that differ; returns whether there are any."""
    changed = [name for name in (*before, *(set(after) - set(before))) if before.get(name) != after.get(name)]
    for name in changed:
        old, new = before.get(name), after.get(name)
        output.write(output.styled(name, "bold"))
        if name in _TEXTS and isinstance(old, str) and isinstance(new, str):
            show_text(old, new)
        else:
            output.write(output.styled(f"- {_format_value(old)}", "red"))
            output.write(output.styled(f"+ {_format_value(new)}", "green"))
    return bool(changed)


def select_versions(revisions: Sequence[Revision], first: int | None, last: int | None) -> tuple[Revision, Revision]:
    """Two revisions by version number; by default the newest and the one before it."""
    by_version = {each.version: each for each in revisions}
    if not by_version:
        raise CommandError("no versions found")
    newest = max(by_version)
    upper = newest if last is None else last
    older = [version for version in by_version if version < upper]
    lower = first if first is not None else max(older, default=upper)
    for version in (lower, upper):
        if version not in by_version:
            raise CommandError(f"version {version} does not exist; versions are {min(by_version)} to {newest}")
    return by_version[lower], by_version[upper]


def show_versions(before: Revision, after: Revision) -> None:
    output.write(output.styled(f"version {before.version} → {after.version} ({after.change})", "cyan"))
    if not show_states(before.snapshot, after.snapshot):
        output.note("The versions are identical.")


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_format_value, value))
    return output.one_line(value if isinstance(value, str) else str(value))
