"""The result of extracting one event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from loremark.memory.items import Item

OperationKind = Literal["update", "deprecate", "delete"]


@dataclass(frozen=True, slots=True)
class Operation:
    """A change to an existing item; ``changes`` contains only valid fields, by the names of ``Item``."""

    kind: OperationKind
    item_id: str
    changes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContextUpdate:
    """A context's text, to be set or appended.

    Without a name the context keeps its own; without content (None) its text stays as it is.
    """

    schema_key: str
    name: str
    content: str | None
    append: bool
    context_type: str | None
    tier: int | None


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """What shows that two commits are the same change. ``steps``: the commits that a squash merge lists."""

    sha: str
    subject: str
    author: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """The state of a repository, and the merged branches.

    ``repeated``: earlier commits whose change these commits make again, as after a rebase. ``merged_heads``: the last
    commits of the branches that merge commits merged.
    """

    branch: str | None
    default_branch: str | None
    head: str | None
    commits: tuple[str, ...]
    merged_branches: tuple[str, ...]
    summaries: tuple[CommitSummary, ...] = ()
    repeated: tuple[str, ...] = ()
    merged_heads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit that another one undoes, known by its hash, its subject or both.

    ``by_sha``: the commit that undoes it, ``by_subject`` its subject and ``quote`` the words that name the other one.
    ``branch``: None for the default branch.
    """

    event_id: str
    by_sha: str
    quote: str
    sha: str
    subject: str
    by_subject: str = ""
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file as an event last saw it; the fingerprint identifies that state."""

    path: str
    deleted: bool
    fingerprint: str | None


@dataclass(frozen=True)
class Extraction:
    """Everything extracted from one event."""

    items: tuple[Item, ...]
    operations: tuple[Operation, ...] = ()
    contexts: tuple[ContextUpdate, ...] = ()
    digest: Digest | None = None
    files: tuple[FileChange, ...] = ()
    reverts: tuple[Revert, ...] = ()
    warnings: tuple[str, ...] = ()  # what was left out, in sentences for people
