"""Finds dangerous calls and patterns in code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loremark.memory.codebase.security import path_context
from loremark.memory.codebase.security.calls_compiled import COMPILED
from loremark.memory.codebase.security.calls_scripted import SCRIPTED
from loremark.memory.codebase.security.rules import Rule, RuleMatch, find

# Files in which debugging may be enabled.
_DEVELOPMENT = re.compile(r"(?:^|[/_.-])(?:dev|development|local|debug|devel|tests?)(?:[/_.-]|$)", re.IGNORECASE)


@cache
def _rules_of(language: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in (*SCRIPTED, *COMPILED) if language in rule.languages)


def find_calls(path: str, language: str | None, content: str, lower: str) -> Iterator[RuleMatch]:
    """Matches of the code rules; none in documents, tests, minified files or languages without rules."""
    if language is None or path_context.is_test_or_example(path) or path_context.is_minified(path, content):
        return
    is_development = _DEVELOPMENT.search(path) is not None
    for found in find(_rules_of(language), language, content, lower):
        if not (found.kind == "debug" and is_development):
            yield found
