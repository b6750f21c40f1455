"""A project's signing secret."""

from __future__ import annotations

from loremark.base import clock, ids, limits
from loremark.base.caller import Caller
from loremark.base.crypto import Sealer
from loremark.features.audit import store as audit
from loremark.features.projects import store
from loremark.features.projects.access import Access, get_project
from loremark.features.team.departures import Departure
from loremark.storage.database import Row, Tx
from loremark.wire.projects import HmacSecret, RotatedSecret


def new_secret() -> str:
    return ids.token(32)


def secret_context(project_id: str) -> str:
    return f"hmac:{project_id}"


def accepted_secrets(project: Row) -> list[str]:
    """The sealed secrets whose signatures are valid now."""
    accepted: list[str] = [project["hmac_secret_sealed"]]
    if project["hmac_previous_sealed"] and project["hmac_previous_until_ms"] > clock.now_ms():
        accepted.append(project["hmac_previous_sealed"])
    return accepted


async def get_secret(tx: Tx, caller: Caller, sealer: Sealer, project_id: str) -> HmacSecret:
    """Get the current secret. Every read is in the audit log, because a secret that was read may have been kept."""
    project = await get_project(tx, caller, project_id, Access.MANAGE, allow_archived=True)
    await audit.record(tx, caller, "project.secret_read", project_id, project_id=project_id)
    return HmacSecret(secret=sealer.open(project["hmac_secret_sealed"], secret_context(project_id)))


async def rotate_secret(tx: Tx, caller: Caller, sealer: Sealer, project_id: str, *, revoke_now: bool) -> RotatedSecret:
    """Create a new secret. The old one stays valid for 24 hours unless revoked now."""
    project = await get_project(tx, caller, project_id, Access.MANAGE)
    return await _rotate(tx, caller, sealer, project, revoke_now=revoke_now)


class SecretsOfDeparted:
    """Replaces the secrets that a removed person could read; the old ones are invalid at once."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    async def __call__(self, tx: Tx, caller: Caller, departure: Departure) -> list[str]:
        lines = []
        for project_id in departure.project_ids:
            project = await store.find_project_of_team(tx, caller.scope, project_id)
            if project is None:
                continue
            await _rotate(tx, caller, self._sealer, project, revoke_now=True)
            lines.append(
                f"replaced the signing secret of the project {project['name']}: tools that sign events with it need "
                "the new one, which is in Project settings"
            )
        return lines


async def _rotate(tx: Tx, caller: Caller, sealer: Sealer, project: Row, *, revoke_now: bool) -> RotatedSecret:
    project_id = project["id"]
    secret = new_secret()
    until_ms = None if revoke_now else clock.now_ms() + limits.HMAC_PREVIOUS_VALID_MS
    changes = {
        "hmac_secret_sealed": sealer.seal(secret, secret_context(project_id)),
        "hmac_previous_sealed": None if revoke_now else project["hmac_secret_sealed"],
        "hmac_previous_until_ms": until_ms,
    }
    await store.update_project(tx, caller.scope, project_id, changes)
    await audit.record(tx, caller, "project.secret_rotated", project_id, project_id=project_id, revokedNow=revoke_now)
    return RotatedSecret(secret=secret, previous_valid_until=clock.iso_or_none(until_ms))
