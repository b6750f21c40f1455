"""Signing in through the database of a server that this user runs."""

from __future__ import annotations

import re

import httpx
import pytest

from loremark.base.settings import load
from loremark.entry.admin import own_signin_link
from loremark.entry.local_sign_in import create_key
from loremark.entry.server import run
from tests.entry.owner import make_owner
from tests.support.processes import Loremark


def _me(url: str, **headers: str) -> dict[str, object]:
    answer = httpx.get(f"{url}/api/auth/me", headers=headers, verify=False)
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def test_the_first_key_creates_the_owner_and_keeps_the_printed_link(loremark: Loremark) -> None:
    with loremark.start() as process:
        process.wait_ready()
        settings = load(loremark.environment(process.port))
        keys = [run(create_key(settings, "loremark on a laptop")) for _ in range(2)]
        owners = [_me(process.url, Authorization=f"Bearer {key}") for key in keys]
        assert {(owner["role"], owner["email"]) for owner in owners} == {("owner", "owner@localhost")}
        assert owners[0]["userId"] == owners[1]["userId"], "the same owner again"
        (link,) = re.findall(r"http://\S+/signin\?token=\S+", process.output)
        cookie = httpx.get(link, verify=False).cookies["loremark_login"]
        assert _me(process.url, Cookie=f"loremark_login={cookie}")["userId"] == owners[0]["userId"]
        listed = httpx.get(f"{process.url}/api/keys", headers={"Authorization": f"Bearer {keys[0]}"}, verify=False)
        assert [key["name"] for key in listed.json()] == ["loremark on a laptop"] * 2
        log = httpx.get(f"{process.url}/api/audit/export", headers={"Authorization": f"Bearer {keys[0]}"}, verify=False)
        assert "operator" in log.text


def test_an_owner_who_exists_gets_the_key(loremark: Loremark) -> None:
    owner = make_owner(loremark)
    with loremark.start() as process:
        process.wait_ready()
        key = run(create_key(load(loremark.environment(process.port)), "loremark on a laptop"))
        assert _me(process.url, Authorization=f"Bearer {key}")["userId"] == owner["userId"]


_FIRST = {"email": "ada@example.com", "password": "correct horse battery", "name": "Ada"}


def test_a_first_account_registered_without_the_link_is_not_the_operators(loremark: Loremark) -> None:
    """Any user of this machine may have registered it."""
    with loremark.start() as process:
        process.wait_ready()
        settings = load(loremark.environment(process.port))
        assert httpx.post(f"{process.url}/api/auth/register", json=_FIRST, verify=False).status_code == 201
        with pytest.raises(ValueError, match="registered its first account without the printed link"):
            run(create_key(settings, "loremark on a laptop"))
        assert run(own_signin_link(settings)) is None
        owner = make_owner(loremark)
        key = run(create_key(settings, "loremark on a laptop"))
        assert _me(process.url, Authorization=f"Bearer {key}")["userId"] == owner["userId"], "the operator's own"
        link = run(own_signin_link(settings))
        assert link is not None
        assert link.email == "owner@example.com"


def test_a_first_account_registered_with_the_link_is_the_operators(loremark: Loremark) -> None:
    with loremark.start() as process:
        process.wait_ready()
        (token,) = re.findall(r"/signin\?token=(\S+)", process.output)
        given = httpx.post(f"{process.url}/api/auth/register", json={**_FIRST, "setupToken": token}, verify=False)
        assert given.status_code == 201
        key = run(create_key(load(loremark.environment(process.port)), "loremark on a laptop"))
        assert _me(process.url, Authorization=f"Bearer {key}")["email"] == "ada@example.com"
