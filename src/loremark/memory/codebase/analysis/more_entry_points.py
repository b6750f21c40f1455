"""Findings for the entry points of large codebases beyond the main ones."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence

from loremark.memory.codebase.analysis.formatting import MAX_CONTENT, MAX_FILES, code, coded, counted, finding, joined
from loremark.memory.codebase.records import Entry, Finding

Rows = Sequence[tuple[str, Entry]]

_FEW = 25
"""Up to this many entry points share one finding."""
_BY_ITSELF = 6
_KINDS = {
    "cli": "commands",
    "server": "servers",
    "route": "routes",
    "job": "jobs",
    "library": "libraries",
    "page": "pages",
}
_PIECES = (
    ("programs and commands", ("programs", "commands")),
    ("servers and routes", ("servers", "routes")),
    ("jobs", ("jobs",)),
    ("parts", ("main parts", "pages", "libraries")),
)
_TOGETHER = 3
"""From this many files on, files of one directory are grouped in one line."""
_LINE = 400
_MARGIN = 60
_LONG = 16


def more_entry_point_findings(name: str, rows: Rows, before: int) -> list[Finding]:
    """Findings for the remaining entry points; kinds with many entries get a finding each."""
    left = list(rows)
    found: list[Finding] = []
    behind = f"Besides its {before} main entry points,"
    for what, kinds in _PIECES if len(rows) > _FEW else ():
        some = [(path, entry) for path, entry in rows if _kind(entry) in kinds]
        if len(some) < _BY_ITSELF:
            continue
        left = [row for row in left if row not in some]
        for start in range(0, len(some), MAX_FILES):
            piece = some[start : start + MAX_FILES]
            lead = f"{'After those,' if start else behind} {name} has {counted(len(piece), 'more file')} with {what}:"
            found.append(_grouped(f"{'Even more' if start else 'More'} {what} of {name}", lead, piece))
    if left:
        lead = f"{behind} {name} has {counted(len(left), 'more file')} worth reading early:"
        found.append(_grouped(f"More entry points of {name}", lead, left))
    return found


def _kind(entry: Entry) -> str:
    # Several words are our own description of a part, not the name of a program.
    return _KINDS.get(entry.kind, "main parts" if " " in entry.name else "programs")


def _grouped(title: str, lead: str, rows: Rows) -> Finding:
    by_kind: defaultdict[str, list[str]] = defaultdict(list)
    for path, entry in rows:
        by_kind[_kind(entry)].append(path)
    kept, length, listed = [lead, ""], len(lead), 0
    for line, count in (row for kind, paths in by_kind.items() for row in _lines(kind, paths)):
        length += len(line) + 1
        if length + _MARGIN > MAX_CONTENT:
            break
        kept.append(line)
        listed += count
    if listed < len(rows):
        kept.append(f"- and {counted(len(rows) - listed, 'more file')} attached to this finding")
    paths = [path for path, _ in rows]
    return finding("entryPoints", f"{title}: {coded(paths[:2], 2)}", kept, 3, paths, ["start"])


def _lines(kind: str, paths: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Lines for directories with several entry points, then for the others, each with its count."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        places[posixpath.dirname(path)].append(path)
    others: list[str] = []
    for place, found in places.items():
        if place and len(found) >= _TOGETHER:
            for names in _packed([code(posixpath.basename(path)) for path in found]):
                yield f"- {kind} in {code(place)}: {joined(names, len(names))}", len(names)
        else:
            others.extend(found)
    below = posixpath.commonpath(others) if len(others) > 1 else ""
    below = below if len(below) >= _LONG else ""
    start = f"- {kind} below {code(below)}: " if below else f"- {kind}: "
    for names in _packed([code(path[len(below) :].lstrip("/")) for path in others]):
        yield start + joined(names, len(names)), len(names)


def _packed(names: Sequence[str]) -> Iterator[list[str]]:
    """Groups as many as fit on a line."""
    packed: list[str] = []
    for name in names:
        if packed and sum(map(len, packed)) + len(name) > _LINE:
            yield packed
            packed = []
        packed.append(name)
    if packed:
        yield packed
