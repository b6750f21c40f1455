"""``loremark import``: an export of Loremark, or what another tool remembers."""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from loremark.cli import desk, page
from loremark.cli.kit import FAILED, OK, USAGE, Stop
from loremark.client.call import ApiError
from loremark.client.calls.events import tell_event
from loremark.client.calls.transfer import import_lines
from loremark.client.client import Client
from loremark.exchange.chunks import BadFile, chunks, read_lines
from loremark.exchange.notes import Event, Note, to_event

SUMMARY = "Take over an export, or what another tool remembers: transcripts, rules, decisions, notes."
EXAMPLE = "loremark import CLAUDE.md --dry-run"
_SECONDS = 120.0
_MOST = 100_000
_KINDS = ("contexts", "sessions", "events", "items", "revisions")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a file or folder")
    parser.add_argument(
        "--from",
        dest="tool",
        metavar="TOOL",
        default="auto",
        help="auto, loremark, claude-code, codex, instructions, adr, cline, claude-mem, basic-memory, mem0 or "
        "mcp-memory",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be told, and send nothing")
    parser.add_argument("--limit", metavar="N", type=int, default=_MOST, help="at most N notes of another tool")
    desk.add_project(parser)
    desk.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.exchange import detection

    if not 1 <= arguments.limit <= _MOST:
        raise Stop(f"--limit must be between 1 and {_MOST}", USAGE)
    if arguments.tool not in ("auto", detection.EXPORT, *detection.READERS):
        known = ", ".join(("auto", detection.EXPORT, *detection.READERS))
        raise Stop(f"--from must be one of {known}", USAGE)
    path = Path(arguments.path).absolute()
    if not path.exists():
        raise Stop(f"there is nothing at {arguments.path}")
    try:
        found = detection.detect(path) if arguments.tool == "auto" else [detection.named(arguments.tool, path)]
        if not found:
            raise Stop(f"nothing that is known was found in {arguments.path}; say --from if you know what it is")
        if found[0].tool == detection.EXPORT:
            return _import_export(arguments, found[0].path)
        notes = list(islice((note for part in found for note in detection.read(part)), arguments.limit))
    except BadFile as bad:
        raise Stop(str(bad)) from None
    return _show(arguments, notes) if arguments.dry_run else _tell(arguments, notes)


# ── exports


def _import_export(arguments: argparse.Namespace, path: Path) -> int:
    total: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    redacted = 0
    with desk.open_client(_SECONDS) as client, open(path, "rb") as file:
        project = desk.get_project(arguments, client)
        for before, chunk in chunks(read_lines(file)):
            done = _bring(client, project, chunk, before, dry_run=arguments.dry_run)
            for kind in _KINDS:
                total[kind] += getattr(done.created, kind)
                skipped[kind] += getattr(done.skipped, kind)
            redacted += done.redacted
            page.progress(f"{before + done.lines:,} lines")
    page.progress_ends()
    if arguments.json:
        counts = {
            "created": {kind: total[kind] for kind in _KINDS},
            "skipped": {kind: skipped[kind] for kind in _KINDS},
        }
        page.write_json({"dryRun": arguments.dry_run, **counts, "redacted": redacted})
        return OK
    verb = "to be added" if arguments.dry_run else "added"
    told = ", ".join(f"{total[kind]:,} {kind}" for kind in _KINDS if total[kind])
    page.write(f"{f'{verb}: {told}' if told else 'nothing new'}; there already: {sum(skipped.values()):,}")
    return OK


def _bring(client: Client, project: str, chunk: bytes, before: int, *, dry_run: bool) -> Any:
    try:
        return client.send(import_lines(project, chunk, dry_run=dry_run))
    except ApiError as error:
        if error.status == 400 and before:
            raise Stop(f"{error} (counted from line {before + 1} of the file; what came before is kept)") from None
        raise


# ── other tools


def _show(arguments: argparse.Namespace, notes: list[Note]) -> int:
    events = [to_event(note) for note in notes]
    if arguments.json:
        page.write_json([{"event": made.event, "payload": made.payload} for made in events])
        return OK
    rows = [(_what(note), note.title, note.origin) for note in notes]
    page.table(rows, ("what", "title", "where"))
    page.note(f"{_told(notes)} would be told; the server decides what it knows already.")
    return OK


def _tell(arguments: argparse.Namespace, notes: list[Note]) -> int:
    new = known = 0
    failed: list[str] = []
    sessions: dict[str, None] = {}
    with desk.open_client(_SECONDS) as client:
        project = desk.get_project(arguments, client)
        for number, note in enumerate(notes, start=1):
            made: Event = to_event(note)
            try:
                kept = client.send(tell_event(project, made.event, made.payload))
            except ApiError as error:
                if error.status not in (400, 413):
                    raise
                failed.append(f"{note.origin}: {error}")
                continue
            duplicate = getattr(kept, "duplicate", False) is True
            known, new = known + duplicate, new + (not duplicate)
            if not duplicate:
                sessions[kept.session_id] = None
            page.progress(f"{number:,} of {len(notes):,}")
    page.progress_ends()
    if arguments.json:
        page.write_json({"new": new, "known": known, "failed": failed, "sessions": list(sessions)})
    else:
        page.write(f"{new:,} new, {known:,} known already.")
        for line in failed:
            page.note(line)
        if sessions:
            page.note(f"turn them into memory with: loremark enrich {next(iter(sessions))}")
    return FAILED if failed else OK


def _what(note: Note) -> str:
    kind = note.type or "item" if note.kind == "item" else note.kind
    return f"{kind} (deprecated)" if note.status == "deprecated" else kind


def _told(notes: list[Note]) -> str:
    counts = Counter(note.kind for note in notes)
    return ", ".join(f"{count:,} {kind}{'s' * (count != 1)}" for kind, count in counts.items()) or "nothing"
