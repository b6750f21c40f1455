"""A team's first day, from the first account to a key that a removed colleague can no longer use."""

from __future__ import annotations

import asyncio
import email
import email.policy
import re
from pathlib import Path

import pytest

from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio


async def _mail_to(folder: Path, address: str) -> str:
    """Wait for an email to an address and return its text."""
    async with asyncio.timeout(60):
        while True:
            for path in sorted((folder / "mail").glob("*.eml"), reverse=True):
                message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
                if message["To"] == address:
                    body = message.get_body()
                    assert body is not None
                    return str(body.get_content())
            await asyncio.sleep(0.02)


@pytest.mark.own_service
async def test_from_the_first_account_to_a_removed_colleague(service: Service, tmp_path: Path) -> None:
    registered = await service.http.post(
        "/api/auth/register",
        json={
            "email": "Ada@Example.com",
            "password": PASSWORD,
            "name": "Ada",
            "teamName": "Engine",
        },
    )
    assert registered.status_code == 201
    assert registered.json()["role"] == "owner"
    cookie = registered.headers["set-cookie"]
    assert [part in cookie for part in ("HttpOnly", "SameSite=Lax", "Secure")] == [True, True, False]  # loopback
    ada = dict(registered.cookies)
    service.http.cookies.clear()

    second = await service.http.post(
        "/api/auth/register", json={"email": "eve@example.com", "password": PASSWORD, "name": "Eve"}
    )
    assert (second.status_code, second.json()) == (403, {"error": "Registration is by invitation only"})

    key = (await service.browser_call("POST", "/api/keys", ada, json={"name": "laptop"})).json()["key"]
    assert key.startswith("service_sk_")
    bearer = {"Authorization": f"Bearer {key}"}
    project = (await service.http.post("/api/projects", json={"name": "Engine"}, headers=bearer)).json()["id"]

    invited = await service.http.post(
        f"/api/projects/{project}/members", json={"email": "bob@example.com"}, headers=bearer
    )
    assert (invited.status_code, invited.json()["status"]) == (201, "invited")
    found = re.search(r"token=(\S+)", await _mail_to(tmp_path, "bob@example.com"))
    assert found is not None
    accepted = await service.http.post(
        "/api/team/invitations/accept", json={"token": found[1], "name": "Bob", "password": PASSWORD}
    )
    assert (accepted.status_code, accepted.json()["status"]) == (200, "active")
    bob = dict(accepted.cookies)
    service.http.cookies.clear()
    again = await service.http.post("/api/team/invitations/accept", json={"token": found[1], "password": PASSWORD})
    assert (again.status_code, again.json()) == (400, {"error": "Invitation is invalid or expired"})

    seen = await service.browser_call("GET", "/api/projects", bob)
    assert [entry["id"] for entry in seen.json()] == [project]
    bobs_key = (await service.browser_call("POST", "/api/keys", bob, json={"name": "bob"})).json()["key"]

    removed = await service.http.delete(f"/api/team/{accepted.json()['id']}", headers=bearer)
    assert removed.status_code == 204
    for answer in (
        await service.browser_call("GET", "/api/projects", bob),
        await service.http.get("/api/projects", headers={"Authorization": f"Bearer {bobs_key}"}),
    ):
        assert (answer.status_code, answer.json()) == (
            401,
            {"error": "Invalid or missing authentication credentials"},
        )

    log = (await service.http.get("/api/audit", headers=bearer)).json()
    assert [entry["action"] for entry in log][:5] == [
        "team.member_removed",
        "key.created",
        "project.member_added",
        "team.member_joined",
        "team.member_invited",
    ]
