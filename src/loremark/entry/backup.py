"""``loremark admin backup`` and ``restore``: the database, blobs and keys of an installation as one folder.

The database of either engine becomes a SQLite file, so a backup can be restored on the other one, and its folder can
be used as a data folder.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from loremark.base.settings import Settings, SettingsError
from loremark.entry.data_dir_lock import lock_data_dir
from loremark.entry.installation_secrets import ENCRYPTION_KEY, find_sealer
from loremark.entry.runtime import KEY_CLAIM, database_address
from loremark.ports.blobs.store import Blobs, open_blobs
from loremark.storage import backup as database_backup
from loremark.storage import schema

_DATABASE = "loremark.db"
_KEYS = "keys"
_BLOBS = "blobs"
_BLOBS_AT_ONCE = 8

Blob = tuple[str, str]
"""A project and a SHA-256."""


async def back_up(settings: Settings, folder: Path, *, skips_blobs: bool = False) -> list[str]:
    """Back up to a new or empty folder while the server runs. Returns report lines."""
    _prepare(folder)
    address = database_address(settings)
    await schema.require_current(address)
    # Copy the database first: blobs are stored before the rows that reference them.
    copy = folder / _DATABASE
    await database_backup.back_up(address, copy)
    return [
        f"Database copied to {copy} and verified ({copy.stat().st_size:,} bytes).",
        _copy_keys(settings, folder),
        await _back_up_blobs(settings, folder, database_backup.list_blobs(copy), skips_blobs=skips_blobs),
    ]


def _prepare(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise SettingsError(f"{folder} is not empty; choose a new or empty folder for the backup")


def _copy_keys(settings: Settings, folder: Path) -> str:
    keys = settings.data_dir / _KEYS
    if keys.is_dir():
        shutil.copytree(keys, folder / _KEYS, ignore=_ignore_links)
        os.chmod(folder / _KEYS, 0o700)
    if settings.encryption_key:
        return "The encryption key is in LOREMARK_ENCRYPTION_KEY, not in the backup. Keep it: restoring needs it."
    return f"Keys copied to {folder / _KEYS}. Keep them safe: together with the database they reveal its secrets."


def _ignore_links(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if os.path.islink(os.path.join(folder, name))}


async def _back_up_blobs(settings: Settings, folder: Path, listed: Sequence[Blob], *, skips_blobs: bool) -> str:
    if skips_blobs:
        return f"Blobs were not copied. Back up {settings.blobs_url} with that store's tools."
    source = open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint)
    missing = await _copy_blobs(listed, source, _open_local(folder / _BLOBS))
    if missing:
        raise SettingsError(f"blobs missing in {settings.blobs_url}: {len(missing)}; the first one is {missing[0][1]}")
    return f"Blobs copied to {folder / _BLOBS} ({len(listed):,})."


async def restore(settings: Settings, folder: Path) -> list[str]:
    """Restore a backup into an installation without accounts. Returns report lines.

    The database is replaced last and at once, so after a failure the command can be repeated.
    """
    source = folder / _DATABASE
    if not source.is_file():
        raise SettingsError(f"{folder} is not a backup: it contains no {_DATABASE}")
    address = database_address(settings)
    with lock_data_dir(settings.data_dir) if settings.on_sqlite else nullcontext():
        if await database_backup.has_accounts(address):
            raise SettingsError(
                f"{address if settings.on_sqlite else 'the PostgreSQL database'} has accounts already; "
                "restore into an empty one (LOREMARK_DATA_DIR or LOREMARK_DATABASE_URL)"
            )
        async with _work_folder(settings) as work:
            copy = work / _DATABASE
            await database_backup.open_backup(source, copy)
            report = [
                _restore_keys(settings, folder / _KEYS, database_backup.find_installation_value(copy, KEY_CLAIM)),
                await _restore_blobs(settings, folder / _BLOBS, database_backup.list_blobs(copy)),
            ]
            await database_backup.restore(copy, address)
    where = settings.sqlite_path if settings.on_sqlite else "PostgreSQL"
    return [*report, f"Database restored to {where} (schema {schema.HEAD}). Start the server."]


@asynccontextmanager
async def _work_folder(settings: Settings) -> AsyncIterator[Path]:
    """A private folder on the database's file system, from which the copy is moved into place."""
    parent = settings.sqlite_path.parent if settings.on_sqlite else settings.data_dir
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=parent) as name:
        yield Path(name)


def _restore_keys(settings: Settings, backup: Path, fingerprint: str | None) -> str:
    """Copy keys that this installation does not have, after checking that they open the database's secrets."""
    target = settings.data_dir / _KEYS
    in_place = find_sealer(settings.encryption_key, target / ENCRYPTION_KEY)
    sealer = in_place or find_sealer("", backup / ENCRYPTION_KEY)
    if sealer is None:
        raise SettingsError("The backup contains no encryption key: set LOREMARK_ENCRYPTION_KEY to the original one")
    if fingerprint not in (None, sealer.fingerprint):
        where = "LOREMARK_ENCRYPTION_KEY" if settings.encryption_key else f"the key in {target}"
        raise SettingsError(
            f"{where if in_place else f'the key in {backup}'} does not match the backup; its stored secrets could not "
            "be decrypted. Use the original key"
        )
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    copied = [path for path in sorted(backup.glob("*.key")) if path.is_file() and not (target / path.name).exists()]
    if settings.encryption_key:
        copied = [path for path in copied if path.name != ENCRYPTION_KEY]
    for path in copied:
        shutil.copyfile(path, target / path.name)
        os.chmod(target / path.name, 0o600)
    names = ", ".join(path.name for path in copied)
    return f"Keys restored to {target}: {names}." if copied else "The keys of this installation match the backup."


async def _restore_blobs(settings: Settings, folder: Path, listed: Sequence[Blob]) -> str:
    target = open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint)
    absent = listed if _is_missing(folder) else await _copy_blobs(listed, _open_local(folder), target)
    lost = [sha256 for project_id, sha256 in absent if not _is_intact(await target.get(project_id, sha256), sha256)]
    if lost:
        raise SettingsError(
            f"blobs in neither {folder} nor {settings.blobs_url}: {len(lost)}; the first one is {lost[0]}"
        )
    return f"Blobs restored to {settings.blobs_url} ({len(listed) - len(absent):,})."


def _is_missing(folder: Path) -> bool:
    """Whether the blobs were skipped: opening them would create the folder."""
    return not folder.is_dir()


def _open_local(folder: Path) -> Blobs:
    return open_blobs(folder.absolute().as_uri())


async def _copy_blobs(listed: Sequence[Blob], source: Blobs, target: Blobs) -> list[Blob]:
    """Copy blobs between stores. Returns those that are missing or damaged in the source."""

    async def copy(project_id: str, sha256: str) -> bool:
        content = await source.get(project_id, sha256)
        if content is None or not _is_intact(content, sha256):
            return False
        await target.put(project_id, sha256, content)
        return True

    missing: list[Blob] = []
    for start in range(0, len(listed), _BLOBS_AT_ONCE):
        some = listed[start : start + _BLOBS_AT_ONCE]
        copied = await asyncio.gather(*(copy(*blob) for blob in some))
        missing += [blob for blob, is_copied in zip(some, copied, strict=True) if not is_copied]
    return missing


def _is_intact(content: bytes | None, sha256: str) -> bool:
    return content is not None and hashlib.sha256(content).hexdigest() == sha256
