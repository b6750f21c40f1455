"""Collects the results of a language parser within limits."""

from __future__ import annotations

import re
from collections import Counter

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.records import Entry, EntryKind, Import, Model, ModelKind, Symbol, SymbolKind

MAX_FACTS_PER_KIND = 200
"""Symbols, imports, entries or models that are kept per file."""
_MAX_FIELDS = 40
_MAX_NAMES = 2_000
"""Imported names per file in total, so that thousands of hostile files cannot exhaust memory."""
_FORMS = (
    ("upper", re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*+")),
    ("snake", re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)++")),
    ("kebab", re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)++")),
    ("lower", re.compile(r"[a-z][a-z0-9]*+")),
    ("camel", re.compile(r"[a-z][A-Za-z0-9]*+")),
    ("pascal", re.compile(r"[A-Z][A-Za-z0-9]*+")),
)


def naming_style(name: str) -> str | None:
    """The naming style: upper, snake, kebab, lower (one word), camel, pascal."""
    plain = name.strip("_")
    return next((form for form, pattern in _FORMS if pattern.fullmatch(plain)), None)


class Collector:
    """The results of one parser for one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []
        self.entries: list[Entry] = []
        self.models: list[Model] = []
        self.naming: Counter[str] = Counter()
        self._names = 0
        self.doc = ""
        """The first sentence of the file's module comment."""

    def symbol(self, name: str, kind: SymbolKind, node: Node) -> None:
        """Adds a definition and counts its naming style."""
        if not name:
            return
        if len(self.symbols) < MAX_FACTS_PER_KIND:
            self.symbols.append(Symbol(name, kind, syntax.line(node)))
        form = naming_style(name)
        if form is not None:
            self.naming[f"{'function' if kind == 'method' else kind}:{form}"] += 1

    def imported(self, target: str, node: Node, names: tuple[str, ...] = ()) -> None:
        if target and len(self.imports) < MAX_FACTS_PER_KIND:
            taken = names[: min(_MAX_FIELDS, _MAX_NAMES - self._names)]
            self._names += len(taken)
            self.imports.append(Import(target, syntax.line(node), taken))

    def entry(self, kind: EntryKind, name: str, node: Node) -> None:
        if name and len(self.entries) < MAX_FACTS_PER_KIND:
            self.entries.append(Entry(kind, name, syntax.line(node)))

    def has_entry(self, kind: EntryKind, name: str | None = None) -> bool:
        """Whether an entry of this kind (and name) exists."""
        return any(entry.kind == kind and name in (None, entry.name) for entry in self.entries)

    def entry_once(self, kind: EntryKind, name: str, node: Node) -> None:
        """Adds an entry unless it exists; one server per file, one entry per name otherwise."""
        if not self.has_entry(kind, None if kind == "server" else name):
            self.entry(kind, name, node)

    def model(
        self,
        name: str,
        kind: ModelKind,
        node: Node,
        fields: tuple[str, ...] = (),
        refers_to: tuple[str, ...] = (),
    ) -> None:
        if name and len(self.models) < MAX_FACTS_PER_KIND:
            self.models.append(Model(name, kind, syntax.line(node), fields[:_MAX_FIELDS], refers_to[:_MAX_FIELDS]))
