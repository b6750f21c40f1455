"""The audit log: every change is recorded once with its actor and origin, and never with secrets."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from loremark.base import clock, ids
from loremark.entry import pruning
from loremark.entry.application import ROUTES
from loremark.features.identity import store as people
from loremark.features.identity import totp
from loremark.storage.database import Row
from loremark.storage.tables import audit_entries
from tests.features.recurring_jobs import run_once_more
from tests.features.steps import FORBIDDEN, cookies_of, insert_rows, log_in, register, status_and_body
from tests.support.passkeys import Device
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

ADDRESS = "203.0.113.5"
CHANGES = {
    route.name for route in ROUTES if route.method != "GET" and route.group in ("auth", "team", "projects", "keys")
} - {
    "team.preview",  # a read; the token is in the body to keep it out of access logs
    "auth.start_totp",  # has no effect until it is confirmed
    "auth.passkey_options",  # nor has this
    "auth.passkey_sign_in_options",
}


@dataclass
class AuditChecker:
    """Checks the new entries after each step and collects mismatches."""

    service: Service
    steps: set[str] = field(default_factory=set)
    mismatches: list[str] = field(default_factory=list)

    async def _entries(self) -> dict[str, Row]:
        async with self.service.runtime.database.read() as tx:
            return {row["id"]: row for row in await tx.many(select(audit_entries))}

    async def step(
        self,
        route: str,
        action: str,
        auth_method: str,
        actor_id: str,
        perform: Callable[[dict[str, str]], Awaitable[httpx.Response]],
        *also: str,
    ) -> httpx.Response:
        """Perform one step, which must create exactly one entry with these values, and one for each of ``also``."""
        request_id = f"step-{len(self.steps):04d}-{route}"
        before = await self._entries()
        answer = await perform({"X-Request-Id": request_id, "X-Forwarded-For": ADDRESS})
        assert answer.status_code < 400, answer.text
        new = [row for key, row in (await self._entries()).items() if key not in before]
        self.steps.add(route)
        by = (auth_method, actor_id or answer.json()["userId"], ADDRESS, request_id)
        expected = [(each, *by) for each in (action, *also)]
        found = [
            (row["action"], row["auth_method"], row["actor_id"], row["ip_address"], row["request_id"]) for row in new
        ]
        if sorted(found) != sorted(expected):
            self.mismatches.append(f"{route}: expected {expected}, found {found}")
        return answer


@pytest.mark.settings(LOREMARK_TRUSTED_PROXIES="127.0.0.1/32")
async def test_every_authenticated_change_is_recorded_once(service: Service) -> None:
    owner = await service.owner()
    admin, member = await service.join(owner, "admin"), await service.join(owner)
    checker = AuditChecker(service)

    async def by_key(route: str, action: str, method: str, path: str, body: Any = None, *also: str) -> dict[str, Any]:
        answer = await checker.step(
            route, action, "key", admin.user_id, lambda headers: admin.call(method, path, body, headers=headers), *also
        )
        return answer.json() if answer.content else {}

    project = (await by_key("projects.create", "project.created", "POST", "/api/projects", {"name": "P"}))["id"]
    path = f"/api/projects/{project}"
    await by_key("projects.update", "project.updated", "PATCH", path, {"name": "Q", "status": "active"})
    body: dict[str, Any] = {"email": member.email}
    await by_key("projects.add_member", "project.member_added", "POST", f"{path}/members", body)
    body = {"userId": member.user_id}
    await by_key("projects.remove_member", "project.member_removed", "DELETE", f"{path}/members", body)
    body = {"email": "outsider@example.com"}
    invited = await by_key("projects.add_member", "team.member_invited", "POST", f"{path}/members", body)
    await by_key("projects.get_hmac_secret", "project.secret_read", "GET", f"{path}/hmac-secret")
    await by_key("projects.rotate_hmac_secret", "project.secret_rotated", "POST", f"{path}/hmac-secret/rotate")
    await by_key("team.remove", "team.invitation_revoked", "DELETE", f"/api/team/{invited['id']}")
    await by_key("team.invite", "team.member_invited", "POST", "/api/team", {"email": "x@example.com"})
    await by_key("team.update", "team.role_changed", "PATCH", f"/api/team/{member.member_id}", {"role": "admin"})
    removal = f"/api/team/{member.member_id}"
    await by_key("team.remove", "team.member_removed", "DELETE", removal, None, "project.secret_rotated")
    key = await by_key("keys.create", "key.created", "POST", "/api/keys", {"name": "k"})
    await by_key("keys.delete", "key.deleted", "DELETE", "/api/keys", {"keyId": key["id"]})
    await by_key("projects.delete", "project.deleted", "DELETE", path)
    assert checker.mismatches == []
    assert CHANGES - checker.steps == {
        "auth.register",
        "auth.login",
        "auth.logout",
        "auth.password",
        "auth.end_login",
        "auth.end_logins",
        "auth.confirm_totp",
        "auth.recovery_codes",
        "auth.end_two_factor",
        "auth.add_passkey",
        "auth.rename_passkey",
        "auth.remove_passkey",
        "auth.passkey_sign_in",
        "team.accept",
    }, "covered by the next test"
    await service.wait_for_jobs()


@pytest.mark.settings(LOREMARK_TRUSTED_PROXIES="127.0.0.1/32", LOREMARK_REGISTRATION="open")
async def test_every_account_action_is_recorded_once(service: Service) -> None:
    checker = AuditChecker(service)
    account = {"email": "rita@example.com", "password": PASSWORD, "name": "Rita"}

    async def post(
        path: str, body: Any, headers: dict[str, str], login: dict[str, str] | None = None
    ) -> httpx.Response:
        return await service.browser_call("POST", path, login or {}, json=body, headers=headers)

    registered = await checker.step(
        "auth.register", "team.created", "login", "", lambda headers: post("/api/auth/register", account, headers)
    )
    user_id = registered.json()["userId"]
    service.http.cookies.clear()
    signed_in = await checker.step(
        "auth.login", "login.created", "login", user_id, lambda headers: post("/api/auth/login", account, headers)
    )
    login = cookies_of(service, signed_in)
    change = {"currentPassword": PASSWORD, "newPassword": f"{PASSWORD} 2"}
    await checker.step(
        "auth.password",
        "password.changed",
        "login",
        user_id,
        lambda headers: post("/api/auth/password", change, headers, login),
    )
    invited = await service.browser_call("POST", "/api/team", login, json={"email": "sam@example.com"})
    acceptance = {"token": await service.invitation_token(invited.json()["id"]), "password": PASSWORD}
    await checker.step(
        "team.accept",
        "team.member_joined",
        "login",
        "",
        lambda headers: post("/api/team/invitations/accept", acceptance, headers),
    )
    service.http.cookies.clear()
    async with service.runtime.database.write() as tx:
        token = await people.create_link(tx, user_id)
    await checker.step(
        "dashboard.signin",
        "login.created",
        "login",
        user_id,
        lambda headers: service.http.get(f"/signin?token={token}", headers=headers),
    )
    service.http.cookies.clear()
    factor, password = "/api/auth/two-factor", f"{PASSWORD} 2"
    secret = (await post(f"{factor}/totp", {"password": password}, {}, login)).json()["secret"]
    app = {"code": totp.code_at(secret, clock.now_ms())}
    confirmed = await checker.step(
        "auth.confirm_totp",
        "two_factor.enabled",
        "login",
        user_id,
        lambda headers: post(f"{factor}/totp/confirm", app, headers, login),
    )
    proof = {"password": password, "code": confirmed.json()["codes"][0]}
    replaced = await checker.step(
        "auth.recovery_codes",
        "two_factor.recovery_codes_replaced",
        "login",
        user_id,
        lambda headers: post(f"{factor}/recovery-codes", proof, headers, login),
        "two_factor.recovery_code_used",
    )
    last = {"password": password, "code": replaced.json()["codes"][0]}
    await checker.step(
        "auth.end_two_factor",
        "two_factor.disabled",
        "login",
        user_id,
        lambda headers: service.browser_call("DELETE", factor, login, json=last, headers=headers),
        "two_factor.recovery_code_used",
    )
    passkeys, device = "/api/auth/passkeys", Device()
    options = (await post(f"{passkeys}/options", {"password": password}, {}, login)).json()["options"]
    new = {"name": "Laptop", "credential": device.create(options)}
    added = await checker.step(
        "auth.add_passkey", "passkey.added", "login", user_id, lambda headers: post(passkeys, new, headers, login)
    )
    options = (await post(f"{passkeys}/sign-in/options", None, {})).json()["options"]
    signed = {"credential": device.sign(options)}
    await checker.step(
        "auth.passkey_sign_in",
        "login.created",
        "login",
        user_id,
        lambda headers: post(f"{passkeys}/sign-in", signed, headers),
    )
    service.http.cookies.clear()
    passkey = f"{passkeys}/{added.json()['id']}"
    await checker.step(
        "auth.rename_passkey",
        "passkey.renamed",
        "login",
        user_id,
        lambda headers: service.browser_call("PATCH", passkey, login, json={"name": "Phone"}, headers=headers),
    )
    await checker.step(
        "auth.remove_passkey",
        "passkey.removed",
        "login",
        user_id,
        lambda headers: service.browser_call("DELETE", passkey, login, headers=headers),
    )
    for _ in range(2):  # removing a passkey has ended the others
        await log_in(service, "rita@example.com", password)
    current, *others = (await service.browser_call("GET", "/api/auth/logins", login)).json()[::-1]
    assert (current["current"], len(others)) == (True, 2)
    await checker.step(
        "auth.end_login",
        "login.revoked",
        "login",
        user_id,
        lambda headers: service.browser_call("DELETE", f"/api/auth/logins/{others[0]['id']}", login, headers=headers),
    )
    await checker.step(
        "auth.end_logins",
        "login.others_revoked",
        "login",
        user_id,
        lambda headers: service.browser_call("DELETE", "/api/auth/logins", login, headers=headers),
    )
    await checker.step(
        "auth.logout",
        "login.ended",
        "login",
        user_id,
        lambda headers: post("/api/auth/logout", None, headers, login),
    )
    assert checker.mismatches == []


async def test_refused_requests_are_not_recorded(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    project = await owner.create_project()
    before = (await owner.get("/api/audit")).json()
    for person, method, path, body in (
        (member, "POST", "/api/projects", {"name": "x"}),
        (member, "DELETE", f"/api/projects/{project}", None),
        (owner, "PATCH", f"/api/projects/{project}", {"repoUrl": "nonsense"}),
        (owner, "PATCH", f"/api/projects/{project}", {}),
        (owner, "DELETE", f"/api/projects/{project}/members", {"userId": owner.user_id}),
        (owner, "POST", "/api/team", {"email": member.email}),
        (owner, "DELETE", "/api/keys", {"keyId": "key_nothing"}),
    ):
        await person.call(method, path, body)
    assert (await owner.get("/api/audit")).json() == before


async def test_audit_log_filters_and_pagination(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    admin, member = await service.join(owner, "admin"), await service.join(owner)
    first, second = await owner.create_project("First"), await admin.create_project("Second")
    await owner.patch(f"/api/projects/{first}", {"name": "Renamed", "description": "d"})
    await stranger.create_project("Theirs")

    async def actions(person: Person, query: str = "") -> list[str]:
        return [entry["action"] for entry in (await person.get(f"/api/audit{query}")).json()]

    newest = (await admin.get("/api/audit?limit=1")).json()[0]
    assert sorted(newest) == ["action", "actor", "createdAt", "details", "id", "projectId", "requestId", "target"]
    assert (newest["action"], newest["target"], newest["projectId"]) == ("project.updated", first, first)
    assert newest["actor"] == {
        "userId": owner.user_id,
        "name": "Olga Owner",
        "authMethod": "key",
        "ipAddress": "127.0.0.1",
    }
    assert newest["details"] == {"fields": ["description", "name"]}
    assert await actions(owner, f"?projectId={first}") == ["project.updated", "project.created"]
    assert await actions(owner, "?action=project.created") == ["project.created"] * 2
    assert await actions(owner, f"?action=project.created&projectId={second}") == ["project.created"]
    assert await actions(owner, "?action=nothing") == []
    assert "project.created" in await actions(stranger)
    assert await actions(stranger, f"?projectId={first}") == []
    assert status_and_body(await member.get("/api/audit")) == FORBIDDEN
    assert (await service.anonymous.get("/api/audit")).status_code == 401

    await _insert_many_entries(service, owner)
    everything = [entry["id"] for entry in (await owner.get("/api/audit")).json()]
    assert len(everything) == 1000
    seen: list[str] = []
    path = "/api/audit?action=bulk&limit=201"
    while path:
        page = await owner.get(path)
        assert {entry["action"] for entry in page.json()} == {"bulk"}
        seen += [entry["id"] for entry in page.json()]
        cursor = page.headers.get("x-next-cursor")
        path = f"/api/audit?action=bulk&limit=201&cursor={cursor}" if cursor else ""
    assert len(seen) == len(set(seen)) == 1_005
    assert seen == sorted(seen, reverse=True)
    assert seen[:1000] == everything


async def _insert_many_entries(service: Service, owner: Person) -> None:
    shared = {
        "team_id": owner.team_id,
        "actor_id": owner.user_id,
        "actor_name": "",
        "auth_method": "key",
        "action": "bulk",
    }
    filler = {"target": "", "details": "{}", "ip_address": "", "request_id": "", "created_at_ms": 1}
    await insert_rows(service, audit_entries, [{"id": ids.new("aud"), **shared, **filler} for _ in range(1_005)])


@pytest.mark.own_service
async def test_audit_log_contains_no_secrets(service: Service) -> None:
    registered = await register(service, "rita@example.com")
    login = cookies_of(service, registered)
    token = "glpat-SecretOfTheHost"

    async def call(method: str, path: str, body: Any = None) -> Any:
        answer = await service.browser_call(method, path, login, json=body)
        assert answer.status_code < 300
        return answer.json() if answer.content else None

    key = (await call("POST", "/api/keys", {"name": "k"}))["key"]
    project = f"/api/projects/{(await call('POST', '/api/projects', {'name': 'P'}))['id']}"
    await call("PATCH", project, {"repoUrl": "https://github.com/o/r", "repoHostToken": token})
    secrets = [(await call("POST", f"{project}/hmac-secret/rotate", {}))["secret"] for _ in range(2)]
    change = {"currentPassword": PASSWORD, "newPassword": "quite another one"}
    await call("POST", "/api/auth/password", change)
    invited = (await call("POST", "/api/team", {"email": "sam@example.com"}))["id"]
    invitation = await service.invitation_token(invited)

    log = (await service.browser_call("GET", "/api/audit", login)).text
    assert "project.secret_rotated" in log
    for hidden in (PASSWORD, "quite another one", token, key, *secrets, *login.values(), invitation):
        assert hidden not in log
    await service.wait_for_jobs()


async def test_audit_log_is_exported_as_json_lines(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    member = await service.join(owner)
    project = await owner.create_project("First")
    await _insert_many_entries(service, owner)
    listed: list[Any] = []
    cursor = ""
    while True:
        page = await owner.get(f"/api/audit?limit=500{cursor}")
        listed += page.json()
        if "x-next-cursor" not in page.headers:
            break
        cursor = f"&cursor={page.headers['x-next-cursor']}"

    exported = await owner.get("/api/audit/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    *lines, itself = [json.loads(line) for line in exported.text.splitlines()]
    assert lines == listed[::-1]
    assert len(lines) > 1_000, "more than one page"
    assert (itself["action"], itself["actor"]["userId"]) == ("audit.exported", owner.user_id)

    of_project = await owner.get(f"/api/audit/export?projectId={project}")
    assert "project.created" in of_project.text
    assert {json.loads(line)["projectId"] for line in of_project.text.splitlines()} == {project}
    by_action = await owner.get("/api/audit/export?action=project.created")
    assert {json.loads(line)["action"] for line in by_action.text.splitlines()} == {"project.created"}
    assert project not in (await stranger.get("/api/audit/export")).text
    assert status_and_body(await member.get("/api/audit/export")) == FORBIDDEN


@pytest.mark.settings(LOREMARK_AUDIT_RETENTION_DAYS="90")
async def test_old_entries_are_deleted_unless_access_depends_on_them(service: Service) -> None:
    owner = await service.owner()
    admin = await service.join(owner, "admin")
    assert (await owner.patch(f"/api/team/{admin.member_id}", {"role": "member"})).status_code == 200
    project = await owner.create_project()
    secret = await owner.get(f"/api/projects/{project}/hmac-secret")
    assert secret.status_code == 200
    body = {"projectId": project, "url": "https://hooks.example/a", "events": ["item.created"]}
    webhook = (await owner.post("/api/webhooks", body)).json()["id"]

    async def actions() -> set[str]:
        return {entry["action"] for entry in (await owner.get("/api/audit")).json()}

    before = await actions()
    assert {"project.created", "project.secret_read", "webhook.created", "team.role_changed", "key.created"} <= before
    start_ms = clock.now_ms()
    with clock.use(lambda: start_ms + 89 * clock.DAY_MS):
        await run_once_more(service, pruning.PRUNE)
        assert await actions() == before
    with clock.use(lambda: start_ms + 91 * clock.DAY_MS):
        await owner.create_project("New")
        await run_once_more(service, pruning.PRUNE)
        assert await actions() == {"project.created", "webhook.created", "team.role_changed"}
        assert len((await owner.get("/api/audit?action=project.created")).json()) == 1
        assert (await owner.delete(f"/api/webhooks/{webhook}")).status_code == 204
        assert (await owner.delete(f"/api/team/{admin.member_id}")).status_code == 204
        await service.wait_for_jobs()
        await run_once_more(service, pruning.PRUNE)
        assert await actions() == {
            "project.created",
            "project.secret_rotated",
            "webhook.deleted",
            "team.member_removed",
        }


@pytest.mark.own_service
async def test_entries_are_kept_by_default(service: Service) -> None:
    owner = await service.owner()
    before = (await owner.get("/api/audit")).json()
    far_ms = clock.now_ms() + 10_000 * clock.DAY_MS
    with clock.use(lambda: far_ms):
        await run_once_more(service, pruning.PRUNE)
        assert (await owner.get("/api/audit")).json() == before
