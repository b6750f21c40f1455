"""Two API processes on one PostgreSQL and one Redis: for a client they are one server."""

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
from tests.chaos.pair import Pair, Stream, Visitor, add_colleague, next_address
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
def near(pair: Pair) -> Iterator[Visitor]:
    """The owner, at the first process."""
    with Visitor(pair.one, pair.owner["apiKey"]) as visitor:
        yield visitor


@pytest.fixture
def far(pair: Pair) -> Iterator[Visitor]:
    """The owner, at the second process."""
    with Visitor(pair.other, pair.owner["apiKey"]) as visitor:
        yield visitor


def test_the_global_limit_is_shared(pair: Pair) -> None:
    """Two hundred requests of one address to both at once: the limit is let through, and no two count the same."""
    address = next_address()
    windows: dict[str, list[httpx.Response]] = defaultdict(list)

    def ask(number: int) -> httpx.Response:
        return https[number % 2].get(
            "/api/projects", headers={"Authorization": f"Bearer {pair.owner['apiKey']}", "X-Forwarded-For": address}
        )

    with pair.one.client() as first, pair.other.client() as second, ThreadPoolExecutor(8) as pool:
        https = (first, second)
        for answer in pool.map(ask, range(200)):
            windows[answer.headers["x-ratelimit-reset"]].append(answer)
    assert 1 <= len(windows) <= 2, "a minute may end meanwhile"
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


def test_a_deleted_key_is_refused_by_the_other_process_in_the_next_request(near: Visitor, far: Visitor) -> None:
    for number in range(25):
        made = near.call("POST", "/api/keys", {"name": f"round {number}"}).json()
        assert far.call("GET", "/api/auth/me", key=made["key"]).status_code == 200
        assert near.call("DELETE", "/api/keys", {"keyId": made["id"]}).status_code == 204
        for visitor in (far, near):
            refused = visitor.call("GET", "/api/auth/me", key=made["key"])
            assert (refused.status_code, refused.json()) == (
                401,
                {"error": "Invalid or missing authentication credentials"},
            )


def test_no_request_begun_after_the_deletion_is_accepted_anywhere(near: Visitor, pair: Pair) -> None:
    """The key is in heavy use at the other process while it is deleted here."""
    made = near.call("POST", "/api/keys", {"name": "busy"}).json()
    deleted = threading.Event()
    before: list[int] = []
    accepted_late: list[int] = []

    def use() -> None:
        late = 0
        with Visitor(pair.other, made["key"]) as visitor:
            while late < 10:
                was_deleted = deleted.is_set()
                answer = visitor.call("GET", "/api/projects")
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
    assert near.call("DELETE", "/api/keys", {"keyId": made["id"]}).status_code == 204
    deleted.set()
    for thread in threads:
        thread.join(60)
    assert before[:30] == [200] * 30
    assert accepted_late == []


def test_a_member_removed_here_loses_an_open_stream_there_within_a_second(pair: Pair, near: Visitor) -> None:
    gone, stays = add_colleague(pair, "member"), add_colleague(pair, "member")
    with Stream(pair.other, stays.key) as other:
        with Stream(pair.other, gone.key) as stream:
            assert near.call("DELETE", f"/api/team/{gone.member_id}").status_code == 204
            assert stream.ends_within(1.0)
        other.wait_for('"resource":"team"')
        assert not other.ended.is_set()
        assert near.call("DELETE", f"/api/team/{stays.member_id}").status_code == 204
        assert other.ends_within(1.0)


def test_a_change_here_is_told_there_and_a_deleted_key_ends_its_own_stream_only(pair: Pair, near: Visitor) -> None:
    first, second = (near.call("POST", "/api/keys", {"name": name}).json() for name in ("first", "second"))
    with Stream(pair.other, first["key"]) as kept:
        with Stream(pair.other, second["key"]) as stream:
            project = near.call("POST", "/api/projects", {"name": "Told"}).json()["id"]
            kept.wait_for(project)
            stream.wait_for(project)
            assert near.call("DELETE", "/api/keys", {"keyId": second["id"]}).status_code == 204
            assert stream.ends_within(1.0)
        kept.wait_for('"resource":"keys"')
        assert not kept.ended.is_set()
        assert near.call("DELETE", "/api/keys", {"keyId": first["id"]}).status_code == 204
        assert kept.ends_within(1.0)


def test_a_changed_role_counts_at_once_everywhere(pair: Pair, near: Visitor, far: Visitor) -> None:
    colleague = add_colleague(pair, "member")
    for number in range(5):
        for role, expected in (("admin", 201), ("member", 403)):
            changed = near.call("PATCH", f"/api/team/{colleague.member_id}", {"role": role})
            assert changed.status_code == 200
            made = far.call("POST", "/api/projects", {"name": f"Project {number}"}, key=colleague.key)
            assert made.status_code == expected, made.text


def test_without_redis_the_service_goes_on(tmp_path: Path) -> None:
    """Redis stops while requests come: none fails, and each process counts for itself until it is back."""
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


def test_the_parts_refuse_a_schema_that_is_not_theirs_and_say_the_command(tmp_path: Path) -> None:
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


def test_serve_does_not_migrate_postgresql_when_told_not_to(tmp_path: Path) -> None:
    url = str(databases.empty("postgresql", tmp_path))
    loremark = prepare(Loremark(tmp_path, url))
    loremark.settings["LOREMARK_AUTO_MIGRATE"] = "false"
    refused = loremark.run("serve", check=False)
    assert refused.returncode == 2
    assert refused.stderr.endswith("Run: loremark admin migrate\n")
    assert asyncio.run(schema.version(url)) is None
