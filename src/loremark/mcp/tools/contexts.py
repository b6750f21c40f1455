"""Browse and read contexts: longer documents about parts of a project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from typing import Annotated

import msgspec
from msgspec import Meta

from loremark.client.calls.contexts import get_context, get_tree, list_contexts
from loremark.mcp.errors import ToolError
from loremark.mcp.formatting import context_mark, fenced, one_line, quoted, truncate
from loremark.mcp.memory import Memory, validate_id
from loremark.mcp.tool import Arguments, MemoryResult, Progress, Tool
from loremark.wire.contexts import ContextNode

_NODES = 300
_PAGE = 1_000
_CONTENT_CHARS = 20_000
_MAX_DEPTH = 32


class TreeArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    under: Annotated[str, Meta(max_length=500, description="Only contexts below this key, such as root/api.")] = ""


class ContextEntry(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    key: str
    name: str
    level: int
    state: str


class Tree(MemoryResult):
    contexts: list[ContextEntry]
    left_out: int


async def _tree(memory: Memory, given: TreeArguments, progress: Progress) -> Tree:
    project_id = await memory.project_id(given.project)
    roots = await memory.client.send(get_tree(project_id))
    contexts = [context for root in roots for context in _walk(root, 0)]
    if given.under:
        contexts = [
            context for context in contexts if context.key == given.under or context.key.startswith(given.under + "/")
        ]
    shown = contexts[:_NODES]
    if shown:
        await _add_states(memory, project_id, shown)
    return Tree(contexts=shown, left_out=len(contexts) - len(shown))


async def _add_states(memory: Memory, project_id: str, shown: list[ContextEntry]) -> None:
    """Say which contexts nobody has approved; the tree itself does not."""
    async with aclosing(memory.client.paginate(list_contexts(project_id, limit=_PAGE))) as listed:  # type: ignore[type-var]
        states = {context.id: context.state async for context in listed}
    for context in shown:
        context.state = states.get(context.id, "draft")


def _walk(node: ContextNode, level: int) -> Iterator[ContextEntry]:
    yield ContextEntry(id=node.id, key=node.schema_key, name=node.name, level=level, state="draft")
    if level < _MAX_DEPTH:
        for child in node.children:
            yield from _walk(child, level + 1)


def _render_tree(tree: Tree) -> str:
    if not tree.contexts:
        return "No contexts found."
    lines = [
        f"{'  ' * context.level}- {context_mark(context.state)}{one_line(context.name, 100)} "
        f"[{context.key}] {context.id}"
        for context in tree.contexts
    ]
    rest = f"\n({tree.left_out} more. Use `under` to narrow the list.)" if tree.left_out else ""
    return fenced("\n".join(lines) + rest)


TREE = Tool(
    "memory_tree",
    "List contexts",
    "List the project's contexts (longer documents about its parts) as a tree of names, keys and IDs. Use it to see "
    "what is documented, then read one with memory_context.",
    TreeArguments,
    Tree,
    _tree,
    _render_tree,
)


class ContextArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1, max_length=500, description="The context's ID (ctx_…) or key.")]


class ContextDetail(MemoryResult):
    id: str
    key: str
    name: str
    description: str
    state: str
    content: str
    updated_at: str


async def _context(memory: Memory, given: ContextArguments, progress: Progress) -> ContextDetail:
    context_id = given.id if given.id.startswith("ctx_") else await _id_of(memory, given)
    found = await memory.client.send(get_context(validate_id(context_id, "Context")))
    return ContextDetail(
        id=found.id,
        key=found.schema_key,
        name=found.name,
        description=found.description,
        state=found.state,
        content=truncate(found.content, _CONTENT_CHARS),
        updated_at=found.updated_at,
    )


async def _id_of(memory: Memory, given: ContextArguments) -> str:
    roots = await memory.client.send(get_tree(await memory.project_id(given.project)))
    found = next((context.id for root in roots for context in _walk(root, 0) if context.key == given.id), None)
    if found is None:
        raise ToolError(f"No context with the key {one_line(given.id, 100)}: call memory_tree to list them.")
    return found


def _render_context(context: ContextDetail) -> str:
    heading = f"# {context_mark(context.state)}{one_line(context.name, 100)} [{context.key}]"
    return fenced(f"{heading}\n\n{quoted(context.content)}")


CONTEXT = Tool(
    "memory_context",
    "Read a context",
    "Read the full text of one context, by its ID or key from memory_tree.",
    ContextArguments,
    ContextDetail,
    _context,
    _render_context,
)
