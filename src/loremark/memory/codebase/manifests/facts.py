"""Collects the facts of a manifest within limits, so a hostile file cannot exhaust memory."""

from __future__ import annotations

import re

import msgspec

from loremark.memory.codebase.records import Dependency, Entry, EntryKind

MAX_IN_LOCK = 2_000
MAX_IN_MANIFEST = 500
_MAX_ENTRIES = 200
_MAX_SIGNS = 60
_MAX_NAME_CHARS = 160
# Characters that no registry allows in names, and that could break out of a line, code span or link.
_A_NAME = re.compile(r"[^\s`<>|\\\"'\[\]]+")
_MAX_VERSION_CHARS = 80
_MAX_SIGN_CHARS = 400


class ManifestFacts(msgspec.Struct, frozen=True):
    """The facts of one manifest or lock file."""

    dependencies: tuple[Dependency, ...] = ()
    entries: tuple[Entry, ...] = ()
    signs: dict[str, str] = {}


class Draft:
    """Builds manifest facts: the first value wins, and anything over the limits is dropped."""

    def __init__(self, ecosystem: str = "", *, is_lock: bool = False) -> None:
        self._ecosystem = ecosystem
        self._is_lock = is_lock
        self._most = MAX_IN_LOCK if is_lock else MAX_IN_MANIFEST
        self._dependencies: dict[tuple[str, str, str | None], Dependency] = {}
        self._entries: dict[tuple[str, str], Entry] = {}
        self.signs: dict[str, str] = {}

    def add_dependency(
        self,
        name: object,
        version: object = None,
        *,
        is_dev: bool = False,
        is_direct: bool | None = None,
        ecosystem: str | None = None,
    ) -> None:
        """Adds a package; a lock file may list several versions of it."""
        if not isinstance(name, str) or len(self._dependencies) >= self._most:
            return
        plain = name.strip()[:_MAX_NAME_CHARS]
        if not _A_NAME.fullmatch(plain):
            return
        text = " ".join(version.split())[:_MAX_VERSION_CHARS] if isinstance(version, str) else ""
        row = Dependency(
            name=plain,
            version=text or None,
            ecosystem=ecosystem or self._ecosystem,
            is_direct=not self._is_lock if is_direct is None else is_direct,
            is_dev=is_dev,
            is_exact=self._is_lock,
        )
        key = (row.ecosystem, plain, row.version if self._is_lock else None)
        before = self._dependencies.get(key)
        if before is None or (before.is_dev and not is_dev and not self._is_lock):
            self._dependencies[key] = row

    def add_entry(self, kind: EntryKind, name: object, line: int = 1) -> None:
        """Adds a program that the manifest declares."""
        if isinstance(name, str) and name.strip() and len(self._entries) < _MAX_ENTRIES:
            plain = " ".join(name.split())[:_MAX_NAME_CHARS]
            self._entries.setdefault((kind, plain), Entry(kind, plain, line))

    def add_sign(self, key: str, value: object) -> None:
        """Adds a sign; booleans become ``true`` or ``false``, lists are joined with commas."""
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, int):
            value = str(value) if abs(value) < 10**9 else ""
        elif isinstance(value, list | tuple):
            value = ", ".join(item for item in value[:100] if isinstance(item, str))
        if isinstance(value, str) and value.strip() and key not in self.signs and len(self.signs) < _MAX_SIGNS:
            self.signs[key] = " ".join(value[: 4 * _MAX_SIGN_CHARS].split())[:_MAX_SIGN_CHARS]

    def facts(self) -> ManifestFacts:
        """The collected facts, in order."""
        return ManifestFacts(tuple(self._dependencies.values()), tuple(self._entries.values()), self.signs)
