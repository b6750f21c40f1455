"""Notifies open dashboard pages about changes. Only a hint: a page that misses one catches up on reload."""

from __future__ import annotations

from loremark.storage.database import Tx

LIVE = "live"
ACCESS = "access"


def notify_changed(tx: Tx, team_id: str, what: str, project_id: str | None = None) -> None:
    """Announce a change in the team or one project: ``projects``, ``team``, ``keys``, …"""
    tx.notify(LIVE, f"{team_id} {what} {project_id or ''}".rstrip())


def notify_access_changed(tx: Tx, user_id: str) -> None:
    """Announce a changed credential or membership: the user's open streams must re-authorize."""
    tx.notify(ACCESS, user_id)
