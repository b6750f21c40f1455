"""Parses a source file with the parser of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.test_detection import is_test

_READERS = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "csharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "c": "c",
    "cpp": "c",
}
_IN_PAGES = frozenset(("vue", "svelte"))
_CPP = re.compile(
    r"^[ \t]{0,16}(?:class[ \t]{1,8}\w|namespace\b|template[ \t]{0,8}<|using[ \t]{1,8}\w|(?:public|private|protected)"
    r"[ \t]{0,8}:|virtual\b|constexpr\b)|\bstd::",
    re.MULTILINE,
)
_SCRIPT_END = re.compile(r"</script", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b([^<>]{0,300})>", re.IGNORECASE)
# Lines this long are not written by hand; parsing them is slow and only yields names such as "a" and "b".
_MACHINE_CHARS = 8_000
_MACHINE_LINE_CHARS = 250
# The parser is up to a thousand times slower on invalid input, so larger files are tried in pieces first.
_TRIED_CHARS = 24_000
_PIECE_CHARS = 6_000
_SENSELESS_SHARE = 40
_NOT_IN_TESTS = frozenset(("route", "server", "cli", "job", "page"))


def read_source(path: str, language: str, content: str) -> tuple[Collector, bool]:
    """The facts of a source file and whether it had parse errors; empty for unknown languages."""
    into = Collector(path)
    text = content[: syntax.MAX_CHARS]
    if language in _IN_PAGES:
        language, text = _script(text)
    elif language == "header":
        language = "cpp" if _CPP.search(text) else "c"
    if language not in _READERS or not syntax.is_known(language):
        return into, False
    if _is_written_by_machine(path, text):
        return into, False
    sensible = _sensible(language, text)
    root = syntax.parse(language, sensible.encode(errors="replace")).root_node
    _reader(language)(root, into)
    if is_test(path):
        into.entries = [entry for entry in into.entries if entry.kind not in _NOT_IN_TESTS]
        into.models = []
    return into, root.has_error or len(sensible) < len(text)


def load_readers() -> None:
    """Loads the parsers of all languages now. Reading then opens no file."""
    syntax.load_grammars()
    for language in _READERS:
        _reader(language)


def _reader(language: str) -> Callable[[Node, Collector], None]:
    """Loads a parser on the first file of its language."""
    module = import_module(f"loremark.memory.codebase.parsing.{_READERS[language]}")
    read: Callable[[Node, Collector], None] = module.read
    return read


def _is_written_by_machine(path: str, text: str) -> bool:
    if ".min." in path.rpartition("/")[2]:
        return True
    return len(text) > _MACHINE_CHARS and len(text) > _MACHINE_LINE_CHARS * (text.count("\n") + 1)


def _sensible(language: str, text: str) -> str:
    """The text up to the point where it is no longer valid in this language."""
    if len(text) <= _TRIED_CHARS:
        return text
    for start in range(0, len(text), _PIECE_CHARS):
        end = start + _PIECE_CHARS
        # A piece that starts inside a long string only looks invalid on its own.
        if _is_senseless(language, text[start:end], 0) and _is_senseless(language, text[:end], start):
            return text[:start]
    return text


def _is_senseless(language: str, text: str, start: int) -> bool:
    root = syntax.parse(language, text.encode(errors="replace")).root_node
    if not root.has_error:
        return False
    first = len(text[:start].encode(errors="replace"))
    errors = sum(
        (node.is_error or node.is_missing) and node.start_byte >= first
        for node in syntax.walk(root, lambda node: node.has_error and node.end_byte >= first)
    )
    return errors * _SENSELESS_SHARE > len(text) - start


def _script(text: str) -> tuple[str, str]:
    """The scripts of a page, each at its original lines."""
    language, pieces, lines = "typescript", [], 0
    for opening, script, before in _scripts(text):
        if "tsx" in opening or "jsx" in opening:
            language = "tsx"
        pieces.append("\n" * (before - lines) + script)
        lines = before + script.count("\n")
    return language, "".join(pieces)


def _scripts(text: str) -> Iterator[tuple[str, str, int]]:
    """The attributes, the text and the preceding lines of each script."""
    at = line = 0
    for _ in range(8):
        opening = _SCRIPT.search(text, at)
        if opening is None:
            return
        closing = _SCRIPT_END.search(text, opening.end())
        end = closing.start() if closing else len(text)
        line += text.count("\n", at, opening.end())
        yield opening.group(1), text[opening.end() : end], line
        line += text.count("\n", opening.end(), end)
        at = end
