"""``loremark admin`` export and import."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loremark.base.settings import SettingsError
from loremark.entry import transfer
from loremark.wire.transfer import CHUNK_LINES
from tests.features.exported_project import create_full_project, export
from tests.support.service import Service

pytestmark = pytest.mark.anyio


async def test_export_writes_into_no_file_that_somebody_put_there(service: Service, tmp_path: Path) -> None:
    memory = await create_full_project(service)
    theirs = tmp_path / "theirs"
    theirs.write_text("kept")
    (tmp_path / f".out.jsonl.{os.getpid()}.part").symlink_to(theirs)
    await transfer.export_to(service.settings, memory.tool.project_id, tmp_path / "out.jsonl")
    assert theirs.read_text() == "kept"
    assert not (tmp_path / "out.jsonl").is_symlink()


async def test_export_and_import(service: Service, tmp_path: Path) -> None:
    memory = await create_full_project(service)
    project, file = memory.tool.project_id, tmp_path / "out.jsonl"
    assert "out.jsonl" in await transfer.export_to(service.settings, project, file)
    assert file.read_bytes() == await export(memory.owner, project)
    assert file.stat().st_mode & 0o777 == 0o600
    there = await memory.owner.create_project("Empty")
    preview = await transfer.import_from(service.settings, file, there, dry_run=True)
    done = await transfer.import_from(service.settings, file, there, keep_reviews=True)
    assert done.created == preview.created
    assert await export(memory.owner, there) == file.read_bytes()
    again = await transfer.import_from(service.settings, file, there)
    assert (again.created.items, again.skipped) == (0, done.created)
    with pytest.raises(SettingsError, match="No project"):
        await transfer.export_to(service.settings, "prj_none", None)
    file.write_bytes(file.read_bytes() + b'{"loremark": "cake"}\n')
    with pytest.raises(SettingsError, match=r"line [0-9]+: loremark has an unknown value"):
        await transfer.import_from(service.settings, file, there)
    file.write_bytes(b"\n" * CHUNK_LINES + b'{"loremark": "cake"}\n')
    with pytest.raises(SettingsError, match=r"^line 20001: loremark has an unknown value"):
        await transfer.import_from(service.settings, file, there)
