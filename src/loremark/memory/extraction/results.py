"""What comes out of one event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from loremark.memory.items import Item

OperationKind = Literal["update", "deprecate", "delete"]


@dataclass(frozen=True, slots=True)
class Operation:
    """A change of an item that exists; ``changes`` holds only valid fields, by the names of ``Item``."""

    kind: OperationKind
    item_id: str
    changes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContextUpdate:
    """The text of a context, to be set or appended.

    Without a name the context keeps the one it has; without content (None) its text stays as it is.
    """

    schema_key: str
    name: str
    content: str | None
    append: bool
    context_type: str | None
    tier: int | None


@dataclass(frozen=True, slots=True)
class Digest:
    """Where a repository stands, and which branches came in."""

    branch: str | None
    default_branch: str | None
    head: str | None
    commits: tuple[str, ...]
    merged_branches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file as an event last saw it; the fingerprint says by which state."""

    path: str
    deleted: bool
    fingerprint: str | None


@dataclass(frozen=True)
class Extraction:
    """Everything one event says."""

    items: tuple[Item, ...]
    operations: tuple[Operation, ...] = ()
    contexts: tuple[ContextUpdate, ...] = ()
    digest: Digest | None = None
    files: tuple[FileChange, ...] = ()
    warnings: tuple[str, ...] = ()  # what of the event was left out, in sentences for people
