"""Signing in through the database of a server that this user runs."""

from __future__ import annotations

import re

import httpx

from loremark.base.settings import load
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
