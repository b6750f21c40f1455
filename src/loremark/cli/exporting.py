"""``loremark export``: write a project's memory to a file, or to a folder of Markdown files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from loremark.cli import connection, output
from loremark.cli.framework import OK, USAGE, CommandError
from loremark.client.calls.transfer import stream_export

SUMMARY = "Export a project's memory to a file or a folder of Markdown files."
EXAMPLE = "loremark export -o memory.jsonl"
_FORMATS = ("jsonl", "markdown", "madr")
_MANIFEST = ".loremark-export"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="jsonl",
        help="jsonl: everything, for loremark import (default); markdown: one note per item; madr: decision records",
    )
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="output file (default: standard output), or folder for markdown and madr"
    )
    parser.add_argument("--all", action="store_true", help="markdown and madr: include drafts and deprecated items")
    connection.add_project(parser)
    connection.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.format != "jsonl" and not arguments.output:
        raise CommandError("choose an output folder with -o FOLDER", USAGE)
    found = connection.get_profile()
    with connection.open_client() as client:
        project = connection.get_project(arguments, client)
    lines = stream_export(found.url, found.key, project)
    if arguments.format == "jsonl":
        return write_lines(arguments, lines)
    return _write_folder(arguments, list(_items(lines, everything=arguments.all)))


def write_lines(arguments: argparse.Namespace, lines: Iterator[bytes]) -> int:
    """Write what the server streams to the file named by ``--output``, or to standard output."""
    if not arguments.output:
        for line in lines:
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        return OK
    count = [0, 0]

    def write(file: BinaryIO) -> None:
        for line in lines:
            count[0] += 1
            count[1] += file.write(line)

    save(arguments.output, write)
    if arguments.json:
        output.write_json({"path": arguments.output, "lines": count[0], "bytes": count[1]})
    else:
        output.note(f"Wrote {output.pluralize(count[0], 'line')} to {arguments.output} ({count[1]:,} bytes).")
    return OK


def save(path: str, write: Callable[[BinaryIO], object], mode: int = 0o600) -> None:
    """Write a file atomically, readable only by the user unless ``mode`` says otherwise."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def _items(lines: Iterable[bytes], *, everything: bool) -> Iterator[dict[str, Any]]:
    import msgspec

    from loremark.wire.transfer import ItemLine

    for line in lines:
        if line.startswith(b'{"loremark":"item"'):
            try:
                item = msgspec.json.decode(line, type=ItemLine)
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise CommandError(
                    "the server sent an invalid export; check the server address: loremark doctor"
                ) from None
            if everything or item.status == "approved":
                yield msgspec.to_builtins(item)


def _write_folder(arguments: argparse.Namespace, items: list[dict[str, Any]]) -> int:
    from loremark.exchange import madr_export, markdown_export

    files = dict(madr_export.decision_files(items) if arguments.format == "madr" else markdown_export.note_files(items))
    folder = arguments.output
    _prepare_folder(folder)
    before = _previous_files(folder)
    for name, text in files.items():
        _save_text(_path_in_folder(folder, name), text)
    for name in sorted(before - files.keys()):  # from an earlier export
        stale = _path_in_folder(folder, name)
        if os.path.isfile(stale) and not os.path.islink(stale):
            os.unlink(stale)
    _save_text(os.path.join(folder, _MANIFEST), "\n".join(sorted(files)) + "\n")
    if arguments.json:
        output.write_json({"path": folder, "files": sorted(files)})
    else:
        output.note(f"Wrote {output.pluralize(len(files), 'file')} to {folder}.")
    return OK


def _save_text(path: str, text: str) -> None:
    save(path, lambda file: file.write(text.encode()), 0o644)


def _path_in_folder(folder: str, name: str) -> str:
    """The path of a file, creating its folder. Symbolic links are rejected, because they may lead anywhere."""
    path = folder
    for part in name.split("/")[:-1]:
        path = os.path.join(path, part)
        if os.path.islink(path):
            raise CommandError(f"{path} is a symbolic link; not writing through it")
        os.makedirs(path, exist_ok=True)
    return os.path.join(path, name.rpartition("/")[2])


def _prepare_folder(folder: str) -> None:
    """Create the folder. Rejects a folder with files that were not written by an earlier export."""
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder) and not os.path.isfile(os.path.join(folder, _MANIFEST)):
        raise CommandError(f"{folder} contains other files; choose an empty folder")


def _previous_files(folder: str) -> set[str]:
    """Files listed by the earlier export, without names that lead out of the folder."""
    try:
        with open(os.path.join(folder, _MANIFEST), encoding="utf-8") as file:
            names = file.read(10_000_000).split("\n")
    except (OSError, UnicodeDecodeError):
        return set()
    return {name for name in names if name.endswith(".md") and ".." not in name.split("/") and not os.path.isabs(name)}
