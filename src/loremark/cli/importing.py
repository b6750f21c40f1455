"""``loremark import``: import a Loremark export, or another tool's notes."""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from loremark.cli import connection, output
from loremark.cli.enrichment import add_enrich_option, enrich_sent
from loremark.cli.event_sender import send_notes
from loremark.cli.framework import OK, USAGE, CommandError
from loremark.client.call import ApiError
from loremark.client.calls.transfer import import_lines
from loremark.client.client import Client
from loremark.exchange.chunks import InvalidFileError, number_in_file, read_lines, split_chunks
from loremark.exchange.notes import Note, to_event

SUMMARY = "Import a Loremark export, or notes from another tool."
EXAMPLE = "loremark import CLAUDE.md --dry-run"
_TIMEOUT_S = 120.0
_MAX_NOTES = 100_000
_KINDS = ("contexts", "sessions", "events", "items", "revisions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a file or folder")
    parser.add_argument(
        "--from",
        dest="tool",
        metavar="TOOL",
        default="auto",
        help="format: auto (default), loremark, claude-code, codex, instructions, adr, cline, claude-mem, "
        "basic-memory, mem0 or mcp-memory",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be imported, without importing it")
    parser.add_argument(
        "--keep-reviews",
        action="store_true",
        help="of an export you trust, keep what it says was reviewed; otherwise nothing counts as reviewed",
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, default=_MAX_NOTES, help="import at most N notes from another tool"
    )
    add_enrich_option(parser)
    connection.add_project(parser)
    connection.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.exchange import detection

    if not 1 <= arguments.limit <= _MAX_NOTES:
        raise CommandError(f"--limit must be between 1 and {_MAX_NOTES}", USAGE)
    if arguments.tool not in ("auto", detection.EXPORT, *detection.READERS):
        known = ", ".join(("auto", detection.EXPORT, *detection.READERS))
        raise CommandError(f"--from must be one of {known}", USAGE)
    path = Path(arguments.path).absolute()
    if not path.exists():
        raise CommandError(f"{arguments.path} does not exist")
    try:
        found = detection.detect(path) if arguments.tool == "auto" else [detection.named_source(arguments.tool, path)]
        if not found:
            raise CommandError(f"found nothing to import in {arguments.path}; if you know the format, use --from")
        if found[0].tool == detection.EXPORT:
            return _import_export(arguments, found[0].path)
        notes = list(islice((note for part in found for note in detection.read(part)), arguments.limit))
    except InvalidFileError as error:
        raise CommandError(str(error)) from None
    return _preview(arguments, notes) if arguments.dry_run else _send_notes(arguments, notes)


# ── exports


def _import_export(arguments: argparse.Namespace, path: Path) -> int:
    total: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    redacted = 0
    with connection.open_client(_TIMEOUT_S) as client, open(path, "rb") as file:
        project = connection.get_project(arguments, client)
        for before, chunk in split_chunks(read_lines(file)):
            done = _import_chunk(client, project, chunk, before, arguments)
            for kind in _KINDS:
                total[kind] += getattr(done.created, kind)
                skipped[kind] += getattr(done.skipped, kind)
            redacted += done.redacted
            output.progress(f"{before + done.lines:,} lines")
    output.clear_progress()
    if arguments.json:
        counts = {
            "created": {kind: total[kind] for kind in _KINDS},
            "skipped": {kind: skipped[kind] for kind in _KINDS},
        }
        output.write_json({"dryRun": arguments.dry_run, **counts, "redacted": redacted})
        return OK
    verb = "would add" if arguments.dry_run else "added"
    counts_text = ", ".join(output.pluralize(total[kind], kind.removesuffix("s")) for kind in _KINDS if total[kind])
    output.write(
        f"{f'{verb} {counts_text}' if counts_text else 'nothing new'}; {sum(skipped.values()):,} already there"
    )
    return OK


def _import_chunk(client: Client, project: str, chunk: bytes, before: int, arguments: argparse.Namespace) -> Any:
    dry_run, keep_reviews = arguments.dry_run, arguments.keep_reviews
    try:
        return client.send(import_lines(project, chunk, dry_run=dry_run, keep_reviews=keep_reviews))
    except ApiError as error:
        if error.status == 400 and before:
            outcome = "valid" if dry_run else "imported"
            text = number_in_file(str(error), before)
            raise CommandError(f"{text} (the first {before:,} lines were {outcome})") from None
        raise


# ── other tools


def _preview(arguments: argparse.Namespace, notes: list[Note]) -> int:
    events = [to_event(note) for note in notes]
    if arguments.json:
        output.write_json([{"event": event.event, "payload": event.payload} for event in events])
        return OK
    rows = [(_type_label(note), note.title, note.origin) for note in notes]
    output.table(rows, ("type", "title", "source"))
    output.note(f"{_count_notes(notes)} would be sent. The server skips duplicates.")
    return OK


def _send_notes(arguments: argparse.Namespace, notes: list[Note]) -> int:
    with connection.open_client(_TIMEOUT_S) as client:
        project = connection.get_project(arguments, client)
        try:
            sent = send_notes(client, project, notes, lambda count: output.progress(f"{count:,} of {len(notes):,}"))
        finally:
            output.clear_progress()
        if not arguments.json:
            output.write(f"{sent.new:,} new, {sent.known:,} already imported.")
            for line in sent.failed:
                output.note(line)
        sessions = list(sent.sessions)
        result = {"new": sent.new, "known": sent.known, "failed": sent.failed, "sessions": sessions}
        return enrich_sent(client, project, sessions, arguments, result, failed=bool(sent.failed))


def _type_label(note: Note) -> str:
    kind = note.type or "item" if note.kind == "item" else note.kind
    return f"{kind} (deprecated)" if note.status == "deprecated" else kind


def _count_notes(notes: list[Note]) -> str:
    counts = Counter(note.kind for note in notes)
    return ", ".join(f"{count:,} {kind}{'s' * (count != 1)}" for kind, count in counts.items()) or "nothing"
