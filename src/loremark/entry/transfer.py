"""``loremark admin`` export and import."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from loremark.base import errors
from loremark.base.caller import OWNER, AuthMethod, Caller, Scope
from loremark.base.plans import load_plans
from loremark.base.settings import Settings, SettingsError
from loremark.entry.runtime import Runtime, open_runtime
from loremark.exchange.chunks import InvalidFileError, number_in_file, read_lines, split_chunks
from loremark.features.projects import store as projects
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.exporting import export_project
from loremark.features.transfer.service import ImportContext, import_chunk
from loremark.storage.database import Row
from loremark.wire.transfer import ImportResult, LineCounts

_OPERATOR = "operator"


async def export_to(settings: Settings, project_id: str, output: Path | None) -> str:
    """Export a project atomically to a file, or to standard output. Returns a summary line."""
    async with open_runtime(settings) as runtime:
        project = await _get_project(runtime, project_id)
        scope = Scope(project["team_id"])
        if output is None:
            await _write(runtime, scope, project_id, sys.stdout.buffer)
            return ""
        temporary = output.with_name(f".{output.name}.{os.getpid()}.part")
        try:
            with _create(temporary) as file:
                size = await _write(runtime, scope, project_id, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, output)
        finally:
            temporary.unlink(missing_ok=True)
    return f"Exported {project['name']} to {output} ({size:,} bytes)."


def _create(path: Path) -> BinaryIO:
    path.unlink(missing_ok=True)
    # Never an existing file: in a shared folder it, or what it links to, may be somebody else's.
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _open(path: Path) -> BinaryIO:
    return open(path, "rb")


async def _write(runtime: Runtime, scope: Scope, project_id: str, file: BinaryIO) -> int:
    size = 0
    async for piece in export_project(runtime.database, runtime.blobs, scope, project_id):
        size += file.write(piece)
    return size


async def _get_project(runtime: Runtime, project_id: str) -> Row:
    async with runtime.database.read() as tx:
        project = await projects.find_any_project(tx, project_id)
    if project is None:
        raise SettingsError(f"No project {project_id}")
    return project


async def import_from(
    settings: Settings, source: Path, project_id: str, *, dry_run: bool = False, keep_reviews: bool = False
) -> ImportResult:
    """Import missing entries from an export. Safe to repeat after a failure."""
    total = ImportResult(dry_run=dry_run, lines=0, created=LineCounts(), skipped=LineCounts(), redacted=0)
    async with open_runtime(settings) as runtime:
        project = await _get_project(runtime, project_id)
        caller = Caller(
            user_id=_OPERATOR,
            team_id=project["team_id"],
            role=OWNER,
            auth_method=AuthMethod.OPERATOR,
            credential_id=_OPERATOR,
            name=_OPERATOR,
        )
        plans = load_plans(settings.default_plan, settings.plans_file)
        kit = ImportContext(runtime.database, runtime.blobs, plans, RepoHosts(settings.repo_hosts))
        with _open(source) as file:
            try:
                for before, chunk in split_chunks(read_lines(file)):
                    try:
                        done = await import_chunk(
                            kit, caller, project_id, chunk, dry_run=dry_run, keep_reviews=keep_reviews
                        )
                    except errors.Refusal as refusal:
                        raise SettingsError(number_in_file(refusal.text, before)) from None
                    _add(total, done)
            except InvalidFileError as bad:
                raise SettingsError(f"{source}: {bad}") from None
    return total


def _add(total: ImportResult, done: ImportResult) -> None:
    total.lines += done.lines
    total.redacted += done.redacted
    for sums, counts in ((total.created, done.created), (total.skipped, done.skipped)):
        for name in counts.__struct_fields__:
            setattr(sums, name, getattr(sums, name) + getattr(counts, name))
