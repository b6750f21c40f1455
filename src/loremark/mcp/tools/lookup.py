"""Look up memory: the briefing, search, and items about files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from loremark.base.briefing_markers import wrap
from loremark.client.calls.brain import get_brain
from loremark.client.calls.items import list_items
from loremark.client.calls.search import search
from loremark.mcp.errors import ToolError
from loremark.mcp.formatting import one_line, pluralize, truncate, with_notice
from loremark.mcp.memory import Memory
from loremark.mcp.tool import Arguments, MemoryResult, Progress, Tool
from loremark.wire.items import MemoryItem

_FACTS_CHARS = 700
_MAX_FILES = 10
_ITEMS_PER_FILE = 8

Path = Annotated[str, Meta(min_length=1, max_length=500)]
Paths = Annotated[
    tuple[Path, ...],
    Meta(max_length=_MAX_FILES, description="Paths relative to the repository root, as shown by git."),
]
TypeOrAny = Literal["any", "architecture", "convention", "implementation", "decision", "bug", "todo", "codemap"]


def join_paths(paths: Sequence[str]) -> str | None:
    """Join paths with commas, as the API expects."""
    if any("," in path for path in paths):
        raise ToolError("Paths in files must not contain commas.")
    return ",".join(paths) or None


class BriefArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    budget: Annotated[int, Meta(ge=200, le=20_000, description="Maximum size of the briefing in tokens.")] = 4_000
    files: Paths = ()
    branch: Annotated[str, Meta(max_length=255, description="Your git branch, if it is not the default branch.")] = ""


class Brief(MemoryResult):
    markdown: str
    items: int
    tokens: int
    left_out: int


async def _brief(memory: Memory, given: BriefArguments, progress: Progress) -> Brief:
    project_id = await memory.project_id(given.project)
    brain = await memory.client.send(get_brain(project_id, given.budget, given.branch or None, join_paths(given.files)))
    metadata = brain.metadata
    return Brief(
        markdown=brain.markdown,
        items=metadata.item_count,
        tokens=metadata.token_estimate,
        left_out=metadata.omitted.count,
    )


def _render_brief(brief: Brief) -> str:
    if not brief.items and not brief.markdown.strip():
        return "This project has no memories yet. Save what you learn with memory_save."
    left_out = pluralize(brief.left_out, "more item")
    rest = f"\n\n({left_out} left out. Use memory_search to find more.)" if brief.left_out else ""
    return wrap(f"{with_notice(brief.markdown)}{rest}")


BRIEF = Tool(
    "memory_brief",
    "Get the project briefing",
    "Get the project's approved memory as one document: architecture, conventions, decisions, known bugs and open "
    "tasks, most important first, within a token budget. Call it once at the start of a task, unless a briefing is "
    "already in your context. Pass the files you are about to change to rank items about them first. For a specific "
    "question, use memory_search or memory_ask.",
    BriefArguments,
    Brief,
    _brief,
    _render_brief,
)


class SearchArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: Annotated[
        str, Meta(min_length=1, max_length=2_000, description="What to look for, in plain words or keywords.")
    ]
    limit: Annotated[int, Meta(ge=1, le=20, description="Maximum number of results.")] = 6
    type: Annotated[TypeOrAny, Meta(description="Only items of this type.")] = "any"
    files: Annotated[tuple[Path, ...], Meta(max_length=_MAX_FILES, description="Only items about these files.")] = ()
    drafts: Annotated[bool, Meta(description="Search unapproved drafts instead of approved items.")] = False


class SearchHit(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    title: str
    facts: str
    files: list[str]
    similarity: float
    confidence: float


class SearchHits(MemoryResult):
    results: list[SearchHit]


async def _search(memory: Memory, given: SearchArguments, progress: Progress) -> SearchHits:
    project_id = await memory.project_id(given.project)
    found = await memory.client.send(
        search(
            project_id,
            given.query,
            limit=given.limit,
            type=None if given.type == "any" else given.type,
            files=join_paths(given.files),
            status="draft" if given.drafts else None,
        )
    )
    return SearchHits(
        results=[
            SearchHit(
                id=item.item_id,
                type=item.type,
                title=item.title,
                facts=truncate(item.facts, _FACTS_CHARS),
                files=item.files[:_MAX_FILES],
                similarity=item.similarity,
                confidence=item.confidence,
            )
            for item in found.results
        ]
    )


def _render_hits(hits: SearchHits) -> str:
    if not hits.results:
        return "No matching memories."
    return with_notice("\n\n".join(_entry(hit.type, hit.title, hit.id, hit.facts, hit.files) for hit in hits.results))


def _entry(kind: str, title: str, item_id: str, facts: str, files: list[str]) -> str:
    where = f"\nfiles: {', '.join(files)}" if files else ""
    return f"[{kind}] {one_line(title)} ({item_id})\n{facts}{where}"


SEARCH = Tool(
    "memory_search",
    "Search project memory",
    "Search the project's memory by meaning and keywords. Returns the best matches first, with IDs, files and facts. "
    "Use it before you decide how to build something, when you work on unfamiliar code, or when you hit an error "
    "that others may have seen before. Long facts are truncated; use memory_item to read one in full.",
    SearchArguments,
    SearchHits,
    _search,
    _render_hits,
)


class FilesArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    files: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            max_length=_MAX_FILES,
            description="Paths relative to the repository root, as shown by git.",
        ),
    ]


class FileMemory(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    title: str
    facts: str
    files: list[str]
    stale: bool


class FileMemories(MemoryResult):
    items: list[FileMemory]
    unknown: list[str]


async def _files(memory: Memory, given: FilesArguments, progress: Progress) -> FileMemories:
    project_id = await memory.project_id(given.project)
    found: dict[str, FileMemory] = {}
    unknown: list[str] = []
    for path in dict.fromkeys(given.files):
        call = list_items(project_id, status="approved", file=path, limit=_ITEMS_PER_FILE)
        items = await memory.client.send(call)
        found |= {item.id: _file_memory(item) for item in items}
        if not items:
            unknown.append(path)
    return FileMemories(items=list(found.values()), unknown=unknown)


def _file_memory(item: MemoryItem) -> FileMemory:
    return FileMemory(
        id=item.id,
        type=item.type,
        title=item.title,
        facts=truncate(item.content, _FACTS_CHARS),
        files=item.files[:_MAX_FILES],
        stale="stale" in item.flags,
    )


def _render_file_memories(known: FileMemories) -> str:
    parts = []
    if known.items:
        entries = (
            _entry(f"{item.type}, may be out of date" if item.stale else item.type, item.title, item.id, item.facts, [])
            for item in known.items
        )
        parts.append(with_notice("\n\n".join(entries)))
    if known.unknown:
        parts.append("No memories about: " + ", ".join(one_line(path) for path in known.unknown))
    return "\n\n".join(parts)


FILES = Tool(
    "memory_files",
    "Look up files",
    "Get what the project's memory knows about specific files: decisions, conventions, bugs and how they work. Call "
    "it before you change a file for the first time in a session. Returns approved items with IDs, and lists the "
    "files that have none.",
    FilesArguments,
    FileMemories,
    _files,
    _render_file_memories,
)
