"""Changes to an agent's files, as data: stored in the ledger, applied and reverted by ``merging``."""

from __future__ import annotations

from typing import Any

import msgspec


class Member(msgspec.Struct, frozen=True, tag="member"):
    """A member of a JSON object, such as our entry in the list of servers."""

    path: tuple[str, ...]
    value: Any
    only_if_absent: bool = False
    """Required by the format (a version number) but not ours: only set if missing."""


class Element(msgspec.Struct, frozen=True, tag="element"):
    """Our hook in a JSON array that may contain other hooks."""

    path: tuple[str, ...]
    value: Any


class Block(msgspec.Struct, frozen=True, tag="block"):
    """Lines between our markers in a text file."""

    text: str
    style: str
    table: tuple[str, ...] = ()
    """TOML: the table in the block, which the rest of the file must not define."""


class WholeFile(msgspec.Struct, frozen=True, tag="whole"):
    """A file that we own completely, recognized by ``OWNED_MARK`` near the top."""

    text: str
    executable: bool = False


OWNED_MARK = "loremark:owned"

Change = Member | Element | Block | WholeFile


class UndoInfo(msgspec.Struct, omit_defaults=True):
    """What is needed to revert a change byte for byte."""

    created: list[list[str]] = []
    """Containers that we created."""
    interiors: list[tuple[list[str], str]] = []
    """The whitespace inside containers that were empty."""
    previous: str | None = None
    """The value we replaced, as it was written."""
    separator: str | None = None
    """The separator between the file's last line and our block."""
    blank: str | None = None
    """The original text, if it contained no value."""
