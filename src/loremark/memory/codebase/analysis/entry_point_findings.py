"""Entry point findings: programs, commands, routes, pages, jobs."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from loremark.memory.codebase.analysis.entry_points import entry_points
from loremark.memory.codebase.analysis.entry_sources import page_tables
from loremark.memory.codebase.analysis.formatting import (
    MAX_CONTENT,
    about,
    code,
    coded,
    counted,
    finding,
    joined,
    points,
)
from loremark.memory.codebase.analysis.more_entry_points import more_entry_point_findings
from loremark.memory.codebase.analysis.path_roles import area_of
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Entry, Finding

_KIND = {
    "main": "program",
    "cli": "command",
    "server": "server",
    "library": "library",
    "job": "job",
    "page": "page",
    "route": "routes",
}
_MAX_STARTS = 15
_PLAIN = ("main", "index", "app", "server", "Program", "library", "package")
_METHOD = re.compile(r"^([A-Z]{3,7})\s")
_MAX_FILES = 12


def entry_point_findings(survey: Survey) -> list[Finding]:
    rows = entry_points(survey.codebase, survey.graph)
    found = [
        _programs(survey, rows[:_MAX_STARTS]),
        *more_entry_point_findings(survey.codebase.name, rows[_MAX_STARTS:], _MAX_STARTS),
        _commands(survey),
        *_routes(survey),
        _pages(survey),
        _jobs(survey),
    ]
    return [one for one in found if one is not None]


def _programs(survey: Survey, rows: Sequence[tuple[str, Entry]]) -> Finding | None:
    if not rows:
        return None
    name = survey.codebase.name
    paths = [path for path, _ in rows]
    shown = [f"{code(path)} ({_describe(path, entry)})" for path, entry in rows]
    described = [f"{said}{_doc(survey, path)}" for said, path in zip(shown, paths, strict=True)]
    content: list[str] = []
    # Every entry point is listed; long paths get shorter descriptions.
    for first, lines in ((3, described), (3, shown), (1, shown)):
        lead = f"To trace how {name} runs, start with {coded(paths[:first], 3)}. Main entry points:"
        content = [lead, *points(lines, _MAX_STARTS)]
        if sum(len(line) + 1 for line in content) <= MAX_CONTENT:
            break
    return finding("entryPoints", f"Where {name} starts: {coded(paths[:2], 2)}", content, 5, paths, ["start"])


def _describe(path: str, entry: Entry) -> str:
    """A short description of the entry point."""
    if entry.name == "routes":
        return "route table"
    if entry.kind == "route":
        return entry.name if " " in entry.name and entry.name[0].isdigit() else f"handles {code(entry.name)}"
    kind = _KIND.get(entry.kind, "program")
    if entry.name in (*_PLAIN, posixpath.basename(path)) or entry.kind == "library":
        return kind
    # Several words are our own description; a single word is a name from the project.
    return entry.name if " " in entry.name else f"{kind} {code(entry.name)}"


def _doc(survey: Survey, path: str) -> str:
    facts = survey.codebase.files.get(path)
    doc = facts.signs.get("doc", "") if facts else ""
    return f": {doc[:120].rstrip('.')}" if len(doc) > 12 else ""


def _commands(survey: Survey) -> Finding | None:
    rows: dict[str, str] = {}
    for path, entry in survey.entries("cli"):
        if entry.name not in ("main", "cli"):
            rows.setdefault(entry.name, path)
    if len(rows) < 3:
        return None
    names = sorted(rows)
    places = Counter(area_of(path, 4) for path in rows.values())
    most = min(places, key=lambda place: (-places[place], place))
    lead = f"{survey.codebase.name} has {counted(len(rows), 'CLI command')}, most of them in {code(most or '.')}."
    shown = [f"{code(name)} in {code(rows[name])}{_doc(survey, rows[name])}" for name in names]
    title = f"CLI commands: {joined(names[:4], 4)}"
    return finding("entryPoints", title, [lead, *points(shown)], 4, sorted(set(rows.values())), ["cli"])


def _routes(survey: Survey) -> list[Finding]:
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for path, entry in survey.entries("route"):
        by_file[path].append(entry.name)
    total = sum(map(len, by_file.values()))
    if total < 2:
        return []
    places: Counter[str] = Counter()
    for path, names in by_file.items():
        places[area_of(path, 3) or path] += len(names)
    main = min(places, key=lambda place: (-places[place], place))
    ranked = sorted(by_file, key=lambda path: (-len(by_file[path]), path))
    methods = Counter(found.group(1) for names in by_file.values() for name in names if (found := _METHOD.match(name)))
    where = f"in {code(ranked[0])}" if len(ranked) == 1 else f"mostly under {code(main)}"
    lead = f"{survey.codebase.name} serves {counted(total, 'HTTP route')} in {counted(len(by_file), 'file')}, {where}."
    if sum(methods.values()) > total / 2:
        by_method = sorted(methods.items(), key=lambda row: (-row[1], row[0]))
        lead += f" By method: {joined([f'{count} {method}' for method, count in by_method], 6)}."
    if len(by_file) > _MAX_FILES:
        shown = _by_prefix(by_file)
    else:
        shown = [
            f"{code(path)}: {counted(len(by_file[path]), 'route')}, such as {coded(_examples(by_file[path]), 3)}"
            for path in ranked
        ]
    title = f"HTTP routes: {about(total)}, {where}"
    return [finding("entryPoints", title, [lead, *points(shown, _MAX_FILES)], 4, ranked, ["http", "routes"])]


def _by_prefix(by_file: Mapping[str, list[str]]) -> list[str]:
    """Routes of many files, grouped by prefix."""
    count: Counter[str] = Counter()
    files: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path, names in by_file.items():
        for name in names:
            prefix = _prefix(name)
            count[prefix] += 1
            files[prefix][path] += 1
    rows = sorted(count, key=lambda prefix: (-count[prefix], prefix))
    return [
        f"{code(prefix)}: {counted(count[prefix], 'route')} in "
        f"{coded((path for path, _ in files[prefix].most_common()), 2)}"
        for prefix in rows
    ]


def _prefix(name: str) -> str:
    """The route up to its first segment that is neither a version nor “api”."""
    kept: list[str] = []
    for part in name.rpartition(" ")[2].strip("/").split("/")[:4]:
        kept.append(part)
        if not re.fullmatch(r"api|rest|v\d{1,3}|internal|public", part):
            break
    return "/" + "/".join(kept)


def _examples(names: list[str]) -> list[str]:
    """Three different routes, the shortest first."""
    plain = sorted(dict.fromkeys(names), key=lambda name: (len(name), name))
    return [name for name in plain if len(name) > 5][:3] or plain[:3]


def _pages(survey: Survey) -> Finding | None:
    files = survey.codebase.files
    rows = sorted({(entry.name, path) for path, entry in survey.entries("page") if not page_tables(files[path])})
    if len(rows) < 2:
        return None
    places = Counter(area_of(path, 3) for _, path in rows)
    main = min(places, key=lambda place: (-places[place], place))
    lead = (
        f"{survey.codebase.name} has {counted(len(rows), 'page')} with file-based routing, mostly under {code(main)}."
    )
    rows.sort(key=lambda row: (row[0].count("/"), len(row[0]), row[0]))
    shown = [f"{code(name)} from {code(path)}" for name, path in rows]
    return finding(
        "entryPoints",
        f"File-based pages under {code(main)}",
        [lead, *points(shown)],
        3,
        [path for _, path in rows],
        ["pages"],
    )


def _jobs(survey: Survey) -> Finding | None:
    rows = sorted({(entry.name, path) for path, entry in survey.entries("job")})
    schedules = survey.with_sign("schedule")
    if not rows:
        return None
    lead = f"{survey.codebase.name} has {counted(len(rows), 'background job')}: {coded([name for name, _ in rows], 6)}."
    shown = [f"{code(name)} in {code(path)}" for name, path in rows]
    shown += [f"CI pipeline {code(path)} on the schedule `{when}`" for path, when in schedules[:3]]
    title = f"Background jobs: {coded([name for name, _ in rows[:3]], 3)}"
    return finding("entryPoints", title, [lead, *points(shown)], 3, [path for _, path in rows], ["jobs"])
