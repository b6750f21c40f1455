"""The actors of the access and contract tests: a team with every role, another team, a removed member, anonymous."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec

from loremark.base import clock, ids, signing
from loremark.base.caller import OWNER, AuthMethod, Caller
from loremark.base.plans import load_plans
from loremark.features.identity import second_factor_store as factors
from loremark.features.projects import service as projects
from loremark.web.authentication import KEY, LOGIN
from loremark.web.routes import Route
from loremark.wire.projects import NewProject
from loremark.wire.team import AssignableRole, NewMember
from tests.support import databases
from tests.support.people import Person
from tests.support.service import BASE_URL, PASSWORD, Service, run_service, settings_for

COOKIE = "loremark_login"
STRIPE_SECRET = "whsec_of_the_tests"
TEAM = ("owner", "admin", "lead", "assigned", "unassigned")
ACTORS = (*TEAM, "stranger", "removed", "anonymous")


def new_email() -> str:
    return f"{ids.new('per')}@example.com"


@dataclass(frozen=True)
class Actor:
    """A caller with a key, a browser login, or neither."""

    name: str
    person: Person
    login: str = ""

    @property
    def email(self) -> str:
        return self.person.email


@dataclass(frozen=True)
class Ask:
    """A request to a route. ``target`` is the id it refers to, wherever it appears.

    With a ``secret``, the request is signed for its project.
    """

    path: dict[str, str] = field(default_factory=dict)
    json: Any = None
    query: str = ""
    target: str = ""
    project: str = ""
    login: str = ""
    secret: str = ""
    raw: bytes | None = None
    """A raw body, sent with ``headers``."""
    headers: dict[str, str] = field(default_factory=dict)

    def about(self, other: str) -> Ask:
        """The same request for another target."""

        def swapped(values: dict[str, Any]) -> dict[str, Any]:
            return {name: other if value == self.target else value for name, value in values.items()}

        return dataclasses.replace(
            self,
            path=swapped(self.path),
            json=swapped(self.json) if self.json else self.json,
            query=self.query.replace(self.target, other) if self.target else self.query,
            target=other,
        )

    @property
    def content(self) -> bytes:
        """The body as sent and signed."""
        return json.dumps(self.json).encode() if self.json is not None else b""

    def signature(self, content: Any) -> dict[str, str]:
        """The headers of a signed request; a streamed body is not covered."""
        timestamp = str(clock.now_ms() // 1000)
        covered = content if isinstance(content, bytes) else b""
        return {
            "X-Service-Project": self.target,
            "X-Service-Timestamp": timestamp,
            "X-Service-Signature": signing.sign_request(self.secret, timestamp, covered),
        }


class Cast:
    """A running service with its actors. Records are created on demand through the API."""

    def __init__(self, service: Service, engine: str, folder: Path, actors: dict[str, Actor]) -> None:
        self.service = service
        self.engine = engine
        self.folder = folder
        self._actors = actors
        self._visitor: Actor | None = None
        self._visitor_member = ""
        self._limited: dict[str, Actor] = {}
        self._other_project = ""

    def __getitem__(self, name: str) -> Actor:
        return self._actors[name]

    @property
    def owner(self) -> Person:
        return self["owner"].person

    async def send(
        self, actor: Actor, route: Route, ask: Ask | None = None, *, by_login: bool | None = None, **options: Any
    ) -> httpx.Response:
        """Call the route with the actor's key or, if it takes none, login."""
        ask = ask or Ask()
        url = route.path.format_map(ask.path) + ask.query
        accepted = route.needs.credentials
        if by_login is None:
            by_login = accepted is not None and KEY not in accepted and LOGIN in accepted
        headers = {**self._credential(actor, ask, by_login), **ask.headers, **options.pop("headers", {})}
        if ask.raw is not None:
            options.setdefault("content", ask.raw)
        if ask.secret:
            if "content" not in options:
                options["content"] = ask.content
                headers.setdefault("Content-Type", "application/json")
            headers = {**ask.signature(options["content"]), **headers}
        if ask.json is not None and "content" not in options:
            options["json"] = ask.json
        if route.content_type == "text/event-stream" and route.method == "GET":
            return await self._stream_start(url, headers)
        answer = await self.service.http.request(route.method, url, headers=headers, **options)
        self.service.http.cookies.clear()
        return answer

    def _credential(self, actor: Actor, ask: Ask, by_login: bool) -> dict[str, str]:
        if not by_login:
            return {"Authorization": f"Bearer {actor.person.key}"} if actor.person.key else {}
        login = ask.login or actor.login
        return {"Cookie": f"{COOKIE}={login}", "Sec-Fetch-Site": "same-origin"} if login else {}

    async def _stream_start(self, url: str, headers: dict[str, str]) -> httpx.Response:
        """The headers and first chunk of an endless response; then disconnects."""
        return await self._send_and_disconnect(httpx.Request("GET", BASE_URL + url, headers=headers))

    async def send_partial_body(self, actor: Actor, route: Route, ask: Ask) -> httpx.Response:
        """The response to a client that disconnects while sending its body."""
        headers = {**self._credential(actor, ask, KEY not in (route.needs.credentials or KEY)), **ask.signature(b"")}
        url = BASE_URL + route.path.format_map(ask.path) + ask.query
        request = httpx.Request(route.method, url, headers={**headers, "Content-Type": "application/json"})
        return await self._send_and_disconnect(request, b'{"na')

    async def _send_and_disconnect(self, request: httpx.Request, begun: bytes | None = None) -> httpx.Response:
        """The first chunk of the response to a client that disconnects, after it or during the request body."""
        arrived = asyncio.Event()
        messages: list[Any] = []
        parts = [] if begun is None else [{"type": "http.request", "body": begun, "more_body": True}]

        async def receive() -> dict[str, Any]:
            if parts:
                return parts.pop()
            if begun is None:
                await arrived.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)
            if message["type"] == "http.response.body":
                arrived.set()

        scope = {
            "type": "http",
            "scheme": "http",
            "method": request.method,
            "path": request.url.path,
            "query_string": request.url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("127.0.0.1", 1),
        }
        async with asyncio.timeout(60):
            await self.service.app(scope, receive, send)
        head, first = messages[0], messages[1]
        return httpx.Response(head["status"], headers=head["headers"], content=first["body"], request=request)

    async def limited(self, **limits: Any) -> Actor:
        """The owner with a key that has these limits."""
        name = json.dumps(limits)
        if name not in self._limited:
            made = await self.owner.post("/api/keys", {"name": "limited", **limits})
            assert made.status_code == 201, made.text
            self._limited[name] = Actor(name, dataclasses.replace(self.owner, key=made.json()["key"]))
        return self._limited[name]

    async def other_project(self) -> str:
        """A project that no example is about, always the same."""
        if not self._other_project:
            self._other_project = await self.project("public")
        return self._other_project

    async def project(self, visibility: str = "private") -> str:
        """Create a project of the owner with ``lead`` as its admin and ``assigned`` as a member.

        It is stored as the requests would store it, without sending three for each of thousands of examples.
        """
        runtime, owner = self.service.runtime, self.owner
        caller = Caller(
            user_id=owner.user_id,
            team_id=owner.team_id,
            role=OWNER,
            auth_method=AuthMethod.KEY,
            credential_id="",
            name="owner",
            email=owner.email,
        )
        wanted = msgspec.convert({"name": "Loremark", "visibility": visibility}, NewProject)
        roles: dict[str, AssignableRole] = {"lead": "admin", "assigned": "member"}
        async with runtime.database.write() as tx:
            plans = load_plans(self.service.settings.default_plan)
            made = await projects.create_project(tx, caller, plans, runtime.sealer, wanted)
            for name, role in roles.items():
                await projects.add_member(tx, caller, made.id, NewMember(email=self[name].email, role=role))
        return made.id

    async def secret_of(self, project_id: str) -> str:
        answer = await self.owner.get(f"/api/projects/{project_id}/hmac-secret")
        assert answer.status_code == 200, answer.text
        return str(answer.json()["secret"])

    async def key_of(self, actor: Actor) -> str:
        made = await actor.person.post("/api/keys", {"name": "fresh"})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    async def login_of(self, actor: Actor) -> str:
        """Sign in on another device and return the login's id."""
        await self.log_in(actor)
        return str((await actor.person.get("/api/auth/logins")).json()[0]["id"])

    async def invitation(self, email: str = "") -> str:
        """Create a pending invitation."""
        invited = await self.owner.post("/api/team", {"email": email or new_email()})
        assert invited.status_code == 201, invited.text
        return str(invited.json()["id"])

    async def visitor(self) -> str:
        """A member who has just joined (always the same account, to hash one password only)."""
        if self._visitor_member:
            await self.owner.delete(f"/api/team/{self._visitor_member}")
        self._visitor = self._visitor or await register(self.service, "visitor")
        token = await self.service.invitation_token(await self.invitation(self._visitor.email))
        joined = await self.service.browser_call(
            "POST", "/api/team/invitations/accept", {COOKIE: self._visitor.login}, json={"token": token}
        )
        self.service.http.cookies.clear()
        assert joined.status_code == 200, joined.text
        self._visitor_member = str(joined.json()["id"])
        return self._visitor_member

    async def reset_two_factor(self, actor: Actor) -> None:
        async with self.service.runtime.database.write() as tx:
            await factors.delete_totp(tx, actor.person.user_id)
            await factors.replace_recovery_codes(tx, actor.person.user_id, [])

    async def log_in(self, actor: Actor) -> str:
        await self.reset_two_factor(actor)
        return await _log_in(self.service, actor.email)

    @asynccontextmanager
    async def elsewhere(self, **changes: str) -> AsyncIterator[Service]:
        """Another service with a fresh database and other settings."""
        folder = self.folder / ids.new("sub")
        async with run_service(settings_for(folder, databases.fresh(self.engine, folder), **changes)) as service:
            yield service


Example = Callable[[Cast, Actor], Awaitable[Ask]]


async def _log_in(service: Service, email: str) -> str:
    answer = await service.http.post("/api/auth/login", json={"email": email, "password": PASSWORD})
    service.http.cookies.clear()
    assert answer.status_code == 200, answer.text
    return answer.cookies[COOKIE]


async def register(service: Service, name: str) -> Actor:
    """Create an account with its own team."""
    body = {"email": new_email(), "password": PASSWORD, "name": name, "teamName": f"{name}'s"}
    made = await service.http.post("/api/auth/register", json=body)
    service.http.cookies.clear()
    assert made.status_code == 201, made.text
    login = made.cookies[COOKIE]
    key = await service.browser_call("POST", "/api/keys", {COOKIE: login}, json={"name": "test"})
    me = made.json()
    person = Person(service.http, me["email"], me["userId"], me["teamId"], key=key.json()["key"])
    return Actor(name, person, login)


@asynccontextmanager
async def open_cast(engine: str, folder: Path) -> AsyncIterator[Cast]:
    """Create all actors on a fresh database."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = settings_for(
        folder,
        databases.fresh(engine, folder),
        LOREMARK_REGISTRATION="open",
        LOREMARK_DEFAULT_PLAN="enterprise",
        LOREMARK_OUTBOUND_ALLOW="127.0.0.0/8",
        LOREMARK_STRIPE_WEBHOOK_SECRET=STRIPE_SECRET,
    )
    async with run_service(chosen) as service:
        actors = {name: await register(service, name) for name in ("owner", "stranger")}
        owner = actors["owner"].person
        for name in ("admin", "lead", "assigned", "unassigned", "removed"):
            person = await service.join(owner, "admin" if name == "admin" else "member")
            actors[name] = Actor(name, person, await _log_in(service, person.email))
        left = await owner.delete(f"/api/team/{actors['removed'].person.member_id}")
        assert left.status_code == 204, left.text
        actors["anonymous"] = Actor("anonymous", service.anonymous)
        yield Cast(service, engine, folder, actors)
