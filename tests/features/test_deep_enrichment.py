"""Deep enrichment: a digest with only commit ids is completed from the repository."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.features.memory_project import Memory
from tests.servers.git import Commit, GitServer, add_commits, make_repository
from tests.servers.https import Authority
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-the-host"
MESSAGE = (
    b"fix(ledger): round half to even\n\nTotals drifted by a cent because every line was rounded up. "
    b"Rounding now happens once, on the sum.\n"
)


@pytest.fixture
def server(authority: Authority, tmp_path: Path) -> Iterator[GitServer]:
    with GitServer(authority, tmp_path / "served", token=TOKEN) as running:
        yield running


@pytest.fixture
async def service(server: GitServer, authority: Authority, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A service that may read from the git server on loopback."""
    host = server.url("o/r").removeprefix("https://").partition("/")[0]
    overrides = {
        "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8",
        "LOREMARK_CA_FILE": str(authority.ca_file),
        "LOREMARK_REPO_HOSTS": host,
        "LOREMARK_CACHE_DIR": str(tmp_path / "cache"),
    }
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running


@pytest.fixture
def commit(server: GitServer) -> str:
    make_repository(server.root / "o/r", [])
    (sha,) = add_commits(server.root / "o/r", [Commit(MESSAGE, {b"src/ledger/totals.py": b"def total():\n    ...\n"})])
    return sha


@pytest.mark.parametrize("deep", [True, False])
async def test_commit_details_are_read_from_the_repository(
    service: Service, server: GitServer, commit: str, deep: bool
) -> None:
    url = server.url("o/r")
    memory = await Memory.of(service, repoUrl=url, repoHostToken=TOKEN, deepEnrichEnabled=deep)
    job = await memory.learn({"branch": "main", "commits": [{"sha": commit}]}, "git_digest")
    assert job["status"] == "completed"
    items = await memory.items()
    if not deep:
        assert (items, server.fetches()) == ([], 0)
        return
    (item,) = items
    assert item["type"] == "bug"
    assert item["files"] == ["src/ledger/totals.py"]
    assert "rounded up" in item["content"]
    assert TOKEN not in str(job)


async def test_unreadable_repository_adds_a_warning_and_loses_nothing(
    service: Service, server: GitServer, commit: str
) -> None:
    memory = await Memory.of(service, repoUrl=server.url("o/r"), repoHostToken="wrong", deepEnrichEnabled=True)
    message = "fix(ledger): carry amounts as integer cents\n\nTotals were off by a cent each day because of floats."
    job = await memory.learn({"branch": "main", "commits": [{"sha": commit, "message": message}]}, "git_digest")
    assert job["status"] == "completed"
    assert "The repository host rejected the access token." in job["warning"]
    assert "wrong" not in job["warning"]
    (item,) = await memory.items()
    assert "cents" in item["title"]
