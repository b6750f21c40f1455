"""Two API processes on one PostgreSQL and one Redis behave like one server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import httpx
import pytest

from loremark.storage import schema
from tests.chaos.pair import Pair, ProcessClient, Stream, add_team_member, next_address
from tests.chaos.preparation import prepare
from tests.entry.owner import make_owner
from tests.servers import redis
from tests.support import databases
from tests.support.processes import Loremark

_LIMIT = 40


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    server = redis.start(folder / "redis", remove=True)
    loremark = prepare(Loremark(folder, databases.fresh_postgres()))
    loremark.settings |= {
        "LOREMARK_REDIS_URL": server.url(0),
        "LOREMARK_RATE_LIMIT_PER_MINUTE": str(_LIMIT),
        "LOREMARK_TRUSTED_PROXIES": "127.0.0.1",
    }
    try:
        owner = make_owner(loremark)
        with loremark.start("api") as one, loremark.start("api") as other:
            yield Pair(loremark.database_url, one.wait_ready(), other.wait_ready(), owner)
    finally:
        server.stop()


@pytest.fixture
def first_client(pair: Pair) -> Iterator[ProcessClient]:
    """The owner, connected to the first process."""
    with ProcessClient(pair.one, pair.owner["apiKey"]) as client:
        yield client


@pytest.fixture
def second_client(pair: Pair) -> Iterator[ProcessClient]:
    """The owner, connected to the second process."""
    with ProcessClient(pair.other, pair.owner["apiKey"]) as client:
        yield client


def test_global_rate_limit_is_shared(pair: Pair) -> None:
    """200 requests from one address to both processes: exactly the limit is allowed, and each is counted once."""
    address = next_address()
    windows: dict[str, list[httpx.Response]] = defaultdict(list)

    def send(number: int) -> httpx.Response:
        return clients[number % 2].get(
            "/api/projects", headers={"Authorization": f"Bearer {pair.owner['apiKey']}", "X-Forwarded-For": address}
        )

    with pair.one.client() as first, pair.other.client() as second, ThreadPoolExecutor(8) as pool:
        clients = (first, second)
        for answer in pool.map(send, range(200)):
            windows[answer.headers["x-ratelimit-reset"]].append(answer)
    assert 1 <= len(windows) <= 2, "the minute may end during the test"
    for answers in windows.values():
        allowed = [answer for answer in answers if answer.status_code == 200]
        assert len(allowed) == min(_LIMIT, len(answers))
        left = sorted((int(answer.headers["x-ratelimit-remaining"]) for answer in allowed), reverse=True)
        assert left == list(range(_LIMIT - 1, _LIMIT - 1 - len(allowed), -1))
        for answer in answers:
            assert answer.headers["x-ratelimit-limit"] == str(_LIMIT)
            if answer.status_code != 200:
                seconds = answer.headers["retry-after"]
                assert (answer.status_code, answer.json()) == (
                    429,
                    {"error": f"Rate limit exceeded. Please retry after {seconds} seconds."},
                )


def test_deleted_key_is_rejected_by_the_other_process_immediately(
    first_client: ProcessClient, second_client: ProcessClient
) -> None:
    for number in range(25):
        made = first_client.call("POST", "/api/keys", {"name": f"round {number}"}).json()
        assert second_client.call("GET", "/api/auth/me", key=made["key"]).status_code == 200
        assert first_client.call("DELETE", "/api/keys", {"keyId": made["id"]}).status_code == 204
        for client in (second_client, first_client):
            refused = client.call("GET", "/api/auth/me", key=made["key"])
            assert (refused.status_code, refused.json()) == (
                401,
                {"error": "Invalid or missing authentication credentials"},
            )


def test_requests_started_after_a_key_deletion_are_rejected(first_client: ProcessClient, pair: Pair) -> None:
    """The other process is using the key heavily while it is deleted."""
    made = first_client.call("POST", "/api/keys", {"name": "busy"}).json()
    deleted = threading.Event()
    before: list[int] = []
    accepted_late: list[int] = []

    def use() -> None:
        late = 0
        with ProcessClient(pair.other, made["key"]) as client:
            while late < 10:
                was_deleted = deleted.is_set()
                answer = client.call("GET", "/api/projects")
                if not was_deleted:
                    before.append(answer.status_code)
                elif answer.status_code != 401:
                    accepted_late.append(answer.status_code)
                late += was_deleted

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    stop = time.monotonic() + 60
    while len(before) < 30 and time.monotonic() < stop:
        time.sleep(0.01)
    assert first_client.call("DELETE", "/api/keys", {"keyId": made["id"]}).status_code == 204
    deleted.set()
    for thread in threads:
        thread.join(60)
    assert before[:30] == [200] * 30
    assert accepted_late == []


def test_removed_member_loses_a_stream_on_the_other_process_within_a_second(
    pair: Pair, first_client: ProcessClient
) -> None:
    removed, remaining = add_team_member(pair, "member"), add_team_member(pair, "member")
    with Stream(pair.other, remaining.key) as other:
        with Stream(pair.other, removed.key) as stream:
            assert first_client.call("DELETE", f"/api/team/{removed.member_id}").status_code == 204
            assert stream.ends_within(1.0)
        other.wait_for('"resource":"team"')
        assert not other.ended.is_set()
        assert first_client.call("DELETE", f"/api/team/{remaining.member_id}").status_code == 204
        assert other.ends_within(1.0)


def test_changes_reach_the_other_process_and_a_deleted_key_ends_only_its_stream(
    pair: Pair, first_client: ProcessClient
) -> None:
    first, second = (first_client.call("POST", "/api/keys", {"name": name}).json() for name in ("first", "second"))
    with Stream(pair.other, first["key"]) as kept:
        with Stream(pair.other, second["key"]) as stream:
            project = first_client.call("POST", "/api/projects", {"name": "Told"}).json()["id"]
            kept.wait_for(project)
            stream.wait_for(project)
            assert first_client.call("DELETE", "/api/keys", {"keyId": second["id"]}).status_code == 204
            assert stream.ends_within(1.0)
        kept.wait_for('"resource":"keys"')
        assert not kept.ended.is_set()
        assert first_client.call("DELETE", "/api/keys", {"keyId": first["id"]}).status_code == 204
        assert kept.ends_within(1.0)


def test_role_change_applies_to_both_processes_immediately(
    pair: Pair, first_client: ProcessClient, second_client: ProcessClient
) -> None:
    member = add_team_member(pair, "member")
    for number in range(5):
        for role, expected in (("admin", 201), ("member", 403)):
            changed = first_client.call("PATCH", f"/api/team/{member.member_id}", {"role": role})
            assert changed.status_code == 200
            made = second_client.call("POST", "/api/projects", {"name": f"Project {number}"}, key=member.key)
            assert made.status_code == expected, made.text


def test_service_continues_without_redis(tmp_path: Path) -> None:
    """Redis stops during requests: none fails, and each process counts on its own until it is back."""
    server = redis.start(tmp_path / "redis", remove=True)
    loremark = prepare(Loremark(tmp_path, databases.fresh_postgres()))
    loremark.settings |= {"LOREMARK_REDIS_URL": server.url(0), "LOREMARK_RATE_LIMIT_PER_MINUTE": "1000"}
    owner = make_owner(loremark)
    with loremark.start("api") as process, process.wait_ready().client(owner["apiKey"]) as http:
        assert http.get("/api/projects").status_code == 200
        server.stop()
        for _ in range(30):
            answer = http.get("/api/projects")
            assert answer.status_code == 200, answer.text
            assert answer.headers["x-ratelimit-limit"] == "1000"
        assert http.post("/api/projects", json={"name": "On we go"}).status_code == 201
        assert http.get("/readyz").status_code == 200


async def _set_version(url: str, version: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("UPDATE alembic_version SET version_num = $1", version)
    finally:
        await connection.close()


def test_api_and_jobs_reject_another_schema_version_and_name_the_command(tmp_path: Path) -> None:
    url = str(databases.empty("postgresql", tmp_path))
    loremark = prepare(Loremark(tmp_path, url))
    needs = f"but this version needs {schema.HEAD}. Run: loremark admin migrate"
    for command in ("api", "jobs"):
        refused = loremark.run(command, check=False)
        assert (refused.returncode, refused.stderr) == (2, f"loremark: The database is empty, {needs}\n")
    assert loremark.run("admin", "migrate").stdout == f"Migrated the database to schema {schema.HEAD}.\n"
    with loremark.start("api") as process:
        process.wait_ready()
    asyncio.run(_set_version(url, "0000"))
    for command in ("api", "jobs"):
        refused = loremark.run(command, check=False)
        assert (refused.returncode, refused.stderr) == (2, f"loremark: The database is at schema 0000, {needs}\n")


def test_serve_does_not_migrate_postgresql_if_disabled(tmp_path: Path) -> None:
    url = str(databases.empty("postgresql", tmp_path))
    loremark = prepare(Loremark(tmp_path, url))
    loremark.settings["LOREMARK_AUTO_MIGRATE"] = "false"
    refused = loremark.run("serve", check=False)
    assert refused.returncode == 2
    assert refused.stderr.endswith("Run: loremark admin migrate\n")
    assert asyncio.run(schema.version(url)) is None
