"""Repository copies are removed from disk when no project needs them."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from loremark.base import clock
from loremark.base.settings import Settings
from loremark.entry.runtime import open_runtime
from loremark.features.projects.repository_cleanup import CopyCleaner
from loremark.ports.git.remote import mirror_name
from loremark.ports.git.repository import Repositories
from loremark.ports.outbound.guard import Guard
from loremark.storage.tables import projects
from tests.features.memory_project import Memory
from tests.features.scan_project import REPOSITORY, ScanProject, create_scan_project, scan_settings, serve_shop
from tests.servers.git import Commit, GitServer, make_repository
from tests.servers.https import Authority
from tests.support import databases
from tests.support.service import Service, run_service

pytestmark = pytest.mark.anyio

_NUMBERS = itertools.count()
OLD, NEW = "ghp_anOldToken0123456789", "ghp_aNewToken0123456789"


@pytest.fixture
def server(authority: Authority, tmp_path: Path) -> Iterator[GitServer]:
    with GitServer(authority, tmp_path / "served") as running:
        yield running


@pytest.fixture
def settings(server: GitServer, authority: Authority, database_url: str, tmp_path: Path) -> Settings:
    return scan_settings(server, authority, database_url, tmp_path)


@pytest.fixture
async def service(settings: Settings) -> AsyncIterator[Service]:
    async with run_service(settings) as running:
        yield running


@pytest.fixture
def sha(server: GitServer) -> str:
    return serve_shop(server)[0]


def _copies(folder: Path, url: str) -> set[str]:
    """All copies of a repository by kind and reader, including empty folders and locks."""
    found = set()
    for directory in folder.glob(f"{mirror_name(url)}*"):
        try:
            names = os.listdir(directory)
        except (FileNotFoundError, NotADirectoryError):  # removed meanwhile, or a lock
            names = []
        found |= {f"{directory.name[32:]}/{name.split('.')[0]}" for name in names}
    return found or {path.name for path in folder.glob(f"{mirror_name(url)}*")}


def _folder(settings: Settings) -> Path:
    return settings.cache_dir / "repositories"


async def _wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


async def _read(memory: Memory, sha: str) -> None:
    """Create both kinds of copies with a digest and a scan."""
    assert isinstance(memory, ScanProject)
    branch = f"main-{next(_NUMBERS)}"  # known commits are not read again
    job = await memory.learn({"branch": branch, "commits": [{"sha": sha}]}, "git_digest")
    assert (job["status"], job.get("warning")) == ("completed", None)
    assert (await memory.scan())["phase"] == "complete"
    await memory.service.wait_for_jobs()


async def _change(memory: Memory, **change: str | bool | None) -> None:
    changed = await memory.owner.patch(f"/api/projects/{memory.tool.project_id}", change)
    assert changed.status_code == 200, changed.text


async def _delete(memory: Memory) -> None:
    deleted = await memory.owner.delete(f"/api/projects/{memory.tool.project_id}")
    assert deleted.status_code == 204, deleted.text
    await memory.service.wait_for_jobs()


async def test_copies_are_removed_with_their_last_project(service: Service, server: GitServer, sha: str) -> None:
    url, folder = server.url(REPOSITORY), _folder(service.settings)
    one = await create_scan_project(service, url, repoHostToken=OLD, deepEnrichEnabled=True)
    same_repository = await create_scan_project(service, url + "/", repoHostToken=OLD)
    other = await create_scan_project(service, url, repoHostToken=NEW, deepEnrichEnabled=True)
    await _read(one, sha)
    shared = _copies(folder, url)
    await _read(other, sha)
    assert (len(shared), len(_copies(folder, url))) == (2, 4)

    await _delete(one)
    assert len(_copies(folder, url)) == 4  # another team reads with the same token
    await _delete(other)
    assert _copies(folder, url) == shared
    await _delete(same_repository)
    assert _copies(folder, url) == set()
    assert not list(folder.rglob("*.pack"))


@pytest.mark.nightly
async def test_changed_token_or_url_removes_old_copies(service: Service, server: GitServer, sha: str) -> None:
    url, folder = server.url(REPOSITORY), _folder(service.settings)
    memory = await create_scan_project(service, url, repoHostToken=OLD, deepEnrichEnabled=True)
    await _read(memory, sha)
    old = _copies(folder, url)
    await _change(memory, name="Other")
    await _change(memory, repoHostToken=NEW)
    await _wait_until(lambda: not _copies(folder, url))
    await _read(memory, sha)
    new = _copies(folder, url)
    assert (len(old), len(new), old & new) == (2, 2, set())
    await _change(memory, repoHostToken=NEW, repoUrl=url + "/")  # the same repository, written differently
    await _change(memory, repoHostToken=None)
    await _wait_until(lambda: not _copies(folder, url))
    await _read(memory, sha)
    await _change(memory, repoUrl=server.url("o/elsewhere"))
    await _wait_until(lambda: not _copies(folder, url))
    await _change(memory, repoUrl=url)
    await _read(memory, sha)
    await _change(memory, disconnectRepoHost=True)
    await _wait_until(lambda: not _copies(folder, url))


async def test_copies_left_by_a_killed_process_are_removed_at_startup(
    settings: Settings, server: GitServer, sha: str
) -> None:
    url, folder = server.url(REPOSITORY), _folder(settings)
    async with run_service(settings) as service:
        memory = await create_scan_project(service, url, deepEnrichEnabled=True)
        await _read(memory, sha)
    async with run_service(settings) as service:
        await asyncio.sleep(0.3)
        assert len(_copies(folder, url)) == 2
    async with open_runtime(settings) as runtime, runtime.database.write() as tx:  # crash right after the commit
        await tx.run(
            update(projects)
            .where(projects.c.id == memory.tool.project_id)
            .values(repo_url=None, repo_token_sealed=None)
        )
    assert len(_copies(folder, url)) == 2
    async with run_service(settings):
        await _wait_until(lambda: not _copies(folder, url))


async def test_old_copies_are_removed_unless_in_use(
    service: Service, server: GitServer, authority: Authority, sha: str
) -> None:
    url, folder = server.url(REPOSITORY), _folder(service.settings)
    memory = await create_scan_project(service, url, deepEnrichEnabled=True)
    await _read(memory, sha)
    runtime = service.runtime
    guard = Guard(("127.0.0.0/8",))
    reader = Repositories(folder, guard, owner=runtime.sealer.fingerprint, ca_file=str(authority.ca_file))
    cleaner = CopyCleaner(runtime.database, reader.mirrors, runtime.sealer)
    assert await cleaner.clean_up()
    assert len(_copies(folder, url)) == 2
    week_ago = clock.now_ms() / 1000 - 8 * 86_400
    for path in folder.glob(f"{mirror_name(url)}*/*.git"):
        os.utime(path, (week_ago, week_ago))
    async with reader.snapshot(url, None) as snapshot:
        assert await cleaner.clean_up()
        assert len(_copies(folder, url)) == 1  # a running scan keeps its copy
        assert len(await snapshot.entries()) > 1
    silent = server.url("silent/shop")
    await _change(memory, repoUrl=silent)
    await _wait_until(lambda: not _copies(folder, url))
    make_repository(server.root / "shop", [Commit(b"one", {b"a": b"1\n"})])
    fetching = asyncio.create_task(reader.commits(silent, None, [sha]))
    assert await asyncio.to_thread(server.went_silent.wait, 10.0)
    await _delete(memory)  # the deletion does not block on it
    assert len(_copies(folder, silent)) == 1
    server.hang_up()
    await asyncio.gather(fetching, return_exceptions=True)
    assert await cleaner.clean_up()
    assert _copies(folder, silent) == set()
    await guard.close()


async def test_other_machines_remove_their_copies(
    server: GitServer, authority: Authority, tmp_path: Path, sha: str
) -> None:
    here = scan_settings(server, authority, databases.fresh_postgres(), tmp_path)
    other_machine = dataclasses.replace(here, cache_dir=tmp_path / "there")
    url, folders = server.url(REPOSITORY), (_folder(here), _folder(other_machine))
    async with run_service(here) as service, run_service(other_machine):
        memory = await create_scan_project(service, url, repoHostToken=OLD)
        guard, owner = Guard(("127.0.0.0/8",)), service.runtime.sealer.fingerprint
        readers = [Repositories(folder, guard, owner=owner, ca_file=str(authority.ca_file)) for folder in folders]
        for reader in readers:
            assert len(await reader.commits(url, OLD, [sha])) == 1
        await _change(memory, repoHostToken=NEW)
        await _wait_until(lambda: not any(_copies(folder, url) for folder in folders))
        for reader in readers:
            assert len(await reader.commits(url, NEW, [sha])) == 1
        await _delete(memory)
        await _wait_until(lambda: not any(_copies(folder, url) for folder in folders))
        await guard.close()
