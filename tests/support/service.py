"""The whole service in this process, on a real database, reached over ASGI."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from loremark.base import ids, settings
from loremark.base.caller import AuthMethod
from loremark.base.plans import load_plans
from loremark.base.settings import Settings
from loremark.entry.application import open_app
from loremark.entry.background import open_background
from loremark.entry.runtime import Runtime, open_runtime
from loremark.features.identity import service as identity
from loremark.features.identity import store as people
from loremark.features.keys import service as keys
from loremark.features.team import invitations
from loremark.features.team.tokens import InvitationTokens
from loremark.web.app import App
from loremark.wire.keys import NewKey
from tests.support import databases
from tests.support.people import Person

BASE_URL = "http://127.0.0.1:8000"
PASSWORD = "correct horse battery"


class Service:
    """A running service and its users."""

    def __init__(self, runtime: Runtime, app: App, http: httpx.AsyncClient) -> None:
        self.runtime = runtime
        self.app = app
        self.http = http
        self.anonymous = Person(http)

    @property
    def settings(self) -> Settings:
        return self.runtime.settings

    async def owner(self, team: str = "Stones") -> Person:
        """Create a team and return its owner, with a key."""
        email = f"{ids.new('own')}@example.com"
        plans = load_plans(self.settings.default_plan)
        async with self.runtime.database.write() as tx:
            user_id = await people.create_user(tx, email=email, name="Olga Owner", password_hash=None)
            assert user_id is not None
            await people.claim(tx, identity.FIRST_ACCOUNT, user_id)
            caller = await identity.create_owner(tx, plans, user_id, "Olga Owner", email, team, AuthMethod.OPERATOR)
            made = await keys.create_key(tx, caller, NewKey(name="test"))
        return Person(self.http, email=email, user_id=user_id, team_id=caller.team_id, key=made.key)

    async def join(self, inviter: Person, role: str = "member", email: str | None = None) -> Person:
        """Invite a new member, accept the invitation, and return the member with a key."""
        email = email or f"{ids.new('mbr')}@example.com"
        invited = await inviter.post("/api/team", {"email": email, "role": role})
        assert invited.status_code == 201, invited.text
        token = await self.invitation_token(invited.json()["id"])
        accepted = await self.http.post(
            "/api/team/invitations/accept", json={"token": token, "name": "Mira Member", "password": PASSWORD}
        )
        assert accepted.status_code == 200, accepted.text
        cookies = {"loremark_login": accepted.cookies["loremark_login"]}
        self.http.cookies.clear()
        made = await self.browser_call("POST", "/api/keys", cookies, json={"name": "test"})
        member = accepted.json()
        return Person(
            self.http,
            email=email,
            user_id=member["userId"],
            team_id=inviter.team_id,
            member_id=member["id"],
            key=made.json()["key"],
        )

    async def invitation_token(self, invitation_id: str) -> str:
        """The token from the invitation email (another test reads it from the email itself)."""
        async with self.runtime.database.read() as tx:
            row = await invitations.find(tx, invitation_id)
        assert row is not None
        return InvitationTokens(self.runtime.sealer).make(row)

    async def browser_call(self, method: str, path: str, cookies: dict[str, str], **options: Any) -> httpx.Response:
        """Send a request the way our own page does in a browser."""
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        headers = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin", **options.pop("headers", {})}
        return await self.http.request(method, path, headers=headers, **options)

    async def wait_for_jobs(self, seconds: float = 60.0) -> None:
        """Wait until no job is queued or running."""
        from sqlalchemy import select

        from loremark.storage.tables import jobs

        async with asyncio.timeout(seconds):
            while True:
                async with self.runtime.database.read() as tx:
                    open_jobs = await tx.many(
                        select(jobs.c.id).where(jobs.c.status.in_(["queued", "running"]), jobs.c.id.not_like("every/%"))
                    )
                if not open_jobs:
                    return
                await asyncio.sleep(0.02)


async def setup_token(service: Service) -> str:
    """A token like the one in the sign-in link that the first start prints."""
    async with service.runtime.database.write() as tx:
        return await people.create_link(tx, None)


def settings_for(folder: Path, database_url: str, **changes: str) -> Settings:
    """Settings for a test: generous limits, everything in the test's own folder."""
    environment = {
        "LOREMARK_DATA_DIR": str(folder),
        "LOREMARK_DATABASE_URL": database_url,
        "LOREMARK_BASE_URL": BASE_URL,
        "LOREMARK_RATE_LIMIT_PER_MINUTE": "100000",
        "LOREMARK_ROUTE_LIMITS": "login=1000/minute,code=1000/minute,invite=0,ask=100000/minute,genesis.start=0",
        "LOREMARK_LOG_LEVEL": "error",
        **changes,
    }
    return settings.load(environment)


@asynccontextmanager
async def run_service(chosen: Settings) -> AsyncIterator[Service]:
    async with (
        open_runtime(chosen) as runtime,
        open_background(runtime) as background,
        open_app(runtime, background) as app,
    ):
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
            yield Service(runtime, app, http)


class Services:
    """The services of a test module: started on first use, closed at the end of the module."""

    def __init__(self, stack: AsyncExitStack, folders: pytest.TempPathFactory) -> None:
        self._stack = stack
        self._folders = folders
        self._running: dict[str, Service] = {}

    async def get(self, engine: str) -> Service:
        """The service on this engine."""
        if engine not in self._running:
            folder = self._folders.mktemp("service")
            chosen = settings_for(folder, databases.fresh(engine, folder))
            self._running[engine] = await self._stack.enter_async_context(run_service(chosen))
        return self._running[engine]
