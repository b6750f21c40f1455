"""Finds calls and forms in code that a security review would stop at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loremark.memory.codebase.security import places
from loremark.memory.codebase.security.calls_compiled import COMPILED
from loremark.memory.codebase.security.calls_scripted import SCRIPTED
from loremark.memory.codebase.security.rules import Found, Rule, find

# Where a switch for debugging is meant to be on.
_DEVELOPMENT = re.compile(r"(?:^|[/_.-])(?:dev|development|local|debug|devel|tests?)(?:[/_.-]|$)", re.IGNORECASE)


@cache
def _rules_of(language: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in (*SCRIPTED, *COMPILED) if language in rule.languages)


def find_calls(path: str, language: str | None, content: str, lower: str) -> Iterator[Found]:
    """Nothing in documents and tests, in what was minified, or in a language without rules."""
    if language is None or places.is_trial(path) or places.is_squeezed(path, content):
        return
    is_development = _DEVELOPMENT.search(path) is not None
    for found in find(_rules_of(language), language, content, lower):
        if not (found.kind == "debug" and is_development):
            yield found
