"""What a path holds, by its names and first words, and reading all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from loremark.exchange import (
    basic_memory,
    claude_code,
    claude_mem,
    codex,
    decisions,
    instructions,
    mcp_memory,
    mem0,
    memory_bank,
)
from loremark.exchange.chunks import BadFile
from loremark.exchange.notes import Note
from loremark.exchange.reading import find_files, is_own, is_plain, parse, read_records, read_text, resolve

EXPORT = "loremark"
"""Our own export: lines that the server itself reads."""
READERS: dict[str, Callable[[Path], Iterator[Note]]] = {
    claude_code.TOOL: claude_code.read,
    codex.TOOL: codex.read,
    instructions.TOOL: instructions.read,
    decisions.TOOL: decisions.read,
    memory_bank.TOOL: memory_bank.read,
    claude_mem.TOOL: claude_mem.read,
    basic_memory.TOOL: basic_memory.read,
    mem0.TOOL: mem0.read,
    mcp_memory.TOOL: mcp_memory.read,
}
_LOOKED_AT = 20


class Found(NamedTuple):
    tool: str
    path: Path


def detect(path: Path) -> list[Found]:
    """What is there; a repository may hold several kinds. Empty: nothing that is known."""
    path = resolve(path)
    if path.is_dir():
        return _in_folder(path)
    if not is_plain(path):
        raise BadFile(f"{path.name} is no file or folder")
    tool = _of_file(path)
    return [Found(tool, path)] if tool else []


def named(tool: str, path: Path) -> Found:
    """What a person says is there."""
    return Found(tool, resolve(path))


def read(found: Found) -> Iterator[Note]:
    return READERS[found.tool](found.path)


def _of_file(path: Path) -> str | None:
    with open(path, "rb") as file:
        start = file.read(64 * 1024)
    if start.startswith(claude_mem.MAGIC):
        return claude_mem.TOOL
    if instructions.is_file(path):
        return instructions.TOOL
    if path.suffix in (".jsonl", ".ndjson", ".json"):
        return _of_records(path) or (_of_document(path) if path.suffix == ".json" else None)
    if path.suffix in (".md", ".markdown"):
        return _of_markdown(path)
    return None


def _of_records(path: Path) -> str | None:
    for record in islice(read_records(path), _LOOKED_AT):
        if record.get("loremark") == "export":
            return EXPORT
        for reader in (codex, claude_code, mcp_memory):
            if reader.is_record(record):
                return str(reader.TOOL)
    return None


def _of_document(path: Path) -> str | None:
    document = parse(read_text(path, 64 * 1024 * 1024))
    if mcp_memory.is_document(document):
        return mcp_memory.TOOL
    return mem0.TOOL if mem0.entries(document) else None


def _of_markdown(path: Path) -> str | None:
    text = read_text(path)
    if mem0.looks_like_markdown(text):
        return mem0.TOOL
    if decisions.looks_like(path, text):
        return decisions.TOOL
    return basic_memory.TOOL if basic_memory.looks_like(text) else None


def _in_folder(folder: Path) -> list[Found]:
    if memory_bank.looks_like(folder):
        return [Found(memory_bank.TOOL, folder)]
    found = [Found(instructions.TOOL, folder)] if instructions.find(folder) else []
    bank = folder / "memory-bank"
    if bank.is_dir() and is_own(folder, bank.name) and memory_bank.looks_like(bank):
        found.append(Found(memory_bank.TOOL, bank))
    for name in decisions.FOLDERS:
        place = folder / name
        if place.is_dir() and is_own(folder, name) and _has_markdown(place, decisions.TOOL):
            found.append(Found(decisions.TOOL, place))
    if found:
        return found
    for file in islice(find_files(folder, ".jsonl"), _LOOKED_AT):
        tool = _of_records(file)
        if tool in (claude_code.TOOL, codex.TOOL):
            return [Found(tool, folder)]
    return [Found(tool, folder) for tool in (decisions.TOOL, basic_memory.TOOL) if _has_markdown(folder, tool)][:1]


def _has_markdown(folder: Path, tool: str) -> bool:
    return any(_of_markdown(file) == tool for file in islice(find_files(folder, ".md"), _LOOKED_AT))
