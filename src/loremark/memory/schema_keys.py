"""Schema keys: the hierarchical addresses of memory, such as ``root/api/auth``."""

from __future__ import annotations

import re
import unicodedata

ROOT = "root"
CODEBASE = "root/codebase"
"""Contexts that scans of the code write are at this key and below."""
MAX_DEPTH = 8
_SEGMENT = re.compile(r"[a-z0-9-]+")
_NOT_IN_SEGMENT = re.compile(r"[^a-z0-9]+")
_SLUG_CHARS = 60


def is_valid(schema_key: str) -> bool:
    """One to eight segments of lowercase letters, digits and dashes."""
    segments = schema_key.split("/")
    return len(segments) <= MAX_DEPTH and all(_SEGMENT.fullmatch(segment) for segment in segments)


def slug(name: str) -> str:
    """Turn a name into a segment; a name without letters or digits becomes ``untitled``."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_IN_SEGMENT.sub("-", plain).strip("-")[:_SLUG_CHARS].strip("-") or "untitled"


def child(parent: str | None, name: str) -> str:
    """The key of a name below its parent, or below the root."""
    return f"{parent or ROOT}/{slug(name)}"


def parent(schema_key: str) -> str | None:
    """The key one level up, or None at the top."""
    above, _, _ = schema_key.rpartition("/")
    return above or None


def ancestors(schema_key: str) -> list[str]:
    """All keys above, topmost first."""
    segments = schema_key.split("/")
    return ["/".join(segments[:depth]) for depth in range(1, len(segments))]
