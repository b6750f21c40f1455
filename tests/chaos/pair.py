"""Two API processes on one PostgreSQL and one Redis, and their clients."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import count
from typing import Self

import httpx

from loremark.base.caller import AuthMethod, Caller, Role
from loremark.features.identity import store as people
from loremark.features.keys import service as keys
from loremark.storage.database import Database
from loremark.wire.keys import NewKey
from tests.chaos import ledger
from tests.support.processes import Process

_addresses = count(1)


def next_address() -> str:
    """A new client address; the processes trust us as a proxy."""
    number = next(_addresses)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


@dataclass(frozen=True)
class Pair:
    """Two processes and the owner of a team."""

    url: str
    one: Process
    other: Process
    owner: dict[str, str]


class ProcessClient:
    """A client of one process, with a key; each request appears to come from a new address."""

    def __init__(self, process: Process, key: str) -> None:
        self._key = key
        self._http = process.client()

    def call(self, method: str, path: str, json: object = None, key: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key or self._key}", "X-Forwarded-For": next_address()}
        return self._http.request(method, path, json=json, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()


@dataclass(frozen=True)
class TeamMember:
    """A member of the owner's team."""

    member_id: str
    key: str


def add_team_member(pair: Pair, role: Role) -> TeamMember:
    """Add a member to the team directly, without an invitation email."""

    async def join(database: Database) -> TeamMember:
        email = f"{next_address()}@example.com"
        async with database.write() as tx:
            user_id = await people.create_user(tx, email=email, name="Mira", password_hash=None)
            assert user_id is not None
            member_id = await people.add_member(tx, team_id=pair.owner["teamId"], user_id=user_id, role=role)
            assert member_id is not None
            caller = Caller(
                user_id=user_id,
                team_id=pair.owner["teamId"],
                role=role,
                auth_method=AuthMethod.OPERATOR,
                credential_id="",
                name="Mira",
                email=email,
            )
            made = await keys.create_key(tx, caller, NewKey(name="test"))
        return TeamMember(member_id, made.key)

    return ledger.with_database(pair.url, join)


class Stream:
    """An open /api/live stream, read in a thread."""

    def __init__(self, process: Process, key: str) -> None:
        self.lines: list[str] = []
        self.error: httpx.HTTPError | None = None
        self.ready = threading.Event()
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._read, args=(process, key))
        self._thread.start()

    def _read(self, process: Process, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}", "X-Forwarded-For": next_address()}
        try:
            with process.client() as http, http.stream("GET", "/api/live", headers=headers) as answer:
                for line in answer.iter_lines():
                    self.lines.append(line)
                    self.ready.set()
        except httpx.HTTPError as error:
            self.error = error
        self.ended.set()

    def __enter__(self) -> Self:
        assert self.ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        """The server must have closed the stream by now."""
        self._thread.join(60)
        assert self.ended.is_set()

    def ends_within(self, seconds: float) -> bool:
        """Whether the server closes the stream in time, and properly instead of dropping the connection."""
        return self.ended.wait(seconds) and self.error is None

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        stop = time.monotonic() + seconds
        while not any(text in line for line in list(self.lines)):
            assert time.monotonic() < stop, self.lines
            time.sleep(0.005)
