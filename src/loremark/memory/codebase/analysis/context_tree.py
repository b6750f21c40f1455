"""Builds the context tree: an overview, a page per layer, a page per main directory."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from itertools import islice

from loremark.memory.codebase.analysis.architecture import directory_lines
from loremark.memory.codebase.analysis.formatting import code, counted, joined, number, short
from loremark.memory.codebase.analysis.path_roles import CODE
from loremark.memory.codebase.analysis.product import display_name, summary
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Finding, Layer, Node
from loremark.memory.schema_keys import CODEBASE, slug

_MAX_NODES = 60
_PAGE_CHARS = 8_000
_INVENTORY_TIER = 3
_LAYERS: tuple[tuple[Layer, str, str, int], ...] = (
    ("product", "product", "What the product is and what it does", 1),
    ("architecture", "architecture", "Code layout and dependencies between its parts", 1),
    ("dependencies", "dependencies", "Frameworks, libraries and their versions", _INVENTORY_TIER),
    ("conventions", "conventions", "Development workflow and code conventions", 1),
    ("dataModel", "data-model", "Stored data and how it relates", _INVENTORY_TIER),
    ("entryPoints", "entry-points", "Programs, servers, routes and jobs", _INVENTORY_TIER),
)


def context_nodes(survey: Survey, findings: Sequence[Finding]) -> tuple[Node, ...]:
    """At most 60 contexts with unique keys."""
    name = display_name(survey)
    made = [_overview(survey, name, findings)]
    for layer, segment, description, tier in _LAYERS:
        ours = [finding for finding in findings if finding.layer == layer]
        if ours:
            title = f"{name}: {segment.replace('-', ' ')}"
            made.append(Node(f"{CODEBASE}/{segment}", title, description, _page(title, ours), tier))
    taken: set[str] = set()
    for row in survey.directories:
        if len(made) >= _MAX_NODES:
            break
        key = _free(slug(row.path), taken)
        made.append(_directory(survey, row.path, row.role, f"{CODEBASE}/directories/{key}"))
    return tuple(made)


def _free(key: str, taken: set[str]) -> str:
    place, free = 1, key
    while free in taken:
        place += 1
        free = f"{key[:56]}-{place}"
    taken.add(free)
    return free


def _overview(survey: Survey, name: str, findings: Sequence[Finding]) -> Node:
    text, _ = summary(survey)
    lines = [f"# {name}", "", text or f"{name} is a codebase of {counted(len(survey.paths), 'file')}.", ""]
    if survey.stack:
        lines += [
            f"Built with "
            f"{joined([f'{tech.name} {tech.version}' if tech.version else tech.name for tech in survey.stack], 14)}.",
            "",
        ]
    if survey.directories:
        lines += ["## Main directories", ""]
        lines += [
            f"- {code(row.path + '/')}: {row.role or 'code'}, {counted(row.files, 'file')}"
            for row in survey.directories[:15]
        ]
    top = [finding for finding in findings if finding.importance >= 4][:15]
    if top:
        lines += ["", "## Key findings", ""]
        lines += [f"- **{finding.title}.** {_first_line(finding)}" for finding in top]
    return Node(CODEBASE, name, short(text, 200) or f"The codebase of {name}", "\n".join(lines)[:_PAGE_CHARS], 1)


def _first_line(finding: Finding) -> str:
    return short(finding.content.split("\n", 1)[0], 300)


def _page(title: str, findings: Sequence[Finding]) -> str:
    parts = [f"# {title}"]
    length = 0
    for finding in findings:
        part = f"## {finding.title}\n\n{finding.content}"
        length += len(part)
        if length > _PAGE_CHARS:
            break
        parts.append(part)
    return "\n\n".join(parts)


def _directory(survey: Survey, directory: str, role: str, key: str) -> Node:
    inside = survey.inside(directory)
    if inside:
        lines = directory_lines(survey, directory, inside)
    else:
        files = [path for path in survey.ordered_paths if path.startswith(directory + "/")]
        lines = [
            f"{code(directory + '/')} ({role or 'files'}) contains {counted(len(files), 'file')}.",
            "",
            *(f"- {code(path)}" for path in files[:20]),
        ]
    documented = (
        (path, facts.signs["doc"])
        for path, facts in inside.items()
        if len(facts.signs.get("doc", "")) > 12 and facts.language in CODE
    )
    described = dict(islice(documented, 30))
    largest = nlargest(12, inside, key=lambda path: inside[path].lines)  # ties keep path order
    lines += ["", "## Files", ""]
    lines += [f"- {code(path)}: {short(doc, 160)}" for path, doc in described.items()]
    lines += [f"- {code(path)}: {number(inside[path].lines)} lines" for path in largest if path not in described]
    content = f"# {directory}/\n\n" + "\n".join(lines)
    return Node(
        key, f"{directory}/", short(f"{directory}/: {role or 'code'}", 200), content[:_PAGE_CHARS], _INVENTORY_TIER
    )
