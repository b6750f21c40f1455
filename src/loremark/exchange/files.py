"""Read untrusted files: bounded in size and number, without following symlinks, tolerating any bytes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.chunks import InvalidFileError

DOCUMENT_BYTES = 4 * 1024 * 1024
LINE_BYTES = 4 * 1024 * 1024
TRANSCRIPT_BYTES = 512 * 1024 * 1024
_MAX_FILES = 5_000
_MAX_DEPTH = 8
_SKIPPED_FOLDERS = frozenset((".git", "node_modules", ".venv", "venv", "target", "dist", "build", "__pycache__"))


def resolve(path: Path) -> Path:
    """Resolve a path given by the user. A symlink must not lead out of its repository or folder."""
    path = path.absolute()
    if ".." in path.parts:
        path = path.resolve() if path.name == ".." else path.parent.resolve() / path.name
    real = path.resolve()
    repository = next((parent for parent in path.parents if (parent / ".git").exists()), None)
    within = repository or (path.parent if path.is_symlink() else None)
    if within is not None and not real.is_relative_to(within.resolve()):
        raise InvalidFileError(
            f"{path.name} is a symlink that points outside {within.name or within}; use the real path instead: {real}"
        )
    return real


def has_no_symlink(folder: Path, name: str) -> bool:
    """Return whether the path below a folder contains no symlink."""
    return (folder / name).resolve() == folder.resolve() / name


def is_regular_file(path: Path) -> bool:
    """Return whether the path is a regular file, not a symlink, pipe or device."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def read_text(path: Path, max_bytes: int = DOCUMENT_BYTES) -> str:
    """Return the text of a document, replacing invalid UTF-8 and dropping NUL."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise InvalidFileError(f"{path.name} is not a regular file")
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise InvalidFileError(f"{path.name} is larger than {max_bytes // 1024 // 1024} MiB")
    return content.decode("utf-8-sig", errors="replace").replace("\0", "").replace("\r\n", "\n")


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file, skipping invalid and oversized lines."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    read = 0
    with open(number, "rb") as file:
        while (line := file.readline(LINE_BYTES)) and read < TRANSCRIPT_BYTES:
            read += len(line)
            if len(line) >= LINE_BYTES and not line.endswith(b"\n"):
                read += _skip_line(file)
                continue
            record = parse_json(line)
            if isinstance(record, dict):
                yield record


def _skip_line(file: Any) -> int:
    skipped = 0
    while part := file.readline(LINE_BYTES):
        skipped += len(part)
        if part.endswith(b"\n") or skipped > TRANSCRIPT_BYTES:
            break
    return skipped


def parse_json(content: bytes | str) -> Any:
    """Parse JSON; None if it is invalid or nested too deeply."""
    text = content.decode(errors="replace") if isinstance(content, bytes) else content
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def find_files(folder: Path, *endings: str) -> list[Path]:
    """List the files below a folder with one of these endings, sorted, without following symlinks."""
    found: list[Path] = []
    base = len(folder.parts)
    for parent, folders, names in os.walk(folder, followlinks=False):
        here = Path(parent)
        deep = len(here.parts) - base >= _MAX_DEPTH
        folders[:] = [] if deep else sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            if name.endswith(endings) and is_regular_file(here / name):
                found.append(here / name)
                if len(found) >= _MAX_FILES:
                    return found
    return found


def relative_name(path: Path, folder: Path) -> str:
    """Return the file's path relative to the folder, the same on every machine."""
    try:
        text = path.relative_to(folder).as_posix()
    except ValueError:
        text = path.name
    return path.name if text == "." else text


def text_of(value: Any) -> str:
    return value.replace("\0", "") if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """Return the strings of a list, which may be encoded as JSON or separated by commas."""
    if isinstance(value, str):
        parsed = parse_json(value) if value.lstrip().startswith("[") else None
        value = parsed if isinstance(parsed, list) else value.split(",")
    if not isinstance(value, list):
        return []
    return [text for each in value if (text := text_of(each).strip())]
