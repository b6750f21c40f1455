"""Reads signs from documents and settings: README, CONTRIBUTING, licenses, tools, makefiles, pipelines."""

from __future__ import annotations

import re

from loremark.memory.codebase.analysis.automation import automation_signs
from loremark.memory.codebase.analysis.declared_programs import declared_signs
from loremark.memory.codebase.analysis.prose import cut, features, heading_and_lead, paragraphs, plain
from loremark.memory.codebase.analysis.settings import tool_signs

_VALUE_CHARS = 500
_PROSE_ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
_LICENCES = (
    ("MIT", "permission is hereby granted, free of charge"),
    ("Apache-2.0", "apache license"),
    ("AGPL-3.0", "gnu affero general public license"),
    ("LGPL", "gnu lesser general public license"),
    ("GPL-3.0", "gnu general public license version 3"),
    ("GPL-2.0", "gnu general public license version 2"),
    ("MPL-2.0", "mozilla public license"),
    ("BSD-3-Clause", "neither the name of"),
    ("BSD-3-Clause", "the name of the author may not be used"),
    ("BSD-2-Clause", "redistribution and use in source and binary forms"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software"),
    ("Unlicense", "this is free and unencumbered software"),
    ("BUSL-1.1", "business source license"),
    ("EPL-2.0", "eclipse public license"),
)
_HINT = re.compile(
    r"\b(?:tests?|lint\w*|format\w*|branch\w*|commits?|pull requests?|changelog|style|type.?check\w*|pre-commit|make"
    r"|npm|pnpm|yarn|cargo|pytest|review\w*|sign\w*)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|should|please|run|make sure|ensure|always|never|add|use|write|keep|do not|don't)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ASCIIDOC_TITLE = re.compile(r"^= (.{1,120})$", re.MULTILINE)


def read_document(path: str, content: str) -> dict[str, str]:
    """The signs of a document or settings file; empty for other files."""
    name = path.rpartition("/")[2].lower()
    signs = {**tool_signs(path, content), **automation_signs(path, content), **declared_signs(path, content)}
    stem = name.split(".", 1)[0]
    if stem in ("license", "licence", "copying", "unlicense") and not name.endswith((".py", ".js", ".go", ".html")):
        signs["licence"] = _licence(content)
    elif name.endswith(_PROSE_ENDINGS) or stem == "readme":
        signs |= _prose(path, stem, content)
    return {key: value[:_VALUE_CHARS] for key, value in signs.items() if value}


def _licence(content: str) -> str:
    text = " ".join(content[:6_000].lower().split())
    # The GPL mentions the LGPL further down, so only the head counts.
    return next((licence for licence, words in _LICENCES if words in (text[:60] if "gnu" in words else text)), "")


def _prose(path: str, stem: str, content: str) -> dict[str, str]:
    if path.lower().endswith(".txt") and stem not in ("readme", "contributing", "changelog"):
        return {}
    heading, lead = heading_and_lead(content)
    if path.lower().endswith(".adoc"):
        title = _ASCIIDOC_TITLE.search(content[:4_000])
        heading = plain(title.group(1)) if title else heading
    signs = {"heading": heading}
    if stem in ("contributing", "development", "hacking", "developers"):
        signs["hints"] = _hints(content)
    if stem not in ("changelog", "changes", "history", "news", "license", "authors", "code_of_conduct"):
        signs["lead"] = lead
    if stem == "readme":
        signs["features"] = _fitting(features(content))
    return signs


def _hints(content: str) -> str:
    """Up to five sentences of a guide with rules about tests, style or commits."""
    found: dict[str, None] = {}
    for paragraph in paragraphs(content[:30_000]):
        for sentence in _SENTENCE.split(paragraph)[:20]:
            is_whole = 25 <= len(sentence) <= 180 and sentence[-1] in ".!" and sentence[0].isupper()
            if is_whole and _HINT.search(sentence) and _MUST.search(sentence):
                found.setdefault(sentence)
    return cut(" ".join(list(found)[:5]), _VALUE_CHARS)


def _fitting(points: list[str]) -> str:
    kept: list[str] = []
    for point in points:
        if len("; ".join((*kept, point))) > _VALUE_CHARS:
            break
        kept.append(point)
    return "; ".join(kept)
