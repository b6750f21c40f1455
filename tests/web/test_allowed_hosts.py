"""Host names: a page that lets its own name point to the server gets no answer from it."""

from __future__ import annotations

import pytest

from loremark.storage.database import Database
from loremark.web.allowed_hosts import AllowedHosts
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.routes import Routes
from loremark.wire.shapes import Shape
from tests.web.kit import client_for, make_app

pytestmark = pytest.mark.anyio


class Answer(Shape):
    text: str = ""


routes = Routes("hosts")


@routes.add("GET", "/memory", ANYONE, name="memory")
async def memory(call: Call) -> Answer:
    """Something private."""
    return Answer("private")


@routes.add("GET", "/healthz", ANYONE, name="healthz")
async def healthz(call: Call) -> Answer:
    """A health check."""
    return Answer("ok")


HOSTS = AllowedHosts(("https://memory.example.com/loremark", "http://worker:8000"), ("*.lan.example", "other.example"))
KNOWN = """
memory.example.com MEMORY.example.com:8443 memory.example.com. worker:8000 worker other.example:1 a.lan.example
a.b.lan.example localhost localhost:8000 app.localhost 127.0.0.1:8000 [::1]:8000 [::1] 10.1.2.3 192.168.1.5:8000
""".split()  # noqa: SIM905
UNKNOWN = """
evil.example.com evil.example.com:8000 lan.example evillan.example localhost.evil.example 127.0.0.1.evil.example
memory.example.com.evil.example xmemory.example.com 127.0.0.1@evil.example [::1 a]b memory.example.com:x
memory.example.com:8000:8000 / .
""".split()  # noqa: SIM905


@pytest.mark.parametrize(("host", "status"), [*((each, 200) for each in KNOWN), *((each, 403) for each in UNKNOWN)])
async def test_only_known_hosts_get_an_answer(sqlite: Database, host: str, status: int) -> None:
    async with client_for(make_app(routes, sqlite, hosts=HOSTS)) as http:
        answer = await http.get("/memory", headers={"Host": host})
        assert answer.status_code == status
        if status == 403:
            assert "LOREMARK_ALLOWED_HOSTS" in answer.json()["error"]
            assert (await http.get("/nothing", headers={"Host": host})).status_code == 403
        assert (await http.get("/healthz", headers={"Host": host})).status_code == 200


async def test_an_empty_or_very_long_host_is_unknown(sqlite: Database) -> None:
    async with client_for(make_app(routes, sqlite, hosts=HOSTS)) as http:
        for host in ("", "a." * 200 + "lan.example"):
            assert (await http.get("/memory", headers={"Host": host})).status_code == 403


async def test_a_star_allows_every_host(sqlite: Database) -> None:
    app = make_app(routes, sqlite, hosts=AllowedHosts(("http://127.0.0.1:8000",), ("*",)))
    async with client_for(app) as http:
        assert (await http.get("/memory", headers={"Host": "evil.example.com"})).status_code == 200
