"""Parses version ranges from manifests into plain versions."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"v?(\d{1,8}(?:\.\d{1,8}){0,4})((?:[-.+]?[A-Za-z][0-9A-Za-z.\-]{0,30})?)")
_PSEUDO = re.compile(r"v?0\.0\.0-(?:0\.)?\d{14}-")
_NOT_LOWER = ("<", "!=", "!")
_FOREIGN = (
    "http:",
    "https:",
    "git",
    "file:",
    "link:",
    "workspace:",
    "catalog:",
    "path:",
    "portal:",
    "patch:",
    "./",
    "../",
)


def plain_version(text: str | None) -> str | None:
    """The lower bound of a range: ``^18.2.0`` is 18.2.0, ``>=3.11,<4`` is 3.11; None if there is none."""
    if not text:
        return None
    text = text[:80].strip().strip("\"'[]()= ")
    if text.startswith("npm:"):
        text = text.rpartition("@")[2]
    if text.startswith(_FOREIGN) or "$" in text or _PSEUDO.match(text):
        return None
    for part in re.split(r"\s{0,3}(?:,|\|\|?|&&)\s{0,3}|\s+(?=[<>=!~^])|\s+-\s+", text):
        bound = part.strip()
        if not bound or bound.startswith(_NOT_LOWER):
            continue
        found = _NUMBER.match(bound.lstrip("^~>=( @"))
        if found is not None:
            return found.group(1) + _suffix(found.group(2))
    return None


def _suffix(text: str) -> str:
    """Keeps a pre-release (``-rc.2``, ``b1``) and drops wildcards, platforms and builds."""
    is_release_word = re.match(r"[-.]?(?:alpha|beta|rc|preview|pre|canary|next|dev|a|b|M|RC|SNAPSHOT)[-.]?\d", text)
    return text if is_release_word else ""


def release(version: str | None) -> tuple[int, ...]:
    """The numeric parts of a version for comparison; empty if unknown."""
    found = _NUMBER.match(version or "")
    return tuple(int(part) for part in found.group(1).split(".")) if found else ()


def fits(wanted: str | None, locked: str) -> bool:
    """Whether a locked version satisfies a range: not below it, and the same major version if the range is closed."""
    bound, found = release(plain_version(wanted)), release(plain_version(locked))
    is_open = (wanted or "").lstrip().startswith(">") and "<" not in (wanted or "")
    return not bound or (found >= bound and (is_open or found[:1] == bound[:1]))
