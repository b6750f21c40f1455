"""Contexts: markdown in a tree, addressed by schema keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.base import limits
from loremark.wire.items import Content, SchemaKey, Tier
from loremark.wire.shapes import VISIBLE_TEXT, AnyId, Description, Shape

ContextState = Literal["draft", "approved", "deprecated"]
ContextType = Literal["system", "reference", "memory"]
ContextAction = Literal["approve", "deprecate"]
PopulateChange = Literal["created", "updated", "unchanged"]

ContextName = Annotated[str, Meta(min_length=1, max_length=limits.CONTEXT_NAME_CHARS, pattern=VISIBLE_TEXT)]


class NewContext(Shape):
    name: ContextName
    description: Description = ""
    content: Content = ""
    parent_context_id: AnyId | None = None
    schema_key: SchemaKey | None = None
    tier: Tier = 2
    context_type: ContextType = "memory"
    project_id: AnyId | None = None


class ContextChange(Shape):
    """Fields left out stay as they are."""

    name: ContextName | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    content: Content | UnsetType = UNSET
    parent_context_id: AnyId | UnsetType | None = UNSET


class ContextDecision(Shape):
    action: ContextAction


class ContextEntry(Shape):
    """A context in the list."""

    id: str
    name: str
    description: str
    schema_key: str
    parent_context_id: str | None
    state: ContextState
    tier: int
    context_type: ContextType
    created_at: str
    updated_at: str


class ContextDetail(ContextEntry):
    """A context by itself."""

    content: str


class ContextNode(Shape):
    """A context in the tree; its children are nodes like itself."""

    id: str
    name: str
    schema_key: str
    children: list[ContextNode]


class Compacted(Shape):
    id: str
    entries_before: int
    entries_after: int
    tokens_saved: int


class PopulateNode(Shape):
    """A context to be there; what is left out stays as it is, or is empty in a new one."""

    schema_key: SchemaKey
    name: ContextName
    description: Description | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    parent_schema_key: SchemaKey | None = None
    context_type: ContextType | UnsetType = UNSET
    tier: Tier | UnsetType = UNSET


class Population(Shape):
    nodes: Annotated[list[PopulateNode], Meta(max_length=limits.POPULATE_NODES)]
    source: Annotated[str, Meta(max_length=limits.SOURCE_CHARS)] | None = None
    dry_run: bool = False
    project_id: AnyId | None = None


class PopulateEntry(Shape):
    """What became, or would become, of one context."""

    schema_key: str
    change: PopulateChange
    fields: list[str]


class Populated(Shape):
    run_id: str
    dry_run: bool
    created: int
    updated: int
    unchanged: int
    errors: list[dict[str, Any]]
    diff: list[PopulateEntry]
