"""A real server process with somebody in it, and how each route of it is called by that person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec

from loremark.base import clock, ids, signing
from loremark.entry.application import ROUTES
from loremark.web.routes import Route
from tests.support.processes import Loremark, Process
from tests.support.service import PASSWORD
from tests.web.raw import SECONDS, Connection

API_ROUTES = [route for route in ROUTES if route.path.startswith("/api/")]
BODY_ROUTES = [route for route in API_ROUTES if route.body is not None]
SIGNED_ROUTES = [route for route in API_ROUTES if route.needs.by_signature]
"""They read the body themselves, for it is signed as it was sent."""
PLAIN_ROUTES = [
    route
    for route in API_ROUTES
    if (route.body or route.raw_body) is None
    and route.content_type == "application/json"
    and route not in SIGNED_ROUTES
]
QUERY_ROUTES = [route for route in API_ROUTES if route.query is not None]


def name_of(route: Route) -> str:
    return route.name


@dataclass
class Running:
    """A server, its owner's key and login, and a project."""

    process: Process
    http: httpx.Client
    key: str
    cookie: str
    project_id: str
    secret: str
    log_read: int = 0

    def credentials(self, route: Route, body: bytes = b"") -> dict[str, str]:
        """The headers that let the owner in on this route."""
        if route.needs.by_signature:
            timestamp = str(clock.now_ms() // 1000)
            return {
                "X-Service-Project": self.project_id,
                "X-Service-Timestamp": timestamp,
                "X-Service-Signature": signing.sign_request(self.secret, timestamp, body),
            }
        if route.needs.by_key:
            return {"Authorization": f"Bearer {self.key}"}
        if route.needs.by_login:
            return {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
        return {}

    def send(
        self, route: Route, body: bytes, content_type: str | None = "application/json", **more: str
    ) -> httpx.Response:
        """The owner sends these bytes as the route's body."""
        headers = {**self.credentials(route, body), **more}
        if content_type is not None:
            headers["Content-Type"] = content_type
        return self.http.request(route.method, path_of(route), content=body, headers=headers)

    def connect(self) -> Connection:
        return Connection(self.process.port)

    def forget_log(self) -> None:
        self.log_read = len(self.process.output)

    def assert_well(self) -> None:
        """The server answers as ever, and since the log was forgotten has met no fault of its own."""
        listed = self.http.get("/api/projects?limit=1", headers={"Authorization": f"Bearer {self.key}"})
        assert listed.status_code == 200, listed.text
        assert self.http.get("/readyz").status_code == 200
        new = self.process.output[self.log_read :]
        assert "unhandled exception" not in new, new[-4_000:]
        assert "Traceback" not in new, new[-4_000:]


@contextmanager
def start(folder: Path, database_url: str, **settings: str) -> Iterator[Running]:
    """``loremark serve`` on this database, with an owner who has registered, made a key and a project."""
    loremark = Loremark(
        folder, database_url, {"LOREMARK_REGISTRATION": "open", "LOREMARK_DEFAULT_PLAN": "enterprise", **settings}
    )
    with loremark.start() as process:
        process.wait_ready(seconds=90.0)
        with process.client() as http:
            http.timeout = httpx.Timeout(SECONDS)
            account = {"email": "owner@example.com", "password": PASSWORD, "name": "Olga Owner"}
            registered = http.post("/api/auth/register", json=account)
            assert registered.status_code == 201, registered.text
            cookie = registered.headers["set-cookie"].partition(";")[0]
            http.cookies.clear()
            browser = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
            key = http.post("/api/keys", json={"name": "test"}, headers=browser).json()["key"]
            bearer = {"Authorization": f"Bearer {key}"}
            project_id = http.post("/api/projects", json={"name": "Loremark"}, headers=bearer).json()["id"]
            secret = http.get(f"/api/projects/{project_id}/hmac-secret", headers=bearer).json()["secret"]
            yield Running(process, http, key, cookie, project_id, secret)


def assert_refused(answer: httpx.Response, status: int | None = None) -> str:
    """A 4xx (or exactly this status) with ``{error: text}``; returns the text."""
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text)
    assert status is None or answer.status_code == status, (answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/json"
    content = answer.json()
    assert list(content) == ["error"], content
    assert isinstance(content["error"], str)
    assert content["error"]
    assert "\n" not in content["error"]
    return content["error"]


def path_of(route: Route, segment: str | None = None) -> str:
    """The route's path with this text in place of each parameter; else with identifiers of nothing."""
    prefix = "mem" if "memberId" in route.path else "prj"
    return re.sub(r"\{\w+\}", lambda _: segment or f"{prefix}_{'0' * 26}", route.path)


_CANDIDATES: tuple[Any, ...] = ("text", "a@example.com", PASSWORD, ids.new("prj"), "root/api", 1, 0.5, True, [], {})


def sample_body(kind: type[Any]) -> dict[str, Any]:
    """A body that fits the shape, with its required fields only."""
    return {field.encode_name: _sample(field.type) for field in msgspec.structs.fields(kind) if field.required}


def _sample(kind: Any) -> Any:
    for candidate in _CANDIDATES:
        try:
            msgspec.convert(candidate, kind)
        except msgspec.ValidationError:
            continue
        return candidate
    info = msgspec.inspect.type_info(kind)
    if isinstance(info, msgspec.inspect.EnumType):
        return next(iter(info.cls)).value
    if isinstance(info, msgspec.inspect.ListType) and isinstance(info.item_type, msgspec.inspect.EnumType):
        return [next(iter(info.item_type.cls)).value]
    assert isinstance(info, msgspec.inspect.LiteralType), f"no sample is known for {kind}"
    return info.values[0]
