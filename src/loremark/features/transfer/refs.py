"""How records are named outside: alike in every project, and different from their ids in all of them.

An id is a prefix, ten characters of time and sixteen random ones. The random ones are combined with a pattern made from
the project's id, each with each: doing it again with the same project gives the first name back. So a record that was
taken from one project to another has one ref and two ids, nothing has to be looked up to find either, and whatever
comes a second time is the same again. A ref is no proof of anything: whoever reads one checks whose the id is.
"""

from __future__ import annotations

import hashlib
from typing import overload

from loremark.base import ids

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_INDEX = {letter: number for number, letter in enumerate(ALPHABET)}
_MASKED_CHARS = 16
_TIME_CHARS = 10
_BITS = 5


class Refs:
    """The refs of one project's ids, and the ids of refs."""

    def __init__(self, project_id: str) -> None:
        digest = int.from_bytes(hashlib.sha256(f"loremark transfer {project_id}".encode()).digest())
        self._mask = [digest >> _BITS * place & 31 for place in range(_MASKED_CHARS)]

    @overload
    def swap(self, name: str) -> str: ...
    @overload
    def swap(self, name: None) -> None: ...
    def swap(self, name: str | None) -> str | None:
        """The ref of an id, the id of a ref; what is neither stays what it is."""
        if name is None or not ids.looks_valid(name):
            return name
        kept, random = name[:-_MASKED_CHARS], name[-_MASKED_CHARS:]
        masked = (ALPHABET[_INDEX[letter] ^ bits] for letter, bits in zip(random, self._mask, strict=True))
        return kept + "".join(masked)


def same_time(name: str) -> str:
    """The part of an id or ref that is alike in all projects, and by which they sort first."""
    return name[:-_MASKED_CHARS]


def time_ms(ref: str) -> int:
    """When the record was first made, as its ref tells it."""
    told = 0
    for letter in ref[-_MASKED_CHARS - _TIME_CHARS : -_MASKED_CHARS]:
        told = told << _BITS | _INDEX[letter]
    return told
