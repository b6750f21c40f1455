"""A user's browser logins: what they are signed in on, and ending them."""

from __future__ import annotations

import re

from loremark.base import clock, errors
from loremark.base.caller import AuthMethod, Caller
from loremark.features.audit import store as audit
from loremark.features.identity import store
from loremark.features.identity.last_use import LoginUse
from loremark.features.identity.limited_keys import require_unlimited
from loremark.jobs.notices import notify_access_changed
from loremark.storage.database import Row, Tx
from loremark.wire.identity import LoginEntry

# The first match counts: browsers also name those they are compatible with.
_BROWSERS = (
    ("Edge", "Edg"),
    ("Opera", "OPR/"),
    ("Samsung Internet", "SamsungBrowser/"),
    ("Firefox", "Firefox/"),
    ("Firefox", "FxiOS/"),
    ("Chrome", "Chrome/"),
    ("Chrome", "CriOS/"),
    ("Safari", "Safari/"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("macOS", "Mac OS X"),
    ("ChromeOS", "CrOS"),
    ("Linux", "Linux"),
)
_PRODUCT = re.compile(r"[A-Za-z][\w .-]{0,40}")


async def list_logins(tx: Tx, caller: Caller, uses: LoginUse) -> list[LoginEntry]:
    """List the caller's logins, newest first."""
    require_unlimited(caller)
    return [_shape(row, caller, uses) for row in await store.list_logins(tx, caller.user_id)]


async def end_login(tx: Tx, caller: Caller, login_id: str) -> None:
    """End one of the caller's logins."""
    require_unlimited(caller)
    if await store.find_login(tx, caller.user_id, login_id) is None:
        raise errors.LOGIN_NOT_FOUND()
    await store.delete_login(tx, login_id)
    await audit.record(tx, caller, "login.revoked", login_id)
    notify_access_changed(tx, caller.user_id)


async def end_other_logins(tx: Tx, caller: Caller) -> int:
    """End all of the caller's logins but the current one, and return how many."""
    ended = await store.delete_other_logins(tx, caller.user_id, keep=caller.credential_id)
    if ended:
        await audit.record(tx, caller, "login.others_revoked", caller.user_id, logins=ended)
        notify_access_changed(tx, caller.user_id)
    return ended


def describe_device(user_agent: str) -> str:
    """Name the browser and the system, or the program."""
    browser = next((name for name, sign in _BROWSERS if sign in user_agent), "")
    system = next((name for name, sign in _SYSTEMS if sign in user_agent), "")
    if not browser and not system:
        program = _PRODUCT.match(user_agent)
        return program[0].strip() if program else "Unknown device"
    return f"{browser or 'A browser'} on {system}" if system else browser


def _shape(row: Row, caller: Caller, uses: LoginUse) -> LoginEntry:
    return LoginEntry(
        id=row["id"],
        device=describe_device(row["user_agent"] or ""),
        address=row["address"] or "",
        team_name=row["team_name"],
        current=caller.auth_method is AuthMethod.LOGIN and row["id"] == caller.credential_id,
        created_at=clock.iso(row["created_at_ms"]),
        last_used=clock.iso_or_none(uses.last_used_ms(row["id"], row["last_used_ms"])),
        expires_at=clock.iso(row["expires_at_ms"]),
    )
