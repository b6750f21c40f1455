"""The tree of contexts: longer texts about the parts of a project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from loremark.client.calls.contexts import get_context, get_tree
from loremark.mcp.memory import Memory, checked_id
from loremark.mcp.problem import Problem
from loremark.mcp.shown import cut, framed, one_line
from loremark.mcp.tool import Arguments, Progress, Remembered, Tool
from loremark.wire.contexts import ContextNode

_NODES = 300
_CONTENT_CHARS = 20_000
_DEEPEST = 32


class TreeArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    under: Annotated[str, Meta(max_length=500, description="Only the part below this key, such as root/api.")] = ""


class Place(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    key: str
    name: str
    level: int


class Tree(Remembered):
    contexts: list[Place]
    left_out: int


async def _tree(memory: Memory, given: TreeArguments, progress: Progress) -> Tree:
    project_id = await memory.project_id(given.project)
    roots = await memory.client.send(get_tree(project_id))
    places = [place for root in roots for place in _walk(root, 0)]
    if given.under:
        places = [place for place in places if place.key == given.under or place.key.startswith(given.under + "/")]
    return Tree(contexts=places[:_NODES], left_out=max(0, len(places) - _NODES))


def _walk(node: ContextNode, level: int) -> Iterator[Place]:
    yield Place(id=node.id, key=node.schema_key, name=node.name, level=level)
    if level < _DEEPEST:
        for child in node.children:
            yield from _walk(child, level + 1)


def _tell_tree(tree: Tree) -> str:
    if not tree.contexts:
        return "There are no contexts."
    lines = [f"{'  ' * place.level}- {one_line(place.name, 100)} [{place.key}] {place.id}" for place in tree.contexts]
    rest = f"\n({tree.left_out} more: ask for a part with under.)" if tree.left_out else ""
    return framed("\n".join(lines) + rest)


TREE = Tool(
    "memory_tree",
    "The tree of contexts",
    "The map of the project's contexts: names, keys and ids of the longer texts about its parts, as a tree. Use it to "
    "find out what is documented, then read one with memory_context.",
    TreeArguments,
    Tree,
    _tree,
    _tell_tree,
)


class ContextArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1, max_length=500, description="The context's id (ctx_…) or its key.")]


class ContextShown(Remembered):
    id: str
    key: str
    name: str
    description: str
    state: str
    content: str
    updated_at: str


async def _context(memory: Memory, given: ContextArguments, progress: Progress) -> ContextShown:
    context_id = given.id if given.id.startswith("ctx_") else await _id_of(memory, given)
    found = await memory.client.send(get_context(checked_id(context_id, "Context")))
    return ContextShown(
        id=found.id,
        key=found.schema_key,
        name=found.name,
        description=found.description,
        state=found.state,
        content=cut(found.content, _CONTENT_CHARS),
        updated_at=found.updated_at,
    )


async def _id_of(memory: Memory, given: ContextArguments) -> str:
    roots = await memory.client.send(get_tree(await memory.project_id(given.project)))
    found = next((place.id for root in roots for place in _walk(root, 0) if place.key == given.id), None)
    if found is None:
        raise Problem(f"There is no context with the key {one_line(given.id, 100)}: memory_tree shows those there are.")
    return found


def _tell_context(context: ContextShown) -> str:
    return framed(f"# {one_line(context.name, 100)} [{context.key}] ({context.state})\n\n{context.content}")


CONTEXT = Tool(
    "memory_context",
    "Read one context",
    "The whole text of one context, by its id or key from memory_tree.",
    ContextArguments,
    ContextShown,
    _context,
    _tell_context,
)
