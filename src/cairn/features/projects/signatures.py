"""The check of a signed request: which project it speaks for."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import bindparam, select

from cairn.base import clock, errors, ids, limits, signing
from cairn.base.caller import MEMBER, Caller, Via
from cairn.base.crypto import Sealer
from cairn.features.projects.secrets import secret_context
from cairn.storage.database import Row, Tx
from cairn.storage.statements import Sql
from cairn.storage.tables import projects
from cairn.web.request import Request

_FIND = Sql(
    select(
        projects.c.id,
        projects.c.team_id,
        projects.c.hmac_secret_sealed,
        projects.c.hmac_previous_sealed,
        projects.c.hmac_previous_until_ms,
    ).where(projects.c.id == bindparam("project_id"), projects.c.deleted_at_ms.is_(None))
)


class Signatures:
    """Checks the three signature headers, in this order: present, fresh, known project, right signature."""

    def __init__(self, sealer: Sealer) -> None:
        # The sealed text is the key, so that a rotated secret is never taken from the cache.
        self._open = lru_cache(maxsize=4096)(sealer.open)

    async def verify(self, tx: Tx, request: Request, body: bytes) -> Caller:
        project_id = request.header(b"x-service-project")
        timestamp = request.header(b"x-service-timestamp")
        signature = request.header(b"x-service-signature")
        if not project_id or not timestamp or not signature:
            raise errors.MISSING_HEADER()
        if not _is_fresh(timestamp):
            raise errors.TIMESTAMP_EXPIRED()
        project = await tx.one(_FIND, project_id=project_id) if ids.looks_valid(project_id, "prj") else None
        if project is None:
            raise errors.PROJECT_NOT_FOUND()
        if not any(
            signing.request_signature_matches(secret, timestamp, body, signature) for secret in self._secrets(project)
        ):
            raise errors.INVALID_SIGNATURE()
        return Caller(
            user_id="",
            team_id=project["team_id"],
            role=MEMBER,
            via=Via.SIGNATURE,
            credential_id=project_id,
            address=request.address,
            request_id=request.request_id,
        )

    def _secrets(self, project: Row) -> list[str]:
        context = secret_context(project["id"])
        secrets = [self._open(project["hmac_secret_sealed"], context)]
        if project["hmac_previous_sealed"] and project["hmac_previous_until_ms"] > clock.now_ms():
            secrets.append(self._open(project["hmac_previous_sealed"], context))
        return secrets


def _is_fresh(timestamp: str) -> bool:
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
        return False
    return abs(clock.now_ms() - int(timestamp) * 1000) <= limits.HMAC_AGE_MS
