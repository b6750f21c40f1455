"""Scans one file for security hits."""

from __future__ import annotations

from bisect import bisect_right

from loremark.memory.codebase.records import Hit
from loremark.memory.codebase.security import path_context
from loremark.memory.codebase.security.calls import find_calls
from loremark.memory.codebase.security.configuration import find_settings
from loremark.memory.codebase.security.rules import RuleMatch
from loremark.memory.codebase.security.secrets import find_secrets

MAX_HITS = 100
_MAX_CHARS = 1_100_000
_TRIAL_SEVERITY = 2


def scan_file(path: str, language: str | None, content: str) -> tuple[Hit, ...]:
    """The hits in a file, the most severe first, then by line."""
    content = content[:_MAX_CHARS]
    # The only letter that gets longer in lower case, which would shift the positions.
    lower = content.replace("İ", "I").lower()
    secrets = find_secrets(path, language, content, lower)
    found = [RuleMatch(each.offset, each.rule, "secret", each.severity, each.why) for each in secrets]
    found += find_calls(path, language, content, lower)
    found += find_settings(path, language, content, lower, has_secrets=bool(secrets))
    return _as_hits(found, content, is_trial=path_context.is_test_or_example(path)) if found else ()


def _as_hits(found: list[RuleMatch], content: str, *, is_trial: bool) -> tuple[Hit, ...]:
    """Keeps one hit per line and kind, and one line per position."""
    starts = _line_starts(content)
    best: dict[tuple[int, str], Hit] = {}
    for each in found:
        offset = each.offset + _blanks_at(content, each.offset)
        severity = min(each.severity, _TRIAL_SEVERITY) if is_trial else each.severity
        hit = Hit(each.rule, each.kind, severity, bisect_right(starts, offset), each.why)
        place = (hit.line, hit.kind)
        if place not in best or best[place].severity < severity:
            best[place] = hit
    return tuple(sorted(best.values(), key=lambda hit: (-hit.severity, hit.line, hit.kind, hit.rule))[:MAX_HITS])


def _blanks_at(content: str, offset: int) -> int:
    near = content[offset : offset + 40]
    return len(near) - len(near.lstrip())


def _line_starts(content: str) -> list[int]:
    starts = [0]
    at = content.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = content.find("\n", at + 1)
    return starts
