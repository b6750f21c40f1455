"""Refs: names of records that stay the same across projects.

An id is a prefix, ten characters of time and sixteen random ones. A ref is the id with its random characters XORed with
a mask derived from the project's id; applying the mask again gives the id back. So a record copied to another project
keeps its ref and gets a new id, without a lookup table, and importing it twice gives the same id. A ref proves
nothing: the importer checks which project the id belongs to.
"""

from __future__ import annotations

import hashlib
from typing import overload

from loremark.base import ids

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_INDEX = {letter: number for number, letter in enumerate(ALPHABET)}
_MASKED_CHARS = 16
_BITS = 5


class Refs:
    """Converts between ids and refs of one project."""

    def __init__(self, project_id: str) -> None:
        digest = int.from_bytes(hashlib.sha256(f"loremark transfer {project_id}".encode()).digest())
        self._mask = [digest >> _BITS * place & 31 for place in range(_MASKED_CHARS)]

    @overload
    def swap(self, name: str) -> str: ...
    @overload
    def swap(self, name: None) -> None: ...
    def swap(self, name: str | None) -> str | None:
        """Convert an id to its ref or a ref to its id; anything else is returned unchanged."""
        if name is None or not ids.looks_valid(name):
            return name
        kept, random = name[:-_MASKED_CHARS], name[-_MASKED_CHARS:]
        masked = (ALPHABET[_INDEX[letter] ^ bits] for letter, bits in zip(random, self._mask, strict=True))
        return kept + "".join(masked)


def time_part(name: str) -> str:
    """The part of an id or ref that is the same in all projects and sorts first."""
    return name[:-_MASKED_CHARS]
