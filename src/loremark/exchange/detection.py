"""Detect which tool's files a path contains, and read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from loremark.exchange import (
    adr,
    basic_memory,
    claude_code,
    claude_mem,
    codex,
    instructions,
    mcp_memory,
    mem0,
    memory_bank,
)
from loremark.exchange.chunks import InvalidFileError
from loremark.exchange.files import (
    find_files,
    has_no_symlink,
    is_regular_file,
    parse_json,
    read_records,
    read_text,
    resolve,
)
from loremark.exchange.notes import Note

EXPORT = "loremark"
"""Loremark's own export, which the server imports directly."""
READERS: dict[str, Callable[[Path], Iterator[Note]]] = {
    claude_code.TOOL: claude_code.read,
    codex.TOOL: codex.read,
    instructions.TOOL: instructions.read,
    adr.TOOL: adr.read,
    memory_bank.TOOL: memory_bank.read,
    claude_mem.TOOL: claude_mem.read,
    basic_memory.TOOL: basic_memory.read,
    mem0.TOOL: mem0.read,
    mcp_memory.TOOL: mcp_memory.read,
}
_SAMPLE_SIZE = 20


class Source(NamedTuple):
    tool: str
    path: Path


def detect(path: Path) -> list[Source]:
    """Return the sources found at a path. A repository may have several; empty if nothing is recognized."""
    path = resolve(path)
    if path.is_dir():
        return _detect_folder(path)
    if not is_regular_file(path):
        raise InvalidFileError(f"{path.name} is not a file or folder")
    tool = _detect_file(path)
    return [Source(tool, path)] if tool else []


def named_source(tool: str, path: Path) -> Source:
    """Return the source for a tool that the user named."""
    return Source(tool, resolve(path))


def read(source: Source) -> Iterator[Note]:
    return READERS[source.tool](source.path)


def _detect_file(path: Path) -> str | None:
    with open(path, "rb") as file:
        start = file.read(64 * 1024)
    if start.startswith(claude_mem.MAGIC):
        return claude_mem.TOOL
    if instructions.is_file(path):
        return instructions.TOOL
    if path.suffix in (".jsonl", ".ndjson", ".json"):
        return _detect_records(path) or (_detect_json(path) if path.suffix == ".json" else None)
    if path.suffix in (".md", ".markdown"):
        return _detect_markdown(path)
    return None


def _detect_records(path: Path) -> str | None:
    for record in islice(read_records(path), _SAMPLE_SIZE):
        if record.get("loremark") == "export":
            return EXPORT
        for reader in (codex, claude_code, mcp_memory):
            if reader.is_record(record):
                return str(reader.TOOL)
    return None


def _detect_json(path: Path) -> str | None:
    document = parse_json(read_text(path, 64 * 1024 * 1024))
    if mcp_memory.is_document(document):
        return mcp_memory.TOOL
    return mem0.TOOL if mem0.entries(document) else None


def _detect_markdown(path: Path) -> str | None:
    text = read_text(path)
    if mem0.looks_like_markdown(text):
        return mem0.TOOL
    if adr.looks_like(path, text):
        return adr.TOOL
    return basic_memory.TOOL if basic_memory.looks_like(text) else None


def _detect_folder(folder: Path) -> list[Source]:
    if memory_bank.looks_like(folder):
        return [Source(memory_bank.TOOL, folder)]
    found = [Source(instructions.TOOL, folder)] if instructions.find(folder) else []
    bank = folder / "memory-bank"
    if bank.is_dir() and has_no_symlink(folder, bank.name) and memory_bank.looks_like(bank):
        found.append(Source(memory_bank.TOOL, bank))
    for name in adr.FOLDERS:
        subfolder = folder / name
        if subfolder.is_dir() and has_no_symlink(folder, name) and _has_markdown(subfolder, adr.TOOL):
            found.append(Source(adr.TOOL, subfolder))
    if found:
        return found
    for file in islice(find_files(folder, ".jsonl"), _SAMPLE_SIZE):
        tool = _detect_records(file)
        if tool in (claude_code.TOOL, codex.TOOL):
            return [Source(tool, folder)]
    return [Source(tool, folder) for tool in (adr.TOOL, basic_memory.TOOL) if _has_markdown(folder, tool)][:1]


def _has_markdown(folder: Path, tool: str) -> bool:
    return any(_detect_markdown(file) == tool for file in islice(find_files(folder, ".md"), _SAMPLE_SIZE))
