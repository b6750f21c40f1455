"""What is done to a file of an agent, as data: kept in the ledger, applied and taken back by ``merging``."""

from __future__ import annotations

from typing import Any

import msgspec


class Member(msgspec.Struct, frozen=True, tag="member"):
    """A member of a JSON object, such as our server among the others."""

    path: tuple[str, ...]
    value: Any
    only_if_absent: bool = False
    """Part of the format (a version number), not ours: set where missing, else left alone."""


class Element(msgspec.Struct, frozen=True, tag="element"):
    """A hook of ours in a JSON array, beside the hooks of others."""

    path: tuple[str, ...]
    value: Any


class Block(msgspec.Struct, frozen=True, tag="block"):
    """Lines between our two markers in a text file."""

    text: str
    style: str
    table: tuple[str, ...] = ()
    """TOML: the table in the block; the rest of the file must not have it too."""


class Whole(msgspec.Struct, frozen=True, tag="whole"):
    """A file that is all ours; recognised by ``MARK`` near its beginning."""

    text: str
    executable: bool = False


MARK = "loremark:owned"

Change = Member | Element | Block | Whole


class Trace(msgspec.Struct, omit_defaults=True):
    """What applying one change met, so that taking it back leaves the bytes as they were."""

    created: list[list[str]] = []
    """Containers that were not there."""
    interiors: list[tuple[list[str], str]] = []
    """What stood between the brackets of a container that held nothing."""
    previous: str | None = None
    """The value as it was written before ours."""
    separator: str | None = None
    """What was put between the file's last line and our block."""
    blank: str | None = None
    """The whole text, where it held no value at all."""
