"""What is known of a file, of a codebase, and what is found in it.

Facts of a file depend on its path and content alone: a file that has not changed is not read again. They hold no
circles, so the collector need not look through them (``gc=False``): there are hundreds of thousands.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from loremark.wire.genesis import ScanGraph

ENGINE = "builtin/8"
"""Another name whenever facts come out differently: those of another engine are not carried over."""

Layer = Literal["product", "architecture", "dependencies", "conventions", "dataModel", "entryPoints", "security"]
Category = Literal["framework", "language", "styling", "backend", "database", "testing", "tooling"]
SymbolKind = Literal["class", "function", "method", "type", "constant"]
EntryKind = Literal["main", "cli", "server", "route", "job", "page", "library"]
ModelKind = Literal["orm", "table", "migration", "message", "schema"]


class Symbol(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A named thing that a file defines."""

    name: str
    kind: SymbolKind
    line: int


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a file imports, as it is written there: a module, a path, a package, a header."""

    target: str
    line: int
    names: tuple[str, ...] = ()
    """What is taken from it, where the language says so (``from x import a, b``)."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A place where something begins: a program, a command, a server, a route, a job, a page."""

    kind: EntryKind
    name: str
    """Such as ``main``, ``serve``, ``GET /api/users/{id}``, ``send_invoices``."""
    line: int


class Model(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A piece of the data model: an ORM class, a table, a message, a type of a schema."""

    name: str
    kind: ModelKind
    line: int
    fields: tuple[str, ...] = ()
    refers_to: tuple[str, ...] = ()
    """Names of other models, where a relation says so."""


class Hit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something a security review would stop at. It never holds the secret itself."""

    rule: str
    """A short name such as ``aws-key``, ``eval``, ``sql-concatenation``."""
    kind: Literal["secret", "dangerous-call", "weak-crypto", "injection", "debug", "exposed-config", "transport"]
    severity: int
    """1 low to 5 critical."""
    line: int
    why: str
    """One sentence for a developer: what can happen."""


class Dependency(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A package that a manifest or a lock file names."""

    name: str
    version: str | None
    ecosystem: str
    """``pypi``, ``npm``, ``go``, ``crates``, ``maven``, ``nuget``, ``rubygems``, ``packagist``, ``docker``…"""
    is_direct: bool
    is_dev: bool
    is_exact: bool
    """Whether the version is the one that is used (a lock file's), not a range."""


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that is kept of one file."""

    language: str | None
    lines: int
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    entries: tuple[Entry, ...] = ()
    models: tuple[Model, ...] = ()
    hits: tuple[Hit, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    naming: dict[str, int] = {}
    """How names are written, counted: ``function:snake``, ``class:pascal``, ``constant:upper``, ``file:kebab``…"""
    signs: dict[str, str] = {}
    """What else the file says, by a key of its reader: ``name``, ``description``, ``version`` of a manifest,
    ``heading`` and ``lead`` of a README, ``line-length`` of a formatter, ``doc`` (the words a module opens with)…"""
    has_errors: bool = False
    """Whether the parser could not make sense of parts of it."""


class Commit(msgspec.Struct, frozen=True):
    """A commit of the branch, newest first."""

    subject: str
    author: str
    date_ms: int


class Codebase(msgspec.Struct, frozen=True):
    """All that is known of a codebase when its files have been read."""

    name: str
    """The name of the repository or folder."""
    paths: tuple[str, ...]
    """All its files, also those that were not read."""
    files: dict[str, FileFacts]
    """By path."""
    commits: tuple[Commit, ...] = ()


class Tech(msgspec.Struct, frozen=True, order=True):
    """An entry of the tech stack."""

    name: str
    version: str | None
    category: Category


class Finding(msgspec.Struct, frozen=True):
    """Something a new colleague would want to know."""

    layer: Layer
    title: str
    content: str
    """Markdown."""
    importance: int
    """1 low to 5 critical."""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Node(msgspec.Struct, frozen=True):
    """A context for the tree of the codebase: ``root/…``."""

    schema_key: str
    name: str
    description: str
    content: str
    tier: int


class Study(msgspec.Struct, frozen=True):
    """What comes of looking at all files together; security is looked at by itself."""

    findings: tuple[Finding, ...]
    stack: tuple[Tech, ...]
    nodes: tuple[Node, ...]
    imports: ScanGraph
