"""What leans on what: hubs of the import graph, directions between directories, circles."""

from __future__ import annotations

from collections import Counter

from loremark.memory.codebase.records import FileFacts, Finding
from loremark.memory.codebase.study.placing import directory_of
from loremark.memory.codebase.study.survey import Survey
from loremark.memory.codebase.study.wording import code, coded, counted, finding, points, short

_LEAST_IMPORTERS = 5
_LEAST_EDGES = 3


def leaning_findings(survey: Survey) -> list[Finding]:
    return [one for one in (_hubs(survey), _directions(survey), _cycles(survey)) if one is not None]


def _hubs(survey: Survey) -> Finding | None:
    rows = [(path, count) for path, count in survey.graph.hubs(12) if count >= _LEAST_IMPORTERS][:10]
    if not rows:
        return None
    first, most = rows[0]
    kind = "package" if first.endswith("/") else "file"
    lead = (
        f"{code(first)} is imported by {counted(most, 'file')}, more than any other {kind} of {survey.codebase.name}: "
        f"change it with care."
    )
    shown = [f"{code(path)}: imported by {counted(count, 'file')}{about_file(survey, path)}" for path, count in rows]
    title = f"Much of the code leans on {coded(sorted(path for path, _ in rows[:2]), 2)}"
    return finding(
        "architecture", title, [lead, *points(shown)], 4, _files_of(survey, [path for path, _ in rows]), ["hubs"]
    )


def _files_of(survey: Survey, hubs: list[str]) -> list[str]:
    """The hubs themselves; of a package its largest files."""
    found: list[str] = []
    for hub in hubs:
        inside = [path for path in survey.sources if directory_of(path) == hub[:-1]] if hub.endswith("/") else [hub]
        found += sorted(inside, key=lambda path: (-survey.sources[path].lines if path in survey.sources else 0, path))[
            :3
        ]
    return found


def about_file(survey: Survey, path: str) -> str:
    if path.endswith("/"):
        inside = sorted(
            (-facts.lines, name) for name, facts in survey.sources.items() if directory_of(name) == path[:-1]
        )
        return f" (its largest files are {coded([name.rpartition('/')[2] for _, name in inside], 3)})" if inside else ""
    facts = survey.codebase.files.get(path)
    if facts is None:
        return ""
    doc = facts.signs.get("doc", "")
    if len(doc) > 12:
        return f" ({short(doc.rstrip('.'), 110)})"
    names = list(dict.fromkeys((*(model.name for model in facts.models), *_public(facts))))[:4]
    return f" (defines {coded(names, 4)})" if names else ""


def _public(facts: FileFacts) -> list[str]:
    """What a file offers: classes and types before functions, nothing private."""
    rows = [symbol for symbol in facts.symbols if symbol.kind in ("class", "type", "function")]
    return [
        symbol.name for symbol in sorted(rows, key=lambda symbol: symbol.kind == "function") if symbol.name[0] != "_"
    ]


def _directions(survey: Survey) -> Finding | None:
    between = survey.graph.between_directories(2)
    rows = [(*pair, count) for pair, count in between.items() if count >= _LEAST_EDGES]
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: (-row[2], row[0], row[1]))
    pairs = {(source, target): count for source, target, count in rows}
    both = sorted((a, b) for a, b in pairs if a < b and (b, a) in pairs)
    targets: Counter[str] = Counter()
    for _, target, count in rows:
        targets[target] += count
    base = min(targets, key=lambda name: (-targets[name], name))
    lead = f"Between the directories of {survey.codebase.name}, most imports lead to {code(base)}."
    shown = [
        f"{code(source or '.')} imports {code(target or '.')} {counted(count, 'time')}"
        for source, target, count in rows
    ]
    content = [lead, *points(shown, 10)]
    if both:
        said = "; ".join(f"{code(a)} and {code(b)}" for a, b in both[:4])
        content += ["", f"Imports go both ways between {said}."]
    else:
        content += ["", "No two directories import each other: the direction is clear."]
    return finding(
        "architecture", f"Imports between directories mostly lead to {code(base)}", content, 3, (), ["imports"]
    )


def _cycles(survey: Survey) -> Finding | None:
    cycles = [cycle for cycle in survey.graph.cycles(20) if len(cycle) > 1]
    if not cycles:
        return None
    cycles.sort(key=lambda cycle: (len(cycle), cycle))
    largest = max(map(len, cycles))
    lead = (
        f"Some files of {survey.codebase.name} import each other in circles, "
        f"so that one is hard to understand, test or move without the other."
    )
    shown = [f"{coded(cycle, 5)}" for cycle in cycles]
    content = [lead, *points(shown, 8)]
    if largest > 8:
        content += ["", f"The largest knot holds {counted(largest, 'file')}."]
    files = [path for cycle in cycles for path in cycle]
    return finding(
        "architecture",
        f"Import cycles, such as between {coded(cycles[0][:2], 2)}",
        content,
        3 if largest > 3 else 2,
        files,
        ["cycles"],
    )
