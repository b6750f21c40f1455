"""Finds bundler inputs in bundler configurations and HTML pages."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts

_MAX_CHARS = 60_000
_MAX = 24
_PATH = re.compile(
    r"(?<!from )(?<!import )(?<!import\()(?<!require\()"
    r"[\"'`]((?:\.{0,2}/){0,6}[\w@][\w@.-]{0,60}(?:/[\w@.()\[\]-]{1,60}){0,8}\.(?:[mc]?[jt]sx?|vue|svelte|html))[\"'`]"
)
_KEYED = re.compile(
    r"\b(?:input|entry|entries|entryPoints?)[\"']?\s{0,4}[:=]\s{0,4}[\[{]?\s{0,20}(?:[\w\"'-]{1,40}:\s{0,4})?"
    r"[\"'`]((?:\.{0,2}/){0,6}[\w@][\w@./-]{1,150})[\"'`]"
)
_MAIN = re.compile(r"\"(?:main|browser|server)\"\s{0,4}:\s{0,4}\"([\w@./-]{1,160})\"")
_SCRIPT = re.compile(r"<script\b[^<>]{0,200}?\bsrc\s{0,3}=\s{0,3}[\"']([^\"'<>]{1,200})[\"']", re.IGNORECASE)
_ELSEWHERE = re.compile(r"^(?:\w{1,12}:)?//|^data:|[{%$]")


def read_bundler(path: str, content: str) -> ManifestFacts:
    """Every source file that the configuration names, whether or not it exists."""
    draft = Draft()
    text = content[:_MAX_CHARS]
    if path.lower().endswith(".json"):
        _tell(draft, _MAIN.findall(text))
    else:
        _tell(draft, [*_KEYED.findall(text), *_PATH.findall(text)])
    return draft.facts()


def read_page(path: str, content: str) -> ManifestFacts:
    """The local scripts that ``index.html`` loads."""
    draft = Draft()
    _tell(draft, [source for source in _SCRIPT.findall(content[:_MAX_CHARS]) if not _ELSEWHERE.search(source)])
    return draft.facts()


def _tell(draft: Draft, paths: list[str]) -> None:
    for place, found in enumerate(list(dict.fromkeys(paths))[:_MAX]):
        draft.add_sign(f"input:{place}", found)
