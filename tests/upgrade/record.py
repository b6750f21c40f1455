"""Record the data of this version for the upgrade test: ``python -m tests.upgrade.record``, once for each release.

Writes a folder named after the version: a backup whose database is an SQL script, so that it is small and readable,
what the project's export looked like, and the key that could read it.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import sqlite3
import tempfile
import tomllib
from contextlib import closing
from pathlib import Path

from loremark.entry import backup
from loremark.storage import schema
from tests.features.exported_project import create_full_project, export
from tests.support.service import PASSWORD, run_service, settings_for

RELEASES = Path(__file__).parent / "releases"
_DATABASE = "loremark.db"
_SCRIPT = "loremark.sql.gz"


async def record(folder: Path) -> None:
    """Fill a new server with every kind of record, and back it up to this folder."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        settings = settings_for(data, "")
        await schema.migrate(settings.sqlite_path)
        async with run_service(settings) as service:
            memory = await create_full_project(service)
            owner, project = memory.owner, memory.tool.project_id
            member = await service.join(owner)
            hook = {"url": "https://hooks.example.com/loremark", "events": ["item.created"], "projectId": project}
            created = await owner.post("/api/webhooks", hook)
            assert created.status_code == 201, created.text
            off = await owner.patch(f"/api/webhooks/{created.json()['id']}", {"status": "disabled"})
            assert off.status_code == 200, off.text
            await service.wait_for_jobs()
            exported = await export(owner, project)
            secret = (await owner.get(f"/api/projects/{project}/hmac-secret")).json()
            await backup.back_up(settings, folder)
    _to_script(folder)
    (folder / "export.jsonl.gz").write_bytes(gzip.compress(exported, mtime=0))
    about = {
        "schema": schema.HEAD,
        "projectId": project,
        "apiKey": owner.key,
        "email": member.email,
        "password": PASSWORD,
        "secret": secret,
    }
    (folder / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _to_script(folder: Path) -> None:
    with closing(sqlite3.connect(folder / _DATABASE)) as file:
        script = "\n".join(file.iterdump())
    (folder / _DATABASE).unlink()
    (folder / _SCRIPT).write_bytes(gzip.compress(script.encode(), mtime=0))


def unpack(release: Path, folder: Path) -> None:
    """Write a recorded release as the backup it was."""
    shutil.copytree(release / "keys", folder / "keys")
    shutil.copytree(release / "blobs", folder / "blobs")
    script = gzip.decompress((release / _SCRIPT).read_bytes()).decode()
    with closing(sqlite3.connect(folder / _DATABASE)) as file:
        file.executescript(script)


def main() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = RELEASES / project["version"]
    shutil.rmtree(folder, ignore_errors=True)
    asyncio.run(record(folder))
    print(f"recorded {folder} with schema {schema.HEAD}")


if __name__ == "__main__":
    main()
