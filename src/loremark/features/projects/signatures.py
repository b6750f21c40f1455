"""The check of a signed request: which project it speaks for."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache

import msgspec
from sqlalchemy import bindparam, select

from loremark.base import clock, errors, ids, limits, signing
from loremark.base.caller import MEMBER, Caller, Via
from loremark.base.crypto import Sealer
from loremark.features.projects.secrets import secret_context
from loremark.storage.database import Database, Row
from loremark.storage.statements import Sql
from loremark.storage.tables import projects
from loremark.web.request import Request

_KEPT_PROJECTS = 4096

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
    """A secret that signatures may be made with, sealed and opened; ``until_ms``: for how long."""

    sealed: str
    opened: str
    until_ms: int | None


class _Project(msgspec.Struct, frozen=True):
    """A project as it was last seen."""

    team_id: str
    secrets: tuple[_Secret, ...]

    def proof(self, timestamp: str, body: bytes, signature: str) -> str | None:
        """The sealed secret that the signature fits."""
        for secret in self.secrets:
            valid = secret.until_ms is None or secret.until_ms > clock.now_ms()
            if valid and signing.request_signature_matches(secret.opened, timestamp, body, signature):
                return secret.sealed
        return None


class Signatures:
    """Checks the three signature headers, in this order: present, fresh, known project, right signature."""

    def __init__(self, sealer: Sealer) -> None:
        # The sealed text is the key, so that a rotated secret is never taken from the cache.
        self._open = lru_cache(maxsize=_KEPT_PROJECTS)(sealer.open)
        self._seen: OrderedDict[str, _Project] = OrderedDict()

    async def verify(self, database: Database, request: Request, quick: bool = False) -> Caller:
        """The caller. ``quick``: a project seen before is not looked up; the caller's proof is confirmed later."""
        project_id = request.header(b"x-service-project")
        timestamp = request.header(b"x-service-timestamp")
        signature = request.header(b"x-service-signature")
        if not project_id or not timestamp or not signature:
            raise errors.MISSING_HEADER()
        if not _is_fresh(timestamp):
            raise errors.TIMESTAMP_EXPIRED()
        remembered = self._seen.get(project_id) if quick else None
        project = remembered or await self._look_up(database, project_id)
        body = await request.read_body()  # not before we know that somebody means it
        proof = project.proof(timestamp, body, signature)
        if proof is None and remembered is not None:
            project = await self._look_up(database, project_id)
            proof = project.proof(timestamp, body, signature)
        if proof is None:
            raise errors.INVALID_SIGNATURE()
        return Caller(
            user_id="",
            team_id=project.team_id,
            role=MEMBER,
            via=Via.SIGNATURE,
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
            self._seen.pop(project_id, None)
            raise errors.PROJECT_NOT_FOUND()
        project = self._seen[project_id] = self._as_seen(project_id, row)
        if len(self._seen) > _KEPT_PROJECTS:
            self._seen.popitem(last=False)
        return project

    def _as_seen(self, project_id: str, row: Row) -> _Project:
        context = secret_context(project_id)
        current, previous = row["hmac_secret_sealed"], row["hmac_previous_sealed"]
        secrets = [_Secret(current, self._open(current, context), None)]
        if previous:
            secrets.append(_Secret(previous, self._open(previous, context), row["hmac_previous_until_ms"]))
        return _Project(row["team_id"], tuple(secrets))


def _is_fresh(timestamp: str) -> bool:
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
        return False
    age_s = clock.now_ms() // clock.SECOND_MS - int(timestamp)  # in whole seconds, as timestamps are
    return abs(age_s) <= limits.HMAC_AGE_MS // clock.SECOND_MS
