"""Verification of signed requests."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache

import msgspec
from sqlalchemy import bindparam, select

from loremark.base import clock, errors, ids, limits, signing
from loremark.base.caller import MEMBER, AuthMethod, Caller
from loremark.base.crypto import Sealer
from loremark.features.projects.secrets import secret_context
from loremark.storage.database import Database, Row
from loremark.storage.statements import Sql
from loremark.storage.tables import projects
from loremark.web.request import Request

_CACHED_PROJECTS = 4096

_FIND = Sql(
    select(
        projects.c.id,
        projects.c.team_id,
        projects.c.hmac_secret_sealed,
        projects.c.hmac_previous_sealed,
        projects.c.hmac_previous_until_ms,
    ).where(projects.c.id == bindparam("project_id"), projects.c.deleted_at_ms.is_(None))
)


class _Secret(msgspec.Struct, frozen=True):
    """An accepted secret, sealed and opened. ``until_ms`` is when it expires."""

    sealed: str
    opened: str
    until_ms: int | None


class _Project(msgspec.Struct, frozen=True):
    """A cached project."""

    team_id: str
    secrets: tuple[_Secret, ...]

    def matching_secret(self, timestamp: str, body: bytes, signature: str) -> str | None:
        """The sealed secret that matches the signature."""
        for secret in self.secrets:
            valid = secret.until_ms is None or secret.until_ms > clock.now_ms()
            if valid and signing.request_signature_matches(secret.opened, timestamp, body, signature):
                return secret.sealed
        return None


class Signatures:
    """Verifies the signature headers: all present, fresh timestamp, known project, valid signature."""

    def __init__(self, sealer: Sealer) -> None:
        # Keyed by the sealed text, so a rotated secret is never served from the cache.
        self._open = lru_cache(maxsize=_CACHED_PROJECTS)(sealer.open)
        self._cache: OrderedDict[str, _Project] = OrderedDict()

    async def verify(self, database: Database, request: Request, quick: bool = False) -> Caller:
        """Return the caller. With ``quick``, a cached project is not looked up; the caller's proof is checked later."""
        project_id = request.header(b"x-service-project")
        timestamp = request.header(b"x-service-timestamp")
        signature = request.header(b"x-service-signature")
        if not project_id or not timestamp or not signature:
            raise errors.MISSING_HEADER()
        if not _is_fresh(timestamp):
            raise errors.TIMESTAMP_EXPIRED()
        cached = self._cache.get(project_id) if quick else None
        project = cached or await self._look_up(database, project_id)
        body = await request.read_body()  # only read for a known project
        proof = project.matching_secret(timestamp, body, signature)
        if proof is None and cached is not None:
            project = await self._look_up(database, project_id)
            proof = project.matching_secret(timestamp, body, signature)
        if proof is None:
            raise errors.INVALID_SIGNATURE()
        return Caller(
            user_id="",
            team_id=project.team_id,
            role=MEMBER,
            auth_method=AuthMethod.SIGNATURE,
            credential_id=project_id,
            proof=proof,
            address=request.address,
            request_id=request.request_id,
        )

    async def _look_up(self, database: Database, project_id: str) -> _Project:
        row: Row | None = None
        if ids.looks_valid(project_id, "prj"):
            async with database.read() as tx:
                row = await tx.one(_FIND, project_id=project_id)
        if row is None:
            self._cache.pop(project_id, None)
            raise errors.PROJECT_NOT_FOUND()
        project = self._cache[project_id] = self._cached(project_id, row)
        if len(self._cache) > _CACHED_PROJECTS:
            self._cache.popitem(last=False)
        return project

    def _cached(self, project_id: str, row: Row) -> _Project:
        context = secret_context(project_id)
        current, previous = row["hmac_secret_sealed"], row["hmac_previous_sealed"]
        secrets = [_Secret(current, self._open(current, context), None)]
        if previous:
            secrets.append(_Secret(previous, self._open(previous, context), row["hmac_previous_until_ms"]))
        return _Project(row["team_id"], tuple(secrets))


def _is_fresh(timestamp: str) -> bool:
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
        return False
    age_s = clock.now_ms() // clock.SECOND_MS - int(timestamp)  # whole seconds, like the timestamp
    return abs(age_s) <= limits.HMAC_AGE_MS // clock.SECOND_MS
