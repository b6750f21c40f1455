"""``loremark admin`` backup and restore: between machines, engines and blob stores."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loremark.base.settings import Settings, SettingsError
from loremark.entry import backup
from loremark.storage import backup as database_backup
from loremark.storage import schema, sqlite_connection
from loremark.storage.database import StorageUnavailable
from tests.features.exported_project import create_full_project, export
from tests.features.memory_project import Memory
from tests.servers.s3 import BUCKET, CREDENTIALS, S3Server
from tests.support import databases
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio


def _elsewhere(folder: Path, engine: str, **changes: str) -> Settings:
    """The settings of another machine, where nothing has run yet."""
    there = folder / "there"
    there.mkdir()
    return settings_for(there, "" if engine == "sqlite" else databases.fresh(engine, there), **changes)


async def _read_all(settings: Settings, memory: Memory) -> tuple[bytes, str]:
    """The export and the decrypted signing secret of the project, from a server on these settings."""
    async with run_service(settings) as running:
        owner = Person(running.http, key=memory.owner.key)
        secret = await owner.get(f"/api/projects/{memory.tool.project_id}/hmac-secret")
        return await export(owner, memory.tool.project_id), secret.text


@pytest.mark.both_engines
@pytest.mark.parametrize("target", databases.ENGINES)
async def test_backup_of_a_running_server_is_restored_elsewhere(service: Service, target: str, tmp_path: Path) -> None:
    memory = await create_full_project(service)
    before = await export(memory.owner, memory.tool.project_id)
    secret = (await memory.owner.get(f"/api/projects/{memory.tool.project_id}/hmac-secret")).text
    folder = tmp_path / "backup"
    report = await backup.back_up(service.settings, folder)
    assert "and verified" in report[0]
    await memory.send({"late": True})
    assert sorted(path.name for path in folder.iterdir()) == ["blobs", "keys", "loremark.db"]
    assert any((folder / "blobs" / memory.tool.project_id).iterdir())
    assert {path.stat().st_mode & 0o777 for path in (folder / "keys").iterdir()} == {0o600}
    there = _elsewhere(tmp_path, target)
    report = await backup.restore(there, folder)
    assert report[-1].startswith("Database restored to ")
    assert await _read_all(there, memory) == (before, secret)
    with pytest.raises(SettingsError, match="has accounts already"):
        await backup.restore(there, folder)
    assert [path.name for path in there.data_dir.iterdir() if path.name.startswith(".restore-")] == []


async def test_backup_is_private_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be readable by others."""
    source, target = tmp_path / "source.db", tmp_path / "copy.db"
    with closing(sqlite3.connect(source)) as made:
        made.execute("CREATE TABLE things (name TEXT)")
        made.commit()
    modes: set[int] = set()

    def look() -> int:
        modes.update(path.stat().st_mode & 0o777 for path in tmp_path.glob(".copy.db*"))
        return 0

    connect = sqlite_connection.connect

    def watched(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_progress_handler(look, 1)
        return connection

    monkeypatch.setattr(sqlite_connection, "connect", watched)
    await database_backup.back_up(source, target)
    assert modes == {0o600}
    assert target.stat().st_mode & 0o777 == 0o600


async def test_backup_folder_is_a_data_folder(service: Service, tmp_path: Path) -> None:
    memory = await create_full_project(service)
    folder = tmp_path / "backup"
    await backup.back_up(service.settings, folder)
    with pytest.raises(SettingsError, match="is not empty"):
        await backup.back_up(service.settings, folder)
    before = await export(memory.owner, memory.tool.project_id)
    assert (await _read_all(settings_for(folder, ""), memory))[0] == before
    assert (folder / "loremark.db-wal").exists() or (folder / "loremark.db").exists()
    again = _elsewhere(tmp_path, "sqlite")
    await backup.restore(again, folder)
    assert (await _read_all(again, memory))[0] == before


@pytest.mark.own_service
async def test_missing_and_damaged_blobs_are_reported(service: Service, tmp_path: Path) -> None:
    memory = await create_full_project(service)
    folder = tmp_path / "backup"
    await backup.back_up(service.settings, folder)
    (blob, *_) = (folder / "blobs" / memory.tool.project_id).iterdir()
    blob.write_bytes(b"damaged")
    there = _elsewhere(tmp_path, "sqlite")
    with pytest.raises(SettingsError, match=f"blobs in neither .*: 1; the first one is {blob.name}"):
        await backup.restore(there, folder)
    assert not there.sqlite_path.exists(), "nothing is restored"
    shutil.rmtree(service.settings.data_dir / "blobs" / memory.tool.project_id)
    with pytest.raises(SettingsError, match="blobs missing"):
        await backup.back_up(service.settings, tmp_path / "second")
    report = await backup.back_up(service.settings, tmp_path / "third", skips_blobs=True)
    assert report[-1].startswith("Blobs were not copied.")


async def test_restoring_needs_the_key_of_the_backup(service: Service, tmp_path: Path) -> None:
    await create_full_project(service)
    folder = tmp_path / "backup"
    await backup.back_up(service.settings, folder)
    other = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    there = _elsewhere(tmp_path, "sqlite", LOREMARK_ENCRYPTION_KEY=other)
    with pytest.raises(SettingsError, match="LOREMARK_ENCRYPTION_KEY does not match the backup"):
        await backup.restore(there, folder)
    key = folder / "keys" / "encryption.key"
    right = key.read_text().strip()
    key.unlink()
    without = settings_for(there.data_dir, "")
    with pytest.raises(SettingsError, match="contains no encryption key"):
        await backup.restore(without, folder)
    given = settings_for(there.data_dir, "", LOREMARK_ENCRYPTION_KEY=right)
    await backup.restore(given, folder)
    assert not (there.data_dir / "keys" / "encryption.key").exists(), "the key stays where the operator keeps it"


async def test_only_databases_of_this_version_or_older_are_restored(service: Service, tmp_path: Path) -> None:
    await create_full_project(service)
    folder = tmp_path / "backup"
    await backup.back_up(service.settings, folder)
    with closing(sqlite3.connect(folder / "loremark.db")) as file, file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
    there = _elsewhere(tmp_path, "sqlite")
    with pytest.raises(schema.SchemaError, match="newer than this version"):
        await backup.restore(there, folder)
    (folder / "loremark.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(StorageUnavailable, match="not a database"):
        await backup.restore(there, folder)
    with pytest.raises(SettingsError, match="is not a backup"):
        await backup.restore(there, tmp_path)


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    server = S3Server(tmp_path / "s3")
    yield server
    server.stop()


async def test_blobs_move_between_a_bucket_and_files(service: Service, tmp_path: Path, bucket: S3Server) -> None:
    memory = await create_full_project(service)
    before = await export(memory.owner, memory.tool.project_id)
    on_s3 = {"LOREMARK_BLOBS_URL": f"s3://{BUCKET}/loremark", "LOREMARK_S3_ENDPOINT": bucket.endpoint}
    folder, second = tmp_path / "backup", tmp_path / "second"
    await backup.back_up(service.settings, folder)
    there = _elsewhere(tmp_path, "sqlite", **on_s3)
    await backup.restore(there, folder)
    assert bucket.keys(f"loremark/{memory.tool.project_id}/")
    assert (await _read_all(there, memory))[0] == before
    await backup.back_up(there, second)
    assert _names(second / "blobs") == _names(folder / "blobs")


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
