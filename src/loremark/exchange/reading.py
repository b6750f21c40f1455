"""Files of other tools, read with care: bounded in size and number, links not followed, whatever bytes they hold."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.chunks import BadFile

DOCUMENT_BYTES = 4 * 1024 * 1024
LINE_BYTES = 4 * 1024 * 1024
TRANSCRIPT_BYTES = 512 * 1024 * 1024
_MOST_FILES = 5_000
_LEVELS = 8
_LEFT_OUT = frozenset((".git", "node_modules", ".venv", "venv", "target", "dist", "build", "__pycache__"))


def resolve(path: Path) -> Path:
    """The place that a person named. A person names what they see: a link there must not lead out of what it is in."""
    path = path.absolute()
    if ".." in path.parts:
        path = path.resolve() if path.name == ".." else path.parent.resolve() / path.name
    real = path.resolve()
    repository = next((above for above in path.parents if (above / ".git").exists()), None)
    within = repository or (path.parent if path.is_symlink() else None)
    if within is not None and not real.is_relative_to(within.resolve()):
        raise BadFile(f"{path.name} is a link out of {within.name or within}; name the place itself: {real}")
    return real


def is_own(folder: Path, name: str) -> bool:
    """Whether no link stands on the way from a folder to what is called so below it."""
    return (folder / name).resolve() == folder.resolve() / name


def is_plain(path: Path) -> bool:
    """A file of its own: no link, no pipe, no device."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def read_text(path: Path, most_bytes: int = DOCUMENT_BYTES) -> str:
    """The text of a document; what is no UTF-8 in it becomes the replacement character, and NUL nothing."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise BadFile(f"{path.name} is no plain file")
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise BadFile(f"{path.name} is larger than {most_bytes // 1024 // 1024} MiB")
    return content.decode("utf-8-sig", errors="replace").replace("\0", "").replace("\r\n", "\n")


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file with one a line; lines that hold none, or too much, are passed over."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    read = 0
    with open(number, "rb") as file:
        while (line := file.readline(LINE_BYTES)) and read < TRANSCRIPT_BYTES:
            read += len(line)
            if len(line) >= LINE_BYTES and not line.endswith(b"\n"):
                read += _skip_line(file)
                continue
            record = parse(line)
            if isinstance(record, dict):
                yield record


def _skip_line(file: Any) -> int:
    skipped = 0
    while part := file.readline(LINE_BYTES):
        skipped += len(part)
        if part.endswith(b"\n") or skipped > TRANSCRIPT_BYTES:
            break
    return skipped


def parse(content: bytes | str) -> Any:
    """JSON, or None for what is none: too deep, too large a number, or no JSON at all."""
    text = content.decode(errors="replace") if isinstance(content, bytes) else content
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def find_files(folder: Path, *endings: str) -> list[Path]:
    """The files below a folder with one of these endings, in the order of their names; no link is followed."""
    found: list[Path] = []
    base = len(folder.parts)
    for above, folders, names in os.walk(folder, followlinks=False):
        here = Path(above)
        deep = len(here.parts) - base >= _LEVELS
        folders[:] = [] if deep else sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            if name.endswith(endings) and is_plain(here / name):
                found.append(here / name)
                if len(found) >= _MOST_FILES:
                    return found
    return found


def name_in(path: Path, folder: Path) -> str:
    """How a file is called from the folder that was given; the same on every machine."""
    try:
        told = path.relative_to(folder).as_posix()
    except ValueError:
        told = path.name
    return path.name if told == "." else told


def text_of(value: Any) -> str:
    return value.replace("\0", "") if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """The texts of a list; one that was written as JSON, or with commas, is read as such."""
    if isinstance(value, str):
        parsed = parse(value) if value.lstrip().startswith("[") else None
        value = parsed if isinstance(parsed, list) else value.split(",")
    if not isinstance(value, list):
        return []
    return [told for each in value if (told := text_of(each).strip())]
