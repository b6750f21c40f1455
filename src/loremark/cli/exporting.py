"""``loremark export``: the memory of a project as a file, or as a folder of files that people and other tools read."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from loremark.cli import desk, page
from loremark.cli.kit import OK, USAGE, Stop
from loremark.client.calls.transfer import stream_export

SUMMARY = "Write the memory of a project to a file, or to a folder as markdown."
EXAMPLE = "loremark export -o memory.jsonl"
_FORMATS = ("jsonl", "markdown", "madr")
_OWN_MARK = ".loremark-export"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="jsonl",
        help="jsonl: everything, for loremark import; markdown: a note an item; madr: the decisions (jsonl)",
    )
    parser.add_argument("-o", "--output", metavar="PATH", help="the file, or for markdown and madr the folder")
    parser.add_argument("--all", action="store_true", help="markdown and madr: drafts and deprecated items too")
    desk.add_project(parser)
    desk.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.format != "jsonl" and not arguments.output:
        raise Stop("say where: -o FOLDER", USAGE)
    found = desk.get_profile()
    with desk.open_client() as client:
        project = desk.get_project(arguments, client)
    lines = stream_export(found.url, found.key, project)
    if arguments.format == "jsonl":
        return _write_lines(arguments, lines)
    return _write_folder(arguments, list(_items(lines, everything=arguments.all)))


def _write_lines(arguments: argparse.Namespace, lines: Iterator[bytes]) -> int:
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
        page.write_json({"path": arguments.output, "lines": count[0], "bytes": count[1]})
    else:
        page.note(f"{count[0]:,} lines are in {arguments.output} ({count[1]:,} bytes).")
    return OK


def save(path: str, write: Callable[[BinaryIO], object], mode: int = 0o600) -> None:
    """A file of one's own that appears whole or not at all."""
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
                raise Stop("the server does not answer like Loremark") from None
            if everything or item.status == "approved":
                yield msgspec.to_builtins(item)


def _write_folder(arguments: argparse.Namespace, items: list[dict[str, Any]]) -> int:
    from loremark.exchange import madr, markdown

    made = dict(madr.records(items) if arguments.format == "madr" else markdown.notes(items))
    folder = arguments.output
    _make_ours(folder)
    before = _known(folder)
    for name, text in made.items():
        _save_text(_inside(folder, name), text)
    for name in sorted(before - made.keys()):  # written by an earlier export, and no longer true
        stale = _inside(folder, name)
        if os.path.isfile(stale) and not os.path.islink(stale):
            os.unlink(stale)
    _save_text(os.path.join(folder, _OWN_MARK), "\n".join(sorted(made)) + "\n")
    if arguments.json:
        page.write_json({"path": folder, "files": sorted(made)})
    else:
        page.note(f"{len(made):,} files are in {folder}.")
    return OK


def _save_text(path: str, text: str) -> None:
    save(path, lambda file: file.write(text.encode()), 0o644)


def _inside(folder: str, name: str) -> str:
    """The path of a file, whose folder is made; one behind a link is refused, it could be anywhere."""
    place = folder
    for part in name.split("/")[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place):
            raise Stop(f"{place} is a link; nothing is written through it")
        os.makedirs(place, exist_ok=True)
    return os.path.join(place, name.rpartition("/")[2])


def _make_ours(folder: str) -> None:
    """An empty folder, or one that an earlier export has made: nobody's own files are touched."""
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder) and not os.path.isfile(os.path.join(folder, _OWN_MARK)):
        raise Stop(f"{folder} holds other files; give an empty folder")


def _known(folder: str) -> set[str]:
    """The files that the earlier export made; names that lead out of the folder are none."""
    try:
        with open(os.path.join(folder, _OWN_MARK), encoding="utf-8") as file:
            names = file.read(10_000_000).split("\n")
    except (OSError, UnicodeDecodeError):
        return set()
    return {name for name in names if name.endswith(".md") and ".." not in name.split("/") and not os.path.isabs(name)}
