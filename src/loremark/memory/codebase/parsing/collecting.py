"""What a reader of a language has found so far, bounded."""

from __future__ import annotations

import re
from collections import Counter

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.records import Entry, EntryKind, Import, Model, ModelKind, Symbol, SymbolKind

MOST = 200
_MOST_FIELDS = 40
_MOST_NAMES = 2_000
"""That a file imports in all: thousands of files may be one and the same, made to fill the memory."""
_FORMS = (
    ("upper", re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*+")),
    ("snake", re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)++")),
    ("kebab", re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)++")),
    ("lower", re.compile(r"[a-z][a-z0-9]*+")),
    ("camel", re.compile(r"[a-z][A-Za-z0-9]*+")),
    ("pascal", re.compile(r"[A-Z][A-Za-z0-9]*+")),
)


def form_of(name: str) -> str | None:
    """How a name is written: upper, snake, kebab, lower (one word: it tells nothing), camel, pascal."""
    plain = name.strip("_")
    return next((form for form, pattern in _FORMS if pattern.fullmatch(plain)), None)


class Collector:
    """Filled by one reader for one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []
        self.entries: list[Entry] = []
        self.models: list[Model] = []
        self.naming: Counter[str] = Counter()
        self._names = 0
        self.doc = ""
        """What the file says of itself: the first sentence of its module comment."""

    def symbol(self, name: str, kind: SymbolKind, node: Node) -> None:
        """A definition; how it is named is counted too."""
        if not name:
            return
        if len(self.symbols) < MOST:
            self.symbols.append(Symbol(name, kind, syntax.line(node)))
        form = form_of(name)
        if form is not None:
            self.naming[f"{'function' if kind == 'method' else kind}:{form}"] += 1

    def imported(self, target: str, node: Node, names: tuple[str, ...] = ()) -> None:
        if target and len(self.imports) < MOST:
            taken = names[: min(_MOST_FIELDS, _MOST_NAMES - self._names)]
            self._names += len(taken)
            self.imports.append(Import(target, syntax.line(node), taken))

    def entry(self, kind: EntryKind, name: str, node: Node) -> None:
        if name and len(self.entries) < MOST:
            self.entries.append(Entry(kind, name, syntax.line(node)))

    def tells(self, kind: EntryKind, name: str | None = None) -> bool:
        """Whether an entry of that kind, and of that name, is there already."""
        return any(entry.kind == kind and name in (None, entry.name) for entry in self.entries)

    def entry_once(self, kind: EntryKind, name: str, node: Node) -> None:
        """One server is enough for a file, and one of each name of the others."""
        if not self.tells(kind, None if kind == "server" else name):
            self.entry(kind, name, node)

    def model(
        self,
        name: str,
        kind: ModelKind,
        node: Node,
        fields: tuple[str, ...] = (),
        refers_to: tuple[str, ...] = (),
    ) -> None:
        if name and len(self.models) < MOST:
            self.models.append(Model(name, kind, syntax.line(node), fields[:_MOST_FIELDS], refers_to[:_MOST_FIELDS]))
