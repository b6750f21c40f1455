"""Signing secrets: access, rotation and encrypted storage."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremark.base import clock, errors, signing
from loremark.base.caller import AuthMethod
from loremark.base.clock import DAY_MS, MINUTE_MS
from loremark.base.errors import Refusal
from loremark.features.projects.signatures import Signatures
from loremark.web.request import Message, Request
from tests.features.steps import FORBIDDEN, NO_PROJECT, raw_database, status_and_body
from tests.support.processes import Loremark
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

BODY = b'{"event":"session_save","payload":{}}'


def _signed(
    project: str, secret: str, overrides: dict[str, str] | None = None, *, at_ms: int | None = None, body: bytes = BODY
) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    timestamp = str((clock.now_ms() if at_ms is None else at_ms) // 1000)
    named_headers = {
        "X-Service-Project": project,
        "X-Service-Timestamp": timestamp,
        "X-Service-Signature": signing.sign_request(secret, timestamp, BODY),
        **(overrides or {}),
    }
    headers = [(name.lower().encode(), value.encode()) for name, value in named_headers.items()]
    return Request({"method": "POST", "path": "/", "query_string": b"", "headers": headers}, receive)


class Verifier:
    """Signature verification as in the running service, with its cache."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._signatures = Signatures(service.runtime.sealer)

    async def verify(self, request: Request) -> str:
        try:
            caller = await self._signatures.verify(self._service.runtime.database, request)
        except Refusal as refusal:
            return refusal.text
        assert (caller.auth_method, caller.role) == (AuthMethod.SIGNATURE, "member")
        return caller.team_id


async def test_owners_and_admins_read_the_secret(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    admin, member = await service.join(owner, "admin"), await service.join(owner)
    project, other = await owner.create_project(visibility="public"), await owner.create_project("Other")
    await owner.post(f"/api/projects/{project}/members", {"email": member.email})
    path = f"/api/projects/{project}/hmac-secret"
    first = (await owner.get(path)).json()
    assert list(first) == ["secret"]
    assert len(first["secret"]) >= 40
    assert status_and_body(await owner.get(path)) == status_and_body(await admin.get(path)) == (200, first)
    assert (await owner.get(f"/api/projects/{other}/hmac-secret")).json() != first
    for method, suffix in (("GET", ""), ("POST", "/rotate")):
        assert status_and_body(await member.call(method, path + suffix)) == FORBIDDEN
        assert status_and_body(await stranger.call(method, path + suffix)) == NO_PROJECT
    assert (await owner.get(path)).json() == first


async def test_rotated_secret_stays_valid_for_a_day(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    path = f"/api/projects/{project}/hmac-secret"
    verifier = Verifier(service)
    old = (await owner.get(path)).json()["secret"]
    assert await verifier.verify(_signed(project, old)) == owner.team_id

    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        rotated = await owner.post(f"{path}/rotate")  # the body is optional
        assert rotated.status_code == 200
        assert rotated.json() == {"secret": rotated.json()["secret"], "previousValidUntil": clock.iso(now_ms + DAY_MS)}
        new = rotated.json()["secret"]
        assert new != old
        assert (await owner.get(path)).json() == {"secret": new}
        for secret in (old, new):
            assert await verifier.verify(_signed(project, secret)) == owner.team_id
    with clock.use(lambda: now_ms + DAY_MS - 1):
        assert await verifier.verify(_signed(project, old)) == owner.team_id
    with clock.use(lambda: now_ms + DAY_MS):
        assert await verifier.verify(_signed(project, old)) == errors.INVALID_SIGNATURE.text
        assert await verifier.verify(_signed(project, new)) == owner.team_id

    revoked = (await owner.post(f"{path}/rotate", {"revokeNow": True})).json()
    assert revoked["previousValidUntil"] is None
    for secret, expected in (
        (old, errors.INVALID_SIGNATURE.text),
        (new, errors.INVALID_SIGNATURE.text),
        (revoked["secret"], owner.team_id),
    ):
        assert await verifier.verify(_signed(project, secret)) == expected
    refused = await owner.post(f"{path}/rotate", {"revokeNow": "maybe"})
    assert status_and_body(refused) == (400, {"error": "revokeNow must be true or false"})


async def test_revoking_also_invalidates_the_previous_secret(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    path = f"/api/projects/{project}/hmac-secret"
    verifier = Verifier(service)
    secrets = [(await owner.get(path)).json()["secret"]]
    secrets.append((await owner.post(f"{path}/rotate", {})).json()["secret"])
    secrets.append((await owner.post(f"{path}/rotate", {"revokeNow": True})).json()["secret"])
    answers = [await verifier.verify(_signed(project, secret)) for secret in secrets]
    assert answers == [errors.INVALID_SIGNATURE.text] * 2 + [owner.team_id]


async def test_signature_requirements(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project("Other")
    secret = (await owner.get(f"/api/projects/{project}/hmac-secret")).json()["secret"]
    verifier = Verifier(service)
    now_ms = clock.now_ms() // 1000 * 1000
    with clock.use(lambda: now_ms):
        for at_ms, expected in (
            (now_ms - 5 * MINUTE_MS, owner.team_id),
            (now_ms + 5 * MINUTE_MS, owner.team_id),
            (now_ms - 5 * MINUTE_MS - 1000, errors.TIMESTAMP_EXPIRED.text),
            (now_ms + 5 * MINUTE_MS + 1000, errors.TIMESTAMP_EXPIRED.text),
        ):
            assert await verifier.verify(_signed(project, secret, at_ms=at_ms)) == expected
        assert await verifier.verify(_signed(project, secret, body=BODY + b" ")) == errors.INVALID_SIGNATURE.text
        assert await verifier.verify(_signed(other, secret)) == errors.INVALID_SIGNATURE.text
        assert await verifier.verify(_signed("prj_nothing", secret)) == errors.PROJECT_NOT_FOUND.text
        for name in ("X-Service-Project", "X-Service-Timestamp", "X-Service-Signature"):
            assert await verifier.verify(_signed(project, secret, {name: ""})) == errors.MISSING_HEADER.text
        for timestamp in ("soon", "-5", "1e9", "9" * 40, "\u0663"):
            assert await verifier.verify(_signed(project, secret, {"X-Service-Timestamp": timestamp})) == (
                errors.TIMESTAMP_EXPIRED.text
            )
        unprefixed = _signed(project, secret).header(b"x-service-signature")
        assert unprefixed is not None
        request = _signed(project, secret, {"X-Service-Signature": unprefixed.removeprefix("sha256=")})
        assert await verifier.verify(request) == errors.INVALID_SIGNATURE.text
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    assert await verifier.verify(_signed(project, secret)) == errors.PROJECT_NOT_FOUND.text
    await service.wait_for_jobs()


async def test_signing_secrets_are_stored_encrypted(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Easily found")
    path = f"/api/projects/{project}/hmac-secret"
    old = (await owner.get(path)).json()["secret"]
    new = (await owner.post(f"{path}/rotate")).json()["secret"]
    raw = await raw_database(service)
    assert b"Easily found" in raw
    for secret in (old, new):
        assert secret.encode() not in raw
        assert secret not in (await owner.get("/api/audit")).text


def test_server_writes_no_plaintext_secrets(loremark: Loremark, tmp_path: Path) -> None:
    """Logs and data files contain no plaintext secrets, except for emails and the encryption key itself."""
    loremark.settings = {"LOREMARK_LOG_LEVEL": "debug", "LOREMARK_REGISTRATION": "open"}
    token = "glpat-NobodyMayEverSeeThisToken"
    with loremark.start() as server:
        server.wait_ready()
        with server.client() as browser:
            account = {"email": "rita@example.com", "password": PASSWORD, "name": "Rita"}
            login = browser.post("/api/auth/register", json=account).cookies["loremark_login"]
            same_site = {"Sec-Fetch-Site": "same-origin"}
            key = browser.post("/api/keys", json={"name": "k"}, headers=same_site).json()["key"]
        with server.client(key) as client:
            path = "/api/projects/" + client.post("/api/projects", json={"name": "P"}).json()["id"]
            change = {"repoUrl": "https://github.com/o/r", "repoHostToken": token}
            assert client.patch(path, json=change).status_code == 200
            assert client.patch(path, json={"repoHostToken": f"{token} x"}).status_code == 400
            secret = client.get(f"{path}/hmac-secret").json()["secret"]
            wrong = {"email": "rita@example.com", "password": f"{PASSWORD}!"}
            assert client.post("/api/auth/login", json=wrong).status_code == 401
        assert server.stop() == 0
        log = server.output
    assert "Loremark" in log
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert written
    for hidden in (PASSWORD, login, key, token, secret):
        assert hidden not in log
        assert [name for name, content in written.items() if hidden.encode() in content] == []
