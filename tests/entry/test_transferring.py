"""The operator carries a project by a file, and makes a backup that Loremark can start from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from loremark.base.settings import SettingsError
from loremark.entry import transferring
from tests.features.carried import export, rich_project
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio


async def test_a_project_goes_through_a_file(service: Service, tmp_path: Path) -> None:
    memory = await rich_project(service)
    project, file = memory.tool.project_id, tmp_path / "out.jsonl"
    assert "out.jsonl" in await transferring.export_to(service.settings, project, file)
    assert file.read_bytes() == await export(memory.owner, project)
    assert file.stat().st_mode & 0o777 == 0o600
    there = await memory.owner.create_project("Empty")
    rehearsed = await transferring.import_from(service.settings, file, there, dry_run=True)
    done = await transferring.import_from(service.settings, file, there)
    assert done.created == rehearsed.created
    assert await export(memory.owner, there) == file.read_bytes()
    again = await transferring.import_from(service.settings, file, there)
    assert (again.created.items, again.skipped) == (0, done.created)
    with pytest.raises(SettingsError, match="There is no project"):
        await transferring.export_to(service.settings, "prj_none", None)
    file.write_bytes(file.read_bytes() + b'{"loremark": "cake"}\n')
    with pytest.raises(SettingsError, match=r"line [0-9]+: loremark has a value"):
        await transferring.import_from(service.settings, file, there)


async def test_a_backup_is_made_while_serving_and_can_be_served(service: Service, tmp_path: Path) -> None:
    memory = await rich_project(service)
    before = await export(memory.owner, memory.tool.project_id)
    folder = tmp_path / "backup"
    told = await transferring.backup(service.settings, folder)
    with pytest.raises(SettingsError, match="is not empty"):
        await transferring.backup(service.settings, folder)
    assert any((folder / "blobs" / memory.tool.project_id).iterdir())
    assert (folder / "keys" / "encryption.key").stat().st_mode & 0o777 == 0o600
    if not service.settings.on_sqlite:
        assert told[0].startswith("Run: pg_dump --format=custom --file=")
        return
    await memory.tell({"late": True})
    async with run_service(settings_for(folder, "")) as copied:
        answer = await copied.http.get(
            f"/api/v2/export?projectId={memory.tool.project_id}",
            headers={"Authorization": f"Bearer {memory.owner.key}"},
        )
    assert answer.content == before
    assert json.loads(before.splitlines()[-1])["events"] == 3
    shutil.rmtree(service.settings.data_dir / "blobs" / memory.tool.project_id)
    with pytest.raises(SettingsError, match="large texts are missing"):
        await transferring.backup(service.settings, tmp_path / "second")
