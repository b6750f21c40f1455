"""Parses the values of settings from text or TOML."""

from __future__ import annotations

import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal


def parse(kind: Any, value: object) -> object:
    """Convert a string or TOML value to the field's type."""
    if typing.get_origin(kind) is tuple:
        entries = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
        return tuple(parse(typing.get_args(kind)[0], entry) for entry in entries if entry != "")
    if typing.get_origin(kind) is Literal:
        if value not in typing.get_args(kind):
            raise ValueError(f"must be one of {', '.join(typing.get_args(kind))}, not {value!r}")
        return value
    parsers: dict[Any, Callable[[object], object]] = {bool: _parse_bool, int: _parse_int, Path: _parse_path}
    return parsers.get(kind, _parse_text)(value)


def _parse_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be text, not {value!r}")
    return value


def _parse_path(value: object) -> Path:
    return Path(_parse_text(value)).expanduser()


def _parse_bool(value: object) -> bool:
    words = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    found = words.get(str(value).lower())
    if found is None:
        raise ValueError(f"must be true or false, not {value!r}")
    return found


def _parse_int(value: object) -> int:
    try:
        number = int(str(value))
    except ValueError:
        raise ValueError(f"must be a whole number, not {value!r}") from None
    if number < 0:
        raise ValueError("must not be negative")
    return number
