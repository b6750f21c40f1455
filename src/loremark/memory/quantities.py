"""Numbers in prose with their units, normalized: ten minutes, 10 min and 600 s are equal."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its dimension. ``near`` and ``context`` are the words next to it and of its clause: what it
    quantifies."""

    dimension: str
    amount: str
    text: str
    near: frozenset[str]
    context: frozenset[str]


_NUMERALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
NUMBER_WORDS = {word: number for number, word in enumerate(_NUMERALS.split())} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
    "dozen": 12,
}

# Dimension and factor of each unit relative to the smallest. A year counts as twelve months of thirty days.
UNITS: dict[str, tuple[str, float]] = {
    name: (measure, factor)
    for measure, names in {
        "time": (
            ("ms millisecond milliseconds msec millis", 0.001),
            ("s sec secs second seconds", 1.0),
            ("m min mins minute minutes", 60.0),
            ("h hr hrs hour hours", 3600.0),
            ("d day days", 86400.0),
            ("week weeks", 604800.0),
            ("month months", 2592000.0),
            ("year years", 31104000.0),
        ),
        "size": (
            ("b byte bytes", 1.0),
            ("kb kib kilobyte kilobytes", 1e3),
            ("mb mib megabyte megabytes", 1e6),
            ("gb gib gigabyte gigabytes", 1e9),
            ("tb tib terabyte terabytes", 1e12),
        ),
        "share": (("% percent pct", 1.0),),
    }.items()
    for group, factor in names
    for name in group.split()
}
_BINARY, _BINARY_STEP = 1024, 256
_UNIT = re.compile(r"(?:\s?(%)|(?P<tight>[A-Za-z]{1,3})\b|[\s-](?P<word>[A-Za-z]{2,12}|[sh])\b)")


def parse_quantity(text: str, end: int, raw: str) -> tuple[tuple[str, str], int]:
    """Return dimension and amount in the smallest unit, and where the unit ends."""
    number = raw.lower().lstrip("v").replace("_", "").rstrip(",.")
    number = re.sub(r",(?=\d{3}\b)", "", number)
    if raw[0] in "vV" or number.count(".") > 1 or "," in number:
        return ("version", number), end
    unit = _UNIT.match(text, end)
    name = (unit.group(1) or unit.group("tight") or unit.group("word") or "").lower() if unit else ""
    if unit and unit.group("tight") in ("k", "K"):
        return ("number", f"{float(number) * 1000:.12g}"), unit.end()
    if unit and name in UNITS:
        measure, factor = UNITS[name]
        return (measure, f"{_rounded(float(number), measure, factor) * factor:.12g}"), unit.end()
    return ("number", number.rstrip("0").rstrip(".") if "." in number and number.endswith(".0") else number), end


def _rounded(number: float, measure: str, factor: float) -> float:
    """365 days count as a year and 1024 MB as a GB, as people say it."""
    if measure == "size" and number >= _BINARY and number % _BINARY_STEP == 0:
        return number / _BINARY * 1000
    if measure == "time" and factor == UNITS["day"][1] and number and number % 365 == 0:
        return number / 365 * 360
    return number


def is_trivial(value: Quantity) -> bool:
    """Whether it is a bare 0 or 1, which texts say of anything."""
    return value.dimension == "number" and value.amount in ("0", "1")
