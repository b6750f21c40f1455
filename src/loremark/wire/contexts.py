"""Contexts: a tree of markdown documents addressed by schema key."""

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


class ContextUpdate(Shape):
    """Omitted fields keep their values."""

    name: ContextName | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    content: Content | UnsetType = UNSET
    parent_context_id: AnyId | UnsetType | None = UNSET


class ContextDecision(Shape):
    action: ContextAction


class ContextEntry(Shape):
    """A context in a list, without its content."""

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
    """A context with its content."""

    content: str


class ContextNode(Shape):
    """A context in the tree."""

    id: str
    name: str
    schema_key: str
    children: list[ContextNode]


class CompactionResult(Shape):
    id: str
    entries_before: int
    entries_after: int
    tokens_saved: int


class PopulateNode(Shape):
    """A context to create or update. Omitted fields keep their values, or are empty in a new context."""

    schema_key: SchemaKey
    name: ContextName
    description: Description | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    parent_schema_key: SchemaKey | None = None
    context_type: ContextType | UnsetType = UNSET
    tier: Tier | UnsetType = UNSET


class PopulateRequest(Shape):
    nodes: Annotated[list[PopulateNode], Meta(max_length=limits.POPULATE_NODES)]
    source: Annotated[str, Meta(max_length=limits.SOURCE_CHARS)] | None = None
    dry_run: bool = False
    project_id: AnyId | None = None


class PopulateDiffEntry(Shape):
    """What happened, or in a dry run would happen, to one context."""

    schema_key: str
    change: PopulateChange
    fields: list[str]


class PopulateResult(Shape):
    run_id: str
    dry_run: bool
    created: int
    updated: int
    unchanged: int
    errors: list[dict[str, Any]]
    diff: list[PopulateDiffEntry]
