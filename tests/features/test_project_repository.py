"""A project's repository URL and its write-only token."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from loremark.features.projects.repository import token_context
from loremark.storage.tables import projects
from tests.features.steps import raw_database, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

TOKEN = "ghp_ThisTokenMustNeverBeSeenAgain0123456789"
BAD_URL = (400, {"error": "repoUrl must have the form https://<repo_host>/<owner>/<repo>"})

REFUSED = [
    "",
    "github.com/owner/repo",
    "http://github.com/owner/repo",
    "ssh://git@github.com/owner/repo",
    "git@github.com:owner/repo",
    "file:///etc/passwd",
    "https://github.com",
    "https://github.com/owner",
    "https://github.com/owner/",
    "https://github.com//repo",
    "https://github.com/owner/repo/tree/main",
    "https://github.com/owner/repo?token=x",
    "https://github.com/owner/repo#readme",
    "https://github.com:8443/owner/repo",
    "https://user@github.com/owner/repo",
    "https://user:secret@github.com/owner/repo",
    "https://github.com@evil.org/owner/repo",
    "https://evil.org/github.com/repo",
    "https://evil.org\\@github.com/owner/repo",
    "https://github.com\\@evil.org/owner/repo",
    "https://github.com.evil.org/owner/repo",
    "https://evilgithub.com/owner/repo",
    "https://sub.github.com/owner/repo",
    "https://gıthub.com/owner/repo",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/owner/repo",
    "https://github.com/../repo",
    "https://github.com/owner/..",
    "https://github.com/./repo",
    "https://github.com/%2e%2e/repo",
    "https://github.com/owner/re po",
    "https://github.com/owner/repo\n",
    " https://github.com/owner/repo",
    "https://github.com/owner/repo\r\nHost: evil.org",
    "https://github.com/-owner/repo",
    "https://github.com/owner/--upload-pack=x",
]
ACCEPTED = {
    "https://github.com/owner/repo": "owner",
    "https://github.com/owner/repo.git": "owner",
    "https://GitHub.com/Owner/Repo_1-x": "Owner",
    "https://gitlab.com/some-group/repo/": "some-group",
    "https://bitbucket.org/a/b": "a",
    "https://git.intern.example:8443/team/.github": "team",
}


def _repository(project: dict[str, Any]) -> tuple[Any, ...]:
    names = ("repoUrl", "repoHostUsername", "repoAuthMethod", "hasRepoHostToken")
    return tuple(project[name] for name in names)


async def _change(person: Person, path: str, **change: Any) -> tuple[Any, ...]:
    answer = await person.patch(path, change)
    assert answer.status_code == 200, answer.text
    [entry] = (await person.get("/api/projects")).json()
    assert _repository(entry) == _repository(answer.json())
    return _repository(entry)


@pytest.mark.settings(LOREMARK_REPO_HOSTS="github.com,gitlab.com,bitbucket.org,git.intern.example:8443")
async def test_repo_url_must_match_an_allowed_host(service: Service) -> None:
    owner = await service.owner()
    path = f"/api/projects/{await owner.create_project()}"
    for url in REFUSED:
        assert status_and_body(await owner.patch(path, {"repoUrl": url, "name": "Half"})) == BAD_URL, url
    long = "https://github.com/owner/" + "r" * 500
    assert status_and_body(await owner.patch(path, {"repoUrl": long})) == (
        400,
        {"error": "repoUrl must have at most 500 characters"},
    )
    assert status_and_body(await owner.patch(path, {"repoUrl": 7})) == (
        400,
        {"error": "repoUrl must be a string or null"},
    )
    [entry] = (await owner.get("/api/projects")).json()
    assert (entry["name"], entry["repoUrl"]) == ("Loremark", None)
    for url, name in ACCEPTED.items():
        assert await _change(owner, path, repoUrl=url) == (url, name, "public", False)


async def test_token_is_kept_replaced_and_cleared(service: Service) -> None:
    owner = await service.owner()
    path = f"/api/projects/{await owner.create_project()}"
    disconnected = (None, None, None, False)
    one, two = "https://github.com/owner/one", "https://github.com/owner/two"
    other_host = "https://gitlab.com/owner/one"

    assert await _change(owner, path, repoUrl=one, repoHostToken=TOKEN) == (one, "owner", "token", True)
    assert await _change(owner, path, name="Other") == (one, "owner", "token", True)
    for same in ("https://github.com/Owner/One/", "https://github.com/owner/one.git", one):
        assert await _change(owner, path, repoUrl=same) == (same, same.split("/")[3], "token", True)
    assert await _change(owner, path, repoUrl=two) == (two, "owner", "public", False)  # the token may open this one too
    assert await _change(owner, path, repoHostToken=TOKEN) == (two, "owner", "token", True)
    assert await _change(owner, path, repoUrl=other_host) == (other_host, "owner", "public", False)
    assert await _change(owner, path, repoHostToken=TOKEN) == (other_host, "owner", "token", True)
    assert await _change(owner, path, repoUrl=one, repoHostToken=TOKEN) == (one, "owner", "token", True)
    assert await _change(owner, path, repoHostToken=None) == (one, "owner", "public", False)
    assert await _change(owner, path, repoHostToken=TOKEN) == (one, "owner", "token", True)
    assert await _change(owner, path, repoUrl=None) == disconnected
    assert await _change(owner, path, repoUrl=other_host) == (other_host, "owner", "public", False)
    assert await _change(owner, path, repoUrl=one, repoHostToken=TOKEN) == (one, "owner", "token", True)
    assert await _change(owner, path, disconnectRepoHost=True) == disconnected
    assert await _change(owner, path, repoHostToken=TOKEN) == (None, None, "token", True)
    assert await _change(owner, path, disconnectRepoHost=True) == disconnected
    assert await _change(owner, path, disconnectRepoHost=True, repoUrl=one, repoHostToken=TOKEN) == disconnected

    for token, message in (
        ("", "repoHostToken must not be empty"),
        ("x" * 1001, "repoHostToken must have at most 1000 characters"),
        ("two words", "repoHostToken has an invalid format"),
        ("line\nbreak", "repoHostToken has an invalid format"),
        (7, "repoHostToken must be a string or null"),
    ):
        refused = await owner.patch(path, {"repoUrl": one, "repoHostToken": token})
        assert status_and_body(refused) == (400, {"error": message})
    assert _repository((await owner.get("/api/projects")).json()[0]) == disconnected


async def test_token_is_stored_encrypted_and_never_returned(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    path = f"/api/projects/{project}"
    change = {"repoUrl": "https://github.com/owner/one", "repoHostToken": TOKEN}
    answers = [await owner.patch(path, change)]
    answers += [await owner.get(route) for route in ("/api/projects", path, f"{path}/members", "/api/audit")]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert not [answer.text for answer in answers if TOKEN in answer.text]

    async with service.runtime.database.read() as tx:
        row = await tx.one(select(projects.c.repo_token_sealed).where(projects.c.id == project))
    assert row is not None
    sealed = row["repo_token_sealed"]
    assert service.runtime.sealer.open(sealed, token_context(project)) == TOKEN
    raw = await raw_database(service)
    assert sealed.encode() in raw  # proves that the dump contains the project
    assert TOKEN.encode() not in raw

    assert (await owner.patch(path, {"disconnectRepoHost": True})).status_code == 200
    async with service.runtime.database.read() as tx:
        row = await tx.one(select(projects.c.repo_token_sealed).where(projects.c.id == project))
    assert row is not None
    assert row["repo_token_sealed"] is None
