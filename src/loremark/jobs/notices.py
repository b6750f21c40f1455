"""Notices to open pages that something they show has changed. A hint: whoever misses one sees it on reload."""

from __future__ import annotations

from loremark.storage.database import Tx

LIVE = "live"
ACCESS = "access"


def tell_changed(tx: Tx, team_id: str, what: str, project_id: str | None = None) -> None:
    """Something of the team (or of one project) has changed: ``projects``, ``team``, ``keys``, …"""
    tx.notify(LIVE, f"{team_id} {what} {project_id or ''}".rstrip())


def tell_access_changed(tx: Tx, user_id: str) -> None:
    """A credential or membership of this user has ended or changed: open streams must ask again."""
    tx.notify(ACCESS, user_id)
