"""The operator's commands that carry memory: a project out of the database and into it, and a backup of everything."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit
from urllib.request import url2pathname

from loremark.base import errors
from loremark.base.caller import OWNER, Caller, Scope, Via
from loremark.base.plans import load_plans
from loremark.base.settings import Settings, SettingsError
from loremark.entry.house import House, open_house
from loremark.exchange.chunks import BadFile, chunks, read_lines
from loremark.features.projects import store as projects
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.exporting import export_project
from loremark.features.transfer.service import Kit, import_chunk
from loremark.storage import schema
from loremark.storage.copying import copy_sqlite, list_blobs
from loremark.storage.database import Row
from loremark.wire.transfer import Imported, LineCounts

_OPERATOR = "operator"


async def export_to(settings: Settings, project_id: str, output: Path | None) -> str:
    """Write a project's lines to a file, which appears whole or not at all, or to standard output."""
    async with open_house(settings) as house:
        project = await _get_project(house, project_id)
        scope = Scope(project["team_id"])
        if output is None:
            await _write(house, scope, project_id, sys.stdout.buffer)
            return ""
        unfinished = output.with_name(f".{output.name}.{os.getpid()}.part")
        try:
            with _create(unfinished) as file:
                size = await _write(house, scope, project_id, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, output)
        finally:
            unfinished.unlink(missing_ok=True)
    return f"{project['name']} is in {output} ({size:,} bytes)."


def _create(path: Path) -> BinaryIO:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _open(path: Path) -> BinaryIO:
    return open(path, "rb")


async def _write(house: House, scope: Scope, project_id: str, file: BinaryIO) -> int:
    size = 0
    async for piece in export_project(house.database, house.blobs, scope, project_id):
        size += file.write(piece)
    return size


async def _get_project(house: House, project_id: str) -> Row:
    async with house.database.read() as tx:
        project = await projects.find_any_project(tx, project_id)
    if project is None:
        raise SettingsError(f"There is no project {project_id}")
    return project


async def import_from(settings: Settings, source: Path, project_id: str, *, dry_run: bool = False) -> Imported:
    """Add what is missing of a file's lines; after a failure the same file may be given again."""
    total = Imported(dry_run=dry_run, lines=0, created=LineCounts(), skipped=LineCounts(), redacted=0)
    async with open_house(settings) as house:
        project = await _get_project(house, project_id)
        caller = Caller(
            user_id=_OPERATOR,
            team_id=project["team_id"],
            role=OWNER,
            via=Via.OPERATOR,
            credential_id=_OPERATOR,
            name=_OPERATOR,
        )
        plans = load_plans(settings.default_plan, settings.plans_file)
        kit = Kit(house.database, house.blobs, plans, RepoHosts(settings.repo_hosts))
        with _open(source) as file:
            try:
                for before, chunk in chunks(read_lines(file)):
                    done = await _bring(kit, caller, project_id, chunk, before, dry_run=dry_run)
                    _add(total, done)
            except BadFile as bad:
                raise SettingsError(f"{source}: {bad}") from None
    return total


async def _bring(kit: Kit, caller: Caller, project_id: str, chunk: bytes, before: int, *, dry_run: bool) -> Imported:
    try:
        return await import_chunk(kit, caller, project_id, chunk, dry_run=dry_run)
    except errors.Refusal as refusal:
        where = f" (after line {before})" if before else ""
        raise SettingsError(f"{refusal.text}{where}") from None


def _add(total: Imported, done: Imported) -> None:
    total.lines += done.lines
    total.redacted += done.redacted
    for sums, counts in ((total.created, done.created), (total.skipped, done.skipped)):
        for name in counts.__struct_fields__:
            setattr(sums, name, getattr(sums, name) + getattr(counts, name))


async def backup(settings: Settings, folder: Path) -> list[str]:
    """A copy that can take the data folder's place, while Loremark goes on serving; what was done, line by line."""
    _make_empty(folder)
    if not settings.on_sqlite:
        told = [f"Run: {_pg_dump(settings.database_url, folder)}"]
        return [*told, *await asyncio.to_thread(_copy_rest, settings, folder, None)]
    copy = folder / "loremark.db"
    # The database first: whatever it names was stored before it was named.
    await asyncio.to_thread(copy_sqlite, settings.sqlite_path, copy)
    found = await schema.version(copy)
    if found != schema.HEAD:
        raise SettingsError(f"the copy is at schema {found}, not {schema.HEAD}")
    told = [f"The database is in {copy} and was looked through ({copy.stat().st_size:,} bytes)."]
    return [*told, *await asyncio.to_thread(_copy_rest, settings, folder, copy)]


def _make_empty(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise SettingsError(f"{folder} is not empty; a backup goes into a folder of its own")


def _pg_dump(url: str, folder: Path) -> str:
    """Without the password: that belongs into PGPASSWORD or ~/.pgpass."""
    parts = urlsplit(url)
    address = parts._replace(
        netloc=parts.netloc.replace(f":{parts.password}@", "@") if parts.password else parts.netloc
    )
    words = ["pg_dump", "--format=custom", f"--file={folder / 'loremark.dump'}", address.geturl()]
    return " ".join(map(shlex.quote, words))


def _copy_rest(settings: Settings, folder: Path, copy: Path | None) -> list[str]:
    """Keys and large texts; each of those that the copied database names must be there."""
    told = []
    keys = settings.data_dir / "keys"
    if keys.is_dir():
        shutil.copytree(keys, folder / "keys", ignore=_leave_out_links)
        os.chmod(folder / "keys", 0o700)
        told.append(f"The keys are in {folder / 'keys'}: whoever has them and the database can read its secrets.")
    parts = urlsplit(settings.blobs_url)
    if parts.scheme != "file":
        return [*told, f"Large texts are in {settings.blobs_url}: copy that with the tools of its store."]
    source, target = Path(url2pathname(parts.path)), folder / "blobs"
    if source.is_dir():
        shutil.copytree(source, target, ignore=_leave_out)
    missing = [
        sha256
        for project_id, sha256, size in (list_blobs(copy) if copy is not None else ())
        if not _holds(target / project_id / sha256, size)
    ]
    if missing:
        raise SettingsError(f"{len(missing)} large texts are missing in {source}, the first is {missing[0]}")
    return [*told, f"Large texts are in {target}."]


def _leave_out(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name.startswith(".")} | _leave_out_links(folder, names)


def _leave_out_links(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if os.path.islink(os.path.join(folder, name))}


def _holds(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size
