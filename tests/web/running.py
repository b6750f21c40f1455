"""A real server process with an owner account, and helpers to call its routes as that owner."""

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
from tests.web.raw import TIMEOUT_S, Connection

API_ROUTES = [route for route in ROUTES if route.path.startswith("/api/")]
BODY_ROUTES = [route for route in API_ROUTES if route.body is not None]
SIGNED_ROUTES = [route for route in API_ROUTES if route.needs.by_signature]
"""These read the raw body themselves, because its exact bytes are signed."""
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
class RunningServer:
    """A server, its owner's key and login, and a project."""

    process: Process
    http: httpx.Client
    key: str
    cookie: str
    project_id: str
    secret: str
    log_offset: int = 0

    def credentials(self, route: Route, body: bytes = b"") -> dict[str, str]:
        """The headers that authenticate the owner on this route."""
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
        self, route: Route, body: bytes, content_type: str | None = "application/json", **extra: str
    ) -> httpx.Response:
        """Send these bytes as the route's body, as the owner."""
        headers = {**self.credentials(route, body), **extra}
        if content_type is not None:
            headers["Content-Type"] = content_type
        return self.http.request(route.method, path_of(route), content=body, headers=headers)

    def connect(self) -> Connection:
        return Connection(self.process.port)

    def mark_log_read(self) -> None:
        self.log_offset = len(self.process.output)

    def assert_healthy(self) -> None:
        """The server responds and has logged no new errors."""
        listed = self.http.get("/api/projects?limit=1", headers={"Authorization": f"Bearer {self.key}"})
        assert listed.status_code == 200, listed.text
        assert self.http.get("/readyz").status_code == 200
        output = self.process.output[self.log_offset :]
        assert "unhandled exception" not in output, output[-4_000:]
        assert "Traceback" not in output, output[-4_000:]


@contextmanager
def start(folder: Path, database_url: str, **settings: str) -> Iterator[RunningServer]:
    """Start ``loremark serve`` on this database, with a registered owner, an API key and a project."""
    loremark = Loremark(
        folder, database_url, {"LOREMARK_REGISTRATION": "open", "LOREMARK_DEFAULT_PLAN": "enterprise", **settings}
    )
    with loremark.start() as process:
        process.wait_ready(seconds=90.0)
        with process.client() as http:
            http.timeout = httpx.Timeout(TIMEOUT_S)
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
            yield RunningServer(process, http, key, cookie, project_id, secret)


def assert_refused(response: httpx.Response, status: int | None = None) -> str:
    """Assert a 4xx (or exactly this status) with ``{error: text}``; returns the text."""
    assert 400 <= response.status_code < 500, (response.status_code, response.text)
    assert status is None or response.status_code == status, (response.status_code, response.text)
    assert response.headers["content-type"] == "application/json"
    content = response.json()
    assert list(content) == ["error"], content
    assert isinstance(content["error"], str)
    assert content["error"]
    assert "\n" not in content["error"]
    return content["error"]


def path_of(route: Route, segment: str | None = None) -> str:
    """The route's path with each parameter replaced by ``segment``, or by an ID that does not exist."""
    prefix = "mem" if "memberId" in route.path else "prj"
    return re.sub(r"\{\w+\}", lambda _: segment or f"{prefix}_{'0' * 26}", route.path)


_CANDIDATES: tuple[Any, ...] = ("text", "a@example.com", PASSWORD, ids.new("prj"), "root/api", 1, 0.5, True, [], {})


def sample_body(kind: type[Any]) -> dict[str, Any]:
    """A valid body with only the required fields."""
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
    if isinstance(info, msgspec.inspect.StructType):
        return sample_body(info.cls)
    if isinstance(info, msgspec.inspect.ListType) and isinstance(info.item_type, msgspec.inspect.EnumType):
        return [next(iter(info.item_type.cls)).value]
    assert isinstance(info, msgspec.inspect.LiteralType), f"no sample for {kind}"
    return info.values[0]
