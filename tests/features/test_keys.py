"""API keys: creation, listing, deletion, and last-use times."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from loremark.base import clock
from loremark.base.clock import HOUR_MS
from loremark.base.signing import sha256_hex
from loremark.features.keys.last_use import KeyUse
from loremark.storage.tables import api_keys
from tests.features.steps import (
    FORBIDDEN,
    NO_PROJECT,
    UNAUTHENTICATED,
    accept,
    insert_rows,
    raw_database,
    run_sql,
    status_and_body,
)
from tests.support.people import Person
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

NO_KEY = (404, {"error": "Key not found"})


async def _make(person: Person, name: str) -> dict[str, str]:
    answer = await person.post("/api/keys", {"name": name})
    assert answer.status_code == 201
    created: dict[str, str] = answer.json()
    return created


async def _use(service: Service, key: str) -> tuple[int, object]:
    return status_and_body(await service.http.get("/api/auth/me", headers={"Authorization": f"Bearer {key}"}))


async def test_key_is_shown_once_and_stored_as_a_hash(service: Service) -> None:
    owner = await service.owner()
    created = await _make(owner, "  laptop ")
    assert sorted(created) == ["createdAt", "id", "key", "name"]
    assert created["name"] == "laptop"
    assert created["key"].startswith("service_sk_")
    assert len(created["key"]) >= len("service_sk_") + 43  # 32 random bytes
    [entry] = [entry for entry in (await owner.get("/api/keys")).json() if entry["id"] == created["id"]]
    assert sorted(entry) == ["createdAt", "id", "lastUsed", "name", "prefix"]
    assert created["key"].startswith(entry["prefix"])
    assert len("service_sk_") < len(entry["prefix"]) < len(created["key"]) / 2
    assert entry["lastUsed"] is None

    assert (await _use(service, created["key"]))[0] == 200
    raw = await raw_database(service)
    assert sha256_hex(created["key"]).encode() in raw
    assert created["key"].encode() not in raw
    assert created["key"].removeprefix("service_sk_").encode() not in raw
    for path in ("/api/keys", "/api/keys?include=team", "/api/audit"):
        assert created["key"] not in (await owner.get(path)).text
    for wrong in (
        created["key"][:-1],
        created["key"] + "x",
        created["key"].upper(),
        sha256_hex(created["key"]),
        entry["prefix"],
    ):
        assert await _use(service, wrong) == UNAUTHENTICATED
    for name in ("", " ", "x" * 101, None):
        refused = await owner.post("/api/keys", {"name": name})
        assert refused.status_code == 400
        assert refused.json()["error"].startswith("name ")


async def test_listing_and_deleting_own_and_team_keys(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    admin, member, colleague = [await service.join(owner, role) for role in ("admin", "member", "member")]
    spare = {person.user_id: await _make(person, "spare") for person in (owner, admin, member, colleague)}
    for person in (owner, admin, member):
        own = (await person.get("/api/keys")).json()
        assert [entry["name"] for entry in own] == ["spare", "test"]
    for person in (owner, admin):
        team = (await person.get("/api/keys?include=team")).json()
        assert [entry["userId"] for entry in team][:4] == list(spare)[::-1]
        assert len(team) == 8
    assert status_and_body(await member.get("/api/keys?include=team")) == FORBIDDEN
    assert (await member.get("/api/keys?include=all")).status_code == 400

    of_colleague = {"keyId": spare[colleague.user_id]["id"]}
    assert status_and_body(await member.delete("/api/keys", of_colleague)) == NO_KEY
    assert status_and_body(await stranger.delete("/api/keys", of_colleague)) == NO_KEY
    assert status_and_body(await owner.delete("/api/keys", {"keyId": "key_nothing"})) == NO_KEY
    assert status_and_body(await owner.delete("/api/keys", {})) == (400, {"error": "keyId is required"})
    assert (await _use(service, spare[colleague.user_id]["key"]))[0] == 200

    for person, owner_of_key in ((admin, colleague), (member, member), (admin, owner)):
        target = spare[owner_of_key.user_id]
        deleted = await person.delete("/api/keys", {"keyId": target["id"]})
        assert (deleted.status_code, deleted.content) == (204, b"")
        assert await _use(service, target["key"]) == UNAUTHENTICATED
        assert status_and_body(await person.delete("/api/keys", {"keyId": target["id"]})) == NO_KEY
    own_key = (await member.get("/api/keys")).json()[0]["id"]
    assert (await member.delete("/api/keys", {"keyId": own_key})).status_code == 204
    assert status_and_body(await member.get("/api/keys")) == UNAUTHENTICATED


async def test_key_uses_the_current_role_of_its_user(service: Service) -> None:
    owner = await service.owner()
    person = await service.join(owner, "admin")
    key = (await _make(person, "old"))["key"]
    bearer = {"Authorization": f"Bearer {key}"}
    assert (await service.http.get("/api/audit", headers=bearer)).status_code == 200
    await owner.patch(f"/api/team/{person.member_id}", {"role": "member"})
    assert status_and_body(await service.http.get("/api/audit", headers=bearer)) == FORBIDDEN
    await owner.patch(f"/api/team/{person.member_id}", {"role": "admin"})
    assert (await service.http.get("/api/audit", headers=bearer)).status_code == 200
    assert (await service.http.get("/api/auth/me", headers=bearer)).json()["authMethod"] == "key"


async def _count_updates_of_keys(service: Service) -> None:
    """Count updates of key rows with a database trigger."""
    await run_sql(service, "CREATE TABLE key_writes (n INTEGER)")
    if service.settings.on_sqlite:
        statements = ["CREATE TRIGGER t AFTER UPDATE ON api_keys BEGIN INSERT INTO key_writes VALUES (1); END"]
    else:
        statements = [
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN INSERT INTO key_writes VALUES (1); RETURN NEW; END $$",
            "CREATE TRIGGER t AFTER UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION note()",
        ]
    await run_sql(service, *statements)


async def test_last_use_is_recorded_without_a_write_per_request(service: Service) -> None:
    owner = await service.owner()
    created = await _make(owner, "busy")
    await _count_updates_of_keys(service)
    tracker = service.app._services.use(KeyUse)
    await tracker.write()  # the owner's own key
    await run_sql(service, "DELETE FROM key_writes")

    used_ms = clock.now_ms() + HOUR_MS
    with clock.use(lambda: used_ms):
        for _ in range(50):
            assert (await _use(service, created["key"]))[0] == 200
        listed = (await owner.get("/api/keys")).json()
    assert {entry["name"]: entry["lastUsed"] for entry in listed}["busy"] == clock.iso(used_ms)
    [(writes,)] = await run_sql(service, "SELECT count(*) FROM key_writes")
    assert writes <= 2  # at most one write for each of the two keys

    await tracker.write()
    async with service.runtime.database.read() as tx:
        row = await tx.one(select(api_keys.c.last_used_ms).where(api_keys.c.id == created["id"]))
    assert row is not None
    assert row["last_used_ms"] == used_ms
    [(writes,)] = await run_sql(service, "SELECT count(*) FROM key_writes")
    assert writes <= 2
    assert {entry["name"]: entry["lastUsed"] for entry in (await owner.get("/api/keys")).json()}["busy"] == clock.iso(
        used_ms
    )


async def test_key_pagination_newest_first(service: Service) -> None:
    owner = await service.owner()
    shared = {"team_id": owner.team_id, "user_id": owner.user_id, "name": "n", "prefix": "p", "created_at_ms": 1}
    rows = [{"id": f"key_{number:026d}", "key_hash": f"hash {number}", **shared} for number in range(1_004)]
    await insert_rows(service, api_keys, rows)
    own = (await owner.get("/api/keys?limit=1")).json()[0]["id"]
    expected = [own, *(row["id"] for row in reversed(rows))]
    seen: list[str] = []
    path = "/api/keys"
    while path:
        page = await owner.get(path)
        seen += [entry["id"] for entry in page.json()]
        cursor = page.headers.get("x-next-cursor")
        path = f"/api/keys?limit=2&cursor={cursor}" if cursor else ""
    assert seen == expected


async def _use_from(service: Service, key: str, address: str) -> tuple[int, object]:
    headers = {"Authorization": f"Bearer {key}", "X-Forwarded-For": address}
    return status_and_body(await service.http.get("/api/auth/me", headers=headers))


async def test_limits_are_shown_and_recorded(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    limits = {
        "scopes": ["capture", "read", "read"],
        "projectId": project,
        "expiresAt": "2100-01-31T00:00:00+01:00",
        "allowedAddresses": ["203.0.113.7", "2001:db8::/32", "203.0.113.7/32"],
    }
    created = await owner.post("/api/keys", {"name": "agent", **limits})
    assert created.status_code == 201
    shown = {
        "scopes": ["read", "capture"],
        "projectId": project,
        "expiresAt": "2100-01-30T23:00:00.000Z",
        "allowedAddresses": ["203.0.113.7", "2001:db8::/32"],
    }
    entry = (await owner.get("/api/keys")).json()[0]
    for found in (created.json(), entry, (await owner.get("/api/audit")).json()[0]["details"]):
        assert {name: found[name] for name in shown} == shown


async def test_invalid_limits_are_refused(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    for limits, error in (
        ({"scopes": []}, "scopes must be one of read, write, capture, admin"),
        ({"scopes": ["everything"]}, None),
        ({"expiresAt": "2000-01-01T00:00:00Z"}, "expiresAt must be in the future"),
        ({"expiresAt": "9999-12-31T23:59:59-12:00"}, "expiresAt must be before the year 10000"),
        ({"allowedAddresses": []}, None),
        ({"allowedAddresses": ["10.0.0.1/8"]}, None),
        ({"allowedAddresses": ["example.com"]}, None),
        ({"allowedAddresses": ["10.0.0.1 10.0.0.2"]}, None),
        ({"allowedAddresses": ["10.0.0.1"] * 21}, None),
    ):
        refused = await owner.post("/api/keys", {"name": "key", **limits})
        assert refused.status_code == 400, limits
        assert error is None or refused.json() == {"error": error}
    foreign = await stranger.create_project()
    assert status_and_body(await owner.post("/api/keys", {"name": "key", "projectId": foreign})) == NO_PROJECT


@pytest.mark.own_service
async def test_key_expires(service: Service) -> None:
    owner = await service.owner()
    now_ms = clock.now_ms()
    expiry = clock.iso(now_ms + HOUR_MS)
    key = (await owner.post("/api/keys", {"name": "short", "expiresAt": expiry})).json()["key"]
    assert (await _use(service, key))[0] == 200
    with clock.use(lambda: now_ms + HOUR_MS):
        assert await _use(service, key) == UNAUTHENTICATED


@pytest.mark.settings(LOREMARK_TRUSTED_PROXIES="127.0.0.1")
async def test_key_works_only_from_its_addresses(service: Service) -> None:
    owner = await service.owner()
    limits = {"allowedAddresses": ["203.0.113.7", "10.20.0.0/16", "2001:db8:1::/48"]}
    created = (await owner.post("/api/keys", {"name": "ci", **limits})).json()
    for address in ("203.0.113.8", "10.21.0.1", "2001:db8:2::1", "127.0.0.1"):
        assert await _use_from(service, created["key"], address) == FORBIDDEN, address
    [entry] = [entry for entry in (await owner.get("/api/keys")).json() if entry["id"] == created["id"]]
    assert entry["lastUsed"] is None
    for address in ("203.0.113.7", "10.20.255.1", "2001:db8:1::1", "::ffff:203.0.113.7"):
        assert (await _use_from(service, created["key"], address))[0] == 200, address


@pytest.mark.settings(LOREMARK_TRUSTED_PROXIES="127.0.0.1")
async def test_cached_answer_is_not_served_to_other_addresses(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    key = (await owner.post("/api/keys", {"name": "ci", "allowedAddresses": ["203.0.113.7"]})).json()["key"]
    headers = {"Authorization": f"Bearer {key}"}
    path = f"/api/v2/brain?projectId={project}"
    await service.wait_for_jobs()
    for _ in range(3):
        allowed = await service.http.get(path, headers={**headers, "X-Forwarded-For": "203.0.113.7"})
        refused = await service.http.get(path, headers={**headers, "X-Forwarded-For": "203.0.113.8"})
        assert (allowed.status_code, refused.status_code) == (200, 403)


async def test_limited_key_cannot_make_keys_but_can_delete_itself(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    other = await _make(owner, "other")
    for limits in (
        {"scopes": ["admin"]},
        {"scopes": ["read", "write", "capture", "admin"]},
        {"projectId": project},
        {"expiresAt": "2100-01-01T00:00:00Z"},
        {"allowedAddresses": ["127.0.0.1"]},
    ):
        made = (await owner.post("/api/keys", {"name": "limited", **limits})).json()
        person = replace(owner, key=made["key"])
        assert status_and_body(await person.post("/api/keys", {"name": "more"})) == FORBIDDEN
        assert status_and_body(await person.get("/api/keys")) == FORBIDDEN
        assert status_and_body(await person.delete("/api/keys", {"keyId": other["id"]})) == FORBIDDEN
        assert (await person.delete("/api/keys", {"keyId": made["id"]})).status_code == 204
        assert await _use(service, made["key"]) == UNAUTHENTICATED


@pytest.mark.parametrize(
    "limits",
    [
        {"scopes": ["admin"]},
        {"expiresAt": "2100-01-01T00:00:00Z"},
        {"allowedAddresses": ["127.0.0.1"]},
    ],
    ids=["scopes", "period", "addresses"],
)
async def test_limited_key_lets_nobody_in(service: Service, limits: dict[str, object]) -> None:
    """Its holder could invite themselves, and would then have no limits."""
    owner = await service.owner()
    member = await service.join(owner)
    project = await owner.create_project()
    made = await owner.post("/api/keys", {"name": "limited", **limits})
    limited = replace(owner, key=made.json()["key"])
    invitation = {"email": "holder@example.com", "role": "admin"}
    for answer in (
        await limited.post("/api/team", invitation),
        await limited.patch(f"/api/team/{member.member_id}", {"role": "admin"}),
        await limited.post(f"/api/projects/{project}/members", invitation),
        await limited.post(f"/api/projects/{project}/members", {"email": member.email, "role": "admin"}),
    ):
        assert status_and_body(answer) == FORBIDDEN
    members = (await owner.get("/api/team?include=invited")).json()
    assert [entry["role"] for entry in members] == ["owner", "member"]
    assert (await limited.delete(f"/api/team/{member.member_id}")).status_code == 204


async def test_limited_key_does_not_know_the_other_teams_of_its_user(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Others")
    member = await service.join(owner)
    invitation = (await other.post("/api/team", {"email": member.email})).json()["id"]
    joined = await accept(service, await service.invitation_token(invitation), password=PASSWORD)
    assert joined.status_code == 200
    assert len((await member.get("/api/auth/me")).json()["teams"]) == 2
    made = await member.post("/api/keys", {"name": "limited", "scopes": ["read", "capture"]})
    me = (await replace(member, key=made.json()["key"]).get("/api/auth/me")).json()
    assert me["teams"] == [{"id": owner.team_id, "name": me["teamName"]}]


async def test_key_of_a_project_is_no_team_admin(service: Service) -> None:
    """An owner's key for one project does not manage the team, its other projects or its contexts."""
    owner = await service.owner()
    project = await owner.create_project()
    key = (await owner.post("/api/keys", {"name": "limited", "projectId": project})).json()["key"]
    person = replace(owner, key=key)
    invited = await person.post(f"/api/projects/{project}/members", {"email": "someone@example.com"})
    assert status_and_body(invited) == FORBIDDEN
    assert status_and_body(await person.post("/api/contexts", {"name": "Team rules"})) == FORBIDDEN
    assert (await person.patch(f"/api/projects/{project}", {"name": "Renamed"})).status_code == 200
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    assert status_and_body(await person.get(f"/api/projects/{project}")) == NO_PROJECT
    await service.wait_for_jobs()
    assert await _use(service, key) == UNAUTHENTICATED
