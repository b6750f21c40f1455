"""This version opens the data of every release: as a data folder, and as a backup restored on either engine."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from loremark.base.settings import Settings
from loremark.entry import backup
from loremark.storage import schema
from tests.features.exported_project import decode_lines, export
from tests.support import databases
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for
from tests.upgrade.record import RELEASES, unpack

pytestmark = pytest.mark.anyio

FOLDERS = sorted(RELEASES.iterdir())


@pytest.mark.parametrize("release", FOLDERS, ids=lambda folder: folder.name)
async def test_data_folder_of_a_release(release: Path, tmp_path: Path) -> None:
    unpack(release, tmp_path)
    settings = settings_for(tmp_path, "")
    about = json.loads((release / "about.json").read_text())
    assert await schema.version(settings.sqlite_path) == about["schema"]
    await schema.migrate(settings.sqlite_path)
    await _check(settings, release)


@pytest.mark.parametrize("release", FOLDERS, ids=lambda folder: folder.name)
async def test_backup_of_a_release(release: Path, engine: str, tmp_path: Path) -> None:
    folder, there = tmp_path / "backup", tmp_path / "there"
    for each in (folder, there):
        each.mkdir()
    unpack(release, folder)
    settings = settings_for(there, "" if engine == "sqlite" else databases.fresh(engine, there))
    await backup.restore(settings, folder)
    await _check(settings, release)


async def _check(settings: Settings, release: Path) -> None:
    """Everything is there, readable with the old credentials, and can be worked with."""
    about = json.loads((release / "about.json").read_text())
    project = about["projectId"]
    async with run_service(settings) as service:
        owner = Person(service.http, key=about["apiKey"])
        before = decode_lines(gzip.decompress((release / "export.jsonl.gz").read_bytes()))
        after = decode_lines(await export(owner, project))
        assert len(before) == len(after)
        for old, new in zip(before, after, strict=True):
            assert _is_part(old, new), f"{old}\n{new}"
        assert (await owner.get(f"/api/projects/{project}/hmac-secret")).json() == about["secret"], "secrets open"
        login = {"email": about["email"], "password": about["password"], "teamId": None}
        assert (await service.http.post("/api/auth/login", json=login)).status_code == 200
        service.http.cookies.clear()
        await _work(service, owner, project)


async def _work(service: Service, owner: Person, project: str) -> None:
    """Search the old memory, and add to it."""
    found = await owner.get(f"/api/v2/search?projectId={project}&q=where+are+sessions+kept")
    assert "Redis" in found.json()["results"][0]["title"]
    change = {"category": "decision", "title": "Logs in JSON", "content": "Logs are JSON because we search them."}
    event = {"projectId": project, "event": "session_save", "payload": {"changes": [change]}}
    session = (await owner.post("/api/v2/events", event)).json()["sessionId"]
    assert (await owner.post(f"/api/v2/sessions/{session}/enrich")).status_code == 202
    await service.wait_for_jobs()
    titles = [item["title"] for item in (await owner.get(f"/api/v2/items?projectId={project}")).json()]
    assert "Logs in JSON" in titles


def _is_part(old: Any, new: Any) -> bool:
    """Whether everything in an old value is in the new one, which may have more fields."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and _is_part(value, new[name]) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_is_part, old, new))
    return bool(old == new)
