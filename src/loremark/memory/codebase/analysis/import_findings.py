"""Findings from the import graph: hubs, imports between directories, cycles."""

from __future__ import annotations

from collections import Counter

from loremark.memory.codebase.analysis.formatting import code, coded, counted, finding, points, short
from loremark.memory.codebase.analysis.path_roles import directory_of
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import FileFacts, Finding

_MIN_IMPORTERS = 5
_MIN_EDGES = 3


def import_findings(survey: Survey) -> list[Finding]:
    return [one for one in (_hubs(survey), _directions(survey), _cycles(survey)) if one is not None]


def _hubs(survey: Survey) -> Finding | None:
    rows = [(path, count) for path, count in survey.graph.hubs(12) if count >= _MIN_IMPORTERS][:10]
    if not rows:
        return None
    first, most = rows[0]
    kind = "package" if first.endswith("/") else "file"
    lead = (
        f"{code(first)} is imported by {counted(most, 'file')}, more than any other {kind} in {survey.codebase.name}. "
        f"Changes to it can affect much of the code."
    )
    shown = [f"{code(path)}: imported by {counted(count, 'file')}{describe_file(survey, path)}" for path, count in rows]
    title = f"Most-imported code: {coded(sorted(path for path, _ in rows[:2]), 2)}"
    return finding(
        "architecture", title, [lead, *points(shown)], 4, _files_of(survey, [path for path, _ in rows]), ["hubs"]
    )


def _files_of(survey: Survey, hubs: list[str]) -> list[str]:
    """The hub files; for a package, its largest files."""
    found: list[str] = []
    for hub in hubs:
        inside = [path for path in survey.sources if directory_of(path) == hub[:-1]] if hub.endswith("/") else [hub]
        found += sorted(inside, key=lambda path: (-survey.sources[path].lines if path in survey.sources else 0, path))[
            :3
        ]
    return found


def describe_file(survey: Survey, path: str) -> str:
    if path.endswith("/"):
        inside = sorted(
            (-facts.lines, name) for name, facts in survey.sources.items() if directory_of(name) == path[:-1]
        )
        return f" (largest files: {coded([name.rpartition('/')[2] for _, name in inside], 3)})" if inside else ""
    facts = survey.codebase.files.get(path)
    if facts is None:
        return ""
    doc = facts.signs.get("doc", "")
    if len(doc) > 12:
        return f" ({short(doc.rstrip('.'), 110)})"
    names = list(dict.fromkeys((*(model.name for model in facts.models), *_public(facts))))[:4]
    return f" (defines {coded(names, 4)})" if names else ""


def _public(facts: FileFacts) -> list[str]:
    """The public definitions of a file, classes and types before functions."""
    rows = [symbol for symbol in facts.symbols if symbol.kind in ("class", "type", "function")]
    return [
        symbol.name for symbol in sorted(rows, key=lambda symbol: symbol.kind == "function") if symbol.name[0] != "_"
    ]


def _directions(survey: Survey) -> Finding | None:
    between = survey.graph.between_directories(2)
    rows = [(*pair, count) for pair, count in between.items() if count >= _MIN_EDGES]
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: (-row[2], row[0], row[1]))
    pairs = {(source, target): count for source, target, count in rows}
    both = sorted((a, b) for a, b in pairs if a < b and (b, a) in pairs)
    targets: Counter[str] = Counter()
    for _, target, count in rows:
        targets[target] += count
    base = min(targets, key=lambda name: (-targets[name], name))
    lead = f"Most imports between directories of {survey.codebase.name} point to {code(base)}."
    shown = [
        f"{code(source or '.')} imports {code(target or '.')} {counted(count, 'time')}"
        for source, target, count in rows
    ]
    content = [lead, *points(shown, 10)]
    if both:
        said = "; ".join(f"{code(a)} and {code(b)}" for a, b in both[:4])
        content += ["", f"Directories that import each other: {said}."]
    else:
        content += ["", "No two directories import each other."]
    return finding(
        "architecture", f"Most imports between directories point to {code(base)}", content, 3, (), ["imports"]
    )


def _cycles(survey: Survey) -> Finding | None:
    cycles = [cycle for cycle in survey.graph.cycles(20) if len(cycle) > 1]
    if not cycles:
        return None
    cycles.sort(key=lambda cycle: (len(cycle), cycle))
    largest = max(map(len, cycles))
    lead = (
        f"{survey.codebase.name} has import cycles. Files in a cycle are hard to understand, "
        f"test or move independently."
    )
    shown = [f"{coded(cycle, 5)}" for cycle in cycles]
    content = [lead, *points(shown, 8)]
    if largest > 8:
        content += ["", f"The largest cycle has {counted(largest, 'file')}."]
    files = [path for cycle in cycles for path in cycle]
    return finding(
        "architecture",
        f"Import cycles, for example between {coded(cycles[0][:2], 2)}",
        content,
        3 if largest > 3 else 2,
        files,
        ["cycles"],
    )
