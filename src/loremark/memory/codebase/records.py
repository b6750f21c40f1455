"""Records: facts about files, the codebase, and findings.

A file's facts depend only on its path and content, so unchanged files are not read again. They contain no cycles and
there are hundreds of thousands of them, so garbage collection skips them (``gc=False``).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from loremark.wire.genesis import ScanGraph

ENGINE = "builtin/9"
"""Change this whenever facts change, because facts of another engine version are not reused."""

Layer = Literal["product", "architecture", "dependencies", "conventions", "dataModel", "entryPoints", "security"]
Category = Literal["framework", "language", "styling", "backend", "database", "testing", "tooling"]
SymbolKind = Literal["class", "function", "method", "type", "constant"]
EntryKind = Literal["main", "cli", "server", "route", "job", "page", "library"]
ModelKind = Literal["orm", "table", "migration", "message", "schema"]


class Symbol(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A definition in a file."""

    name: str
    kind: SymbolKind
    line: int


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An import as written: a module, path, package or header."""

    target: str
    line: int
    names: tuple[str, ...] = ()
    """Imported names, if the language lists them (``from x import a, b``)."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An entry point: a program, command, server, route, job or page."""

    kind: EntryKind
    name: str
    """Such as ``main``, ``serve``, ``GET /api/users/{id}``, ``send_invoices``."""
    line: int


class Model(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A data model: an ORM class, table, message or schema type."""

    name: str
    kind: ModelKind
    line: int
    fields: tuple[str, ...] = ()
    refers_to: tuple[str, ...] = ()
    """Names of related models."""


class Hit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A security hit; never contains the secret itself."""

    rule: str
    """A short name such as ``aws-key``, ``eval``, ``sql-concatenation``."""
    kind: Literal["secret", "dangerous-call", "weak-crypto", "injection", "debug", "exposed-config", "transport"]
    severity: int
    """1 low to 5 critical."""
    line: int
    why: str
    """One sentence for developers about the risk."""


class Dependency(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A package in a manifest or lock file."""

    name: str
    version: str | None
    ecosystem: str
    """``pypi``, ``npm``, ``go``, ``crates``, ``maven``, ``nuget``, ``rubygems``, ``packagist``, ``docker``…"""
    is_direct: bool
    is_dev: bool
    is_exact: bool
    """Whether the version is exact (from a lock file), not a range."""


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The facts of one file."""

    language: str | None
    lines: int
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    entries: tuple[Entry, ...] = ()
    models: tuple[Model, ...] = ()
    hits: tuple[Hit, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    naming: dict[str, int] = {}
    """Counts of naming styles: ``function:snake``, ``class:pascal``, ``constant:upper``, ``file:kebab``…"""
    signs: dict[str, str] = {}
    """Other signs by key: ``name``, ``description`` and ``version`` of a manifest, ``heading`` and ``lead`` of a
    README, ``line-length`` of a formatter, ``doc`` (the opening words of a module)…"""
    has_errors: bool = False
    """Whether the file had parse errors."""


class Commit(msgspec.Struct, frozen=True):
    """A commit of the branch."""

    subject: str
    author: str
    date_ms: int


class Codebase(msgspec.Struct, frozen=True):
    """A codebase whose files have been read."""

    name: str
    """The name of the repository or folder."""
    paths: tuple[str, ...]
    """All files, including those that were not read."""
    files: dict[str, FileFacts]
    """By path."""
    commits: tuple[Commit, ...] = ()


class Tech(msgspec.Struct, frozen=True, order=True):
    """A technology in the tech stack."""

    name: str
    version: str | None
    category: Category


class Finding(msgspec.Struct, frozen=True):
    """Something a new team member should know."""

    layer: Layer
    title: str
    content: str
    """Markdown."""
    importance: int
    """1 low to 5 critical."""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Node(msgspec.Struct, frozen=True):
    """A node of the context tree: ``root/…``."""

    schema_key: str
    name: str
    description: str
    content: str
    tier: int


class CodebaseAnalysis(msgspec.Struct, frozen=True):
    """The results of analyzing all files; security findings are separate."""

    findings: tuple[Finding, ...]
    stack: tuple[Tech, ...]
    nodes: tuple[Node, ...]
    imports: ScanGraph
