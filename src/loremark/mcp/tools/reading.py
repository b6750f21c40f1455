"""Reading the memory: the briefing, search, and what is known of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from loremark.base.marks import wrap
from loremark.client.calls.brain import get_brain
from loremark.client.calls.items import list_items
from loremark.client.calls.search import search
from loremark.mcp.memory import Memory
from loremark.mcp.problem import Problem
from loremark.mcp.shown import cut, framed, one_line
from loremark.mcp.tool import Arguments, Progress, Remembered, Tool
from loremark.wire.items import MemoryItem

_FACTS_CHARS = 700
_FILES_ASKED = 10
_ITEMS_A_FILE = 8

Path = Annotated[str, Meta(min_length=1, max_length=500)]
Paths = Annotated[
    tuple[Path, ...],
    Meta(max_length=_FILES_ASKED, description="Paths relative to the repository's root, as git shows them."),
]
TypeOrAny = Literal["any", "architecture", "convention", "implementation", "decision", "bug", "todo", "codemap"]


def joined(paths: Sequence[str]) -> str | None:
    """Paths as the interface takes them, with commas between."""
    if any("," in path for path in paths):
        raise Problem("A path in files must not hold a comma.")
    return ",".join(paths) or None


class BriefArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    budget: Annotated[int, Meta(ge=200, le=20_000, description="Most tokens of the briefing.")] = 4_000
    files: Paths = ()
    branch: Annotated[str, Meta(max_length=255, description="The git branch you work on, if not the main one.")] = ""


class Brief(Remembered):
    markdown: str
    items: int
    tokens: int
    left_out: int


async def _brief(memory: Memory, given: BriefArguments, progress: Progress) -> Brief:
    project_id = await memory.project_id(given.project)
    brain = await memory.client.send(get_brain(project_id, given.budget, given.branch or None, joined(given.files)))
    told = brain.metadata
    return Brief(
        markdown=brain.markdown, items=told.item_count, tokens=told.token_estimate, left_out=told.omitted.count
    )


def _tell_brief(brief: Brief) -> str:
    if not brief.items and not brief.markdown.strip():
        return "The memory of this project is still empty. Save what you learn with memory_save."
    rest = f"\n\n({brief.left_out} more entries did not fit: use memory_search.)" if brief.left_out else ""
    return wrap(f"{framed(brief.markdown)}{rest}")


BRIEF = Tool(
    "memory_brief",
    "Brief me on this project",
    "The approved memory of the project as one document: architecture, conventions, decisions, known bugs and open "
    "tasks, most important first, within a token budget. Call it once at the start of a task, unless the briefing is "
    "in your context already; give the files you are about to touch to have what concerns them come first. "
    "For one particular question use memory_search or memory_ask.",
    BriefArguments,
    Brief,
    _brief,
    _tell_brief,
)


class SearchArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: Annotated[
        str, Meta(min_length=1, max_length=2_000, description="What you want to know, in plain words or keywords.")
    ]
    limit: Annotated[int, Meta(ge=1, le=20, description="How many results at most.")] = 6
    type: Annotated[TypeOrAny, Meta(description="Only entries of this type.")] = "any"
    files: Annotated[
        tuple[Path, ...], Meta(max_length=_FILES_ASKED, description="Only entries about these files.")
    ] = ()
    drafts: Annotated[bool, Meta(description="Search entries that nobody has approved yet instead.")] = False


class Hit(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    title: str
    facts: str
    files: list[str]
    similarity: float
    confidence: float


class Hits(Remembered):
    results: list[Hit]


async def _search(memory: Memory, given: SearchArguments, progress: Progress) -> Hits:
    project_id = await memory.project_id(given.project)
    found = await memory.client.send(
        search(
            project_id,
            given.query,
            limit=given.limit,
            type=None if given.type == "any" else given.type,
            files=joined(given.files),
            status="draft" if given.drafts else None,
        )
    )
    return Hits(
        results=[
            Hit(
                id=item.item_id,
                type=item.type,
                title=item.title,
                facts=cut(item.facts, _FACTS_CHARS),
                files=item.files[:_FILES_ASKED],
                similarity=item.similarity,
                confidence=item.confidence,
            )
            for item in found.results
        ]
    )


def _tell_hits(hits: Hits) -> str:
    if not hits.results:
        return "Nothing in the project's memory fits this."
    return framed("\n\n".join(_entry(hit.type, hit.title, hit.id, hit.facts, hit.files) for hit in hits.results))


def _entry(kind: str, title: str, item_id: str, facts: str, files: list[str]) -> str:
    where = f"\nfiles: {', '.join(files)}" if files else ""
    return f"[{kind}] {one_line(title)} ({item_id})\n{facts}{where}"


SEARCH = Tool(
    "memory_search",
    "Search the project's memory",
    "Entries of the project's memory that fit a query by meaning and by words, best first, with their ids, files and "
    "facts. Use it before you decide how to build something, when you meet code you do not know, or when an error "
    "looks as if somebody met it before. Long facts are cut; memory_item gives one whole.",
    SearchArguments,
    Hits,
    _search,
    _tell_hits,
)


class FilesArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    files: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            max_length=_FILES_ASKED,
            description="Paths relative to the repository's root, as git shows them.",
        ),
    ]


class Known(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    title: str
    facts: str
    files: list[str]
    stale: bool


class KnownOfFiles(Remembered):
    items: list[Known]
    unknown: list[str]


async def _files(memory: Memory, given: FilesArguments, progress: Progress) -> KnownOfFiles:
    project_id = await memory.project_id(given.project)
    found: dict[str, Known] = {}
    unknown: list[str] = []
    for path in dict.fromkeys(given.files):
        call = list_items(project_id, status="approved", file=path, limit=_ITEMS_A_FILE)
        items = await memory.client.send(call)
        found |= {item.id: _known(item) for item in items}
        if not items:
            unknown.append(path)
    return KnownOfFiles(items=list(found.values()), unknown=unknown)


def _known(item: MemoryItem) -> Known:
    return Known(
        id=item.id,
        type=item.type,
        title=item.title,
        facts=cut(item.content, _FACTS_CHARS),
        files=item.files[:_FILES_ASKED],
        stale="stale" in item.flags,
    )


def _tell_known(known: KnownOfFiles) -> str:
    parts = []
    if known.items:
        entries = (
            _entry(f"{item.type}, may be out of date" if item.stale else item.type, item.title, item.id, item.facts, [])
            for item in known.items
        )
        parts.append(framed("\n\n".join(entries)))
    if known.unknown:
        parts.append("Nothing is remembered about: " + ", ".join(one_line(path) for path in known.unknown))
    return "\n\n".join(parts)


FILES = Tool(
    "memory_files",
    "What is known about files",
    "What the project's memory knows about particular files: decisions, conventions, bugs and how they work. Call it "
    "before you change a file that you have not worked on in this session. Answers approved entries with ids, and "
    "names the files about which nothing is remembered.",
    FilesArguments,
    KnownOfFiles,
    _files,
    _tell_known,
)
