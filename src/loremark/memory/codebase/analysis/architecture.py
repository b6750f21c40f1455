"""Architecture findings: layout, packages, large files, generated code."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from heapq import nsmallest
from itertools import chain

from loremark.memory.codebase.analysis.formatting import (
    code,
    coded,
    counted,
    finding,
    joined,
    number,
    points,
    share,
    short,
)
from loremark.memory.codebase.analysis.import_findings import describe_file, import_findings
from loremark.memory.codebase.analysis.path_roles import CODE, path_role, vendored_root
from loremark.memory.codebase.analysis.product import language_name
from loremark.memory.codebase.analysis.prose import plain
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.layout import Directory
from loremark.memory.codebase.records import FileFacts, Finding
from loremark.memory.codebase.selection.file_kinds import is_example, is_test

_LARGE_LINES = 1_500
_EDITED = CODE | {"css", "scss", "less", "html", "sql"}
_BESIDE = re.compile(r"^(?:tests?|documentation|migrations?|static files|templates?|CI and|examples?|translations?)\b")


def architecture_findings(survey: Survey) -> list[Finding]:
    found = [
        _layout(survey),
        _workspace(survey),
        *import_findings(survey),
        _large(survey),
        _foreign(survey),
        *_directories(survey),
    ]
    return [one for one in found if one is not None]


def _layout(survey: Survey) -> Finding | None:
    rows = survey.directories
    if not rows:
        return None
    shown = [
        f"{code(row.path + '/')}: {row.role or 'code'}, {counted(row.files, 'file')}"
        f"{f', mostly {language_name(row.languages[0])}' if row.languages else ''}"
        for row in sorted(rows, key=lambda row: (row.path.startswith("."), row.path))
    ]
    top = [row.path for row in survey.largest_directories[:3]] or [row.path for row in rows[:3]]
    lead = f"{survey.codebase.name} has {counted(len(rows), 'main directory')}; most of the code is in {coded(top, 3)}."
    return finding(
        "architecture",
        f"Directory layout of {survey.codebase.name}",
        [lead, *points(shown, 16)],
        4,
        (),
        ["layout"],
    )


def _workspace(survey: Survey) -> Finding | None:
    """Packages of a monorepo: manifests with a name, each in its own directory."""
    rows: dict[str, tuple[str, FileFacts]] = {}
    for path, facts in survey.manifests:
        directory, _, _ = path.rpartition("/")
        if directory and facts.signs.get("name"):
            rows.setdefault(directory, (path, facts))
    if len(rows) < 2:
        return None
    shown = [
        f"{code(facts.signs['name'])} in {code(directory)}"
        f"{': ' + short(plain(facts.signs['description']), 140) if facts.signs.get('description') else ''}"
        for directory, (_, facts) in sorted(rows.items())
    ]
    names = [facts.signs["name"] for _, facts in rows.values()]
    lead = (
        f"{survey.codebase.name} is a monorepo with {counted(len(rows), 'package')}, "
        f"each with its own manifest: {coded(names, 8)}."
    )
    title = f"Monorepo packages: {coded(sorted(names)[:3], 3)}"
    return finding(
        "architecture", title, [lead, *points(shown, 14)], 4, [path for path, _ in rows.values()], ["packages"]
    )


def _large(survey: Survey) -> Finding | None:
    rows = nsmallest(8, survey.sources.items(), key=lambda row: (-row[1].lines, row[0]))
    rows = [
        row
        for row in rows
        if row[1].lines >= _LARGE_LINES or (row[1].lines > survey.lines * 0.12 and row[1].lines > 400)
    ]
    if not rows:
        return None
    path, facts = rows[0]
    lead = (
        f"{code(path)} is the largest source file in {survey.codebase.name}: {number(facts.lines)} "
        f"lines, {share(facts.lines, survey.lines)} of the code."
    )
    shown = [f"{code(path)}: {number(facts.lines)} lines{describe_file(survey, path)}" for path, facts in rows]
    title = f"Largest source files: {coded(sorted(path for path, _ in rows[:2]), 2)}"
    return finding("architecture", title, [lead, *points(shown)], 2, [path for path, _ in rows], ["size"])


def _foreign(survey: Survey) -> Finding | None:
    """Generated and vendored code."""
    vendored: Counter[str] = Counter()
    machine: list[str] = []
    for path in survey.ordered_paths:
        place = path_role(path)
        if place == "vendored" and not is_test(path) and not is_example(path):
            vendored[vendored_root(path)] += 1
        facts = survey.codebase.files.get(path)
        is_machine = facts is not None and "written-by" in facts.signs
        if place == "own" and is_machine and language_of(path) in _EDITED:
            machine.append(path)
    signs = [value for key in ("generated", "vendored") for path, value in survey.with_sign(key) if "/" not in path]
    marked = [glob for value in signs for glob in value.split(", ") if glob != "*"]
    rows = [f"{code(name + '/')}: {counted(count, 'third-party file')}" for name, count in vendored.most_common(8)]
    rows += [f"{code(path)}: generated" for path in machine[:8]]
    rows += [f"{code(glob)}: marked as generated or vendored in `.gitattributes`" for glob in marked[:6]]
    if not rows:
        return None
    what = [*list(vendored)[:2], *machine[:2], *marked][:3]
    lead = (
        f"Parts of {survey.codebase.name} are generated or third-party. Do not edit them by "
        f"hand: {coded(what, 3)}{' and others' if len(rows) > 3 else ''}."
    )
    return finding(
        "architecture",
        f"Generated or third-party code: {coded(what[:2], 2)}",
        [lead, *points(rows, 14)],
        2,
        machine,
        ["generated"],
    )


def _directories(survey: Survey) -> list[Finding]:
    """One finding per large directory."""
    paths = [row.path for row in survey.directories]
    rows = [
        row
        for row in survey.largest_directories
        if row.lines >= max(300, survey.lines * 0.04)
        and not _BESIDE.search(row.role or "")
        and sum(path.startswith(row.path + "/") for path in paths) < 3
    ]
    if len(paths) < 2:
        return []
    return [one for row in rows[:6] if (one := _directory(survey, row)) is not None]


def _directory(survey: Survey, row: Directory) -> Finding | None:
    directory = row.path
    inside = survey.inside(directory)
    content = directory_lines(survey, directory, inside)
    if len(inside) < 3 or len(content) < 4:
        return None
    imported = survey.graph.imported_by
    main = sorted(inside, key=lambda path: (-imported.get(path, 0), -inside[path].lines, path))
    title = (
        f"{code(directory + '/')}: {re.split(', |: | with ', row.role)[0]}"
        if row.role
        else f"Contents of {code(directory + '/')}"
    )
    return finding("architecture", title, content, 3, main[:12], ["layout"])


def directory_lines(survey: Survey, directory: str, inside: dict[str, FileFacts]) -> list[str]:
    """Describes a directory in a few sentences and bullet points."""
    lines = sum(facts.lines for facts in inside.values())
    role = next((row.role for row in survey.directories if row.path == directory), "")
    size = f"{counted(len(inside), 'source file')} and {number(lines)} lines"
    content = [f"{code(directory + '/')} ({role or 'code'}) contains {size} of {survey.codebase.name}."]
    facts_list: list[str] = []
    children: defaultdict[str, int] = defaultdict(int)
    for path in inside:
        child, slash, _ = path[len(directory) + 1 :].partition("/")
        if slash:
            children[child] += 1
    if children:
        top = sorted(children, key=lambda name: (-children[name], name))
        named = [f"`{name}/` ({counted(children[name], 'file')})" for name in top]
        facts_list.append(f"Subdirectories: {joined(named, 8)}")
    models = sorted({model.name for facts in inside.values() for model in facts.models if model.kind != "migration"})
    if models:
        facts_list.append(f"Models: {coded(models, 10)}")
    routes = sum(entry.kind == "route" for facts in inside.values() for entry in facts.entries)
    if routes > 1:
        facts_list.append(f"HTTP routes: {number(routes)}")
    imported_by = survey.graph.imported_by
    hubs = sorted(inside, key=lambda path: -imported_by.get(path, 0))  # ties keep path order
    facts_list += [
        f"{code(path)} is imported by {counted(imported_by[path], 'file')}{describe_file(survey, path)}"
        for path in hubs[:4]
        if imported_by.get(path, 0) > 2
    ]
    known = {} if models else survey.classes
    classes = dict.fromkeys(chain.from_iterable(known[path] for path in hubs if path in known))
    if classes:
        facts_list.append(f"Main classes: {coded(classes, 8)}")
    return [*content, *points(facts_list, 10)]
