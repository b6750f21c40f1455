"""Validation and storage of a project's repository URL and token."""

from __future__ import annotations

import re
from typing import Any

from msgspec import UNSET

from loremark.base import errors
from loremark.base.crypto import Sealer
from loremark.storage.database import Row
from loremark.wire.projects import ProjectUpdate, RepoAuthMethod

_SEGMENT = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*")


class RepoHosts:
    """The allowed hosts of ``repoUrl``, as ``host`` or ``host:port``."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)

    def owner_of(self, url: str) -> str:
        """The owner part of ``https://<repo_host>/<owner>/<repo>``; raises for any other form."""
        match = re.fullmatch(r"https://([^/?#@\s]+)/([^/?#\s]+)/([^/?#\s]+?)/?", url)
        if match is None or match[1].lower() not in self._hosts:
            raise errors.BAD_REPO_URL()
        if not all(_SEGMENT.fullmatch(part) and part.strip(".") for part in match.groups()[1:]):
            raise errors.BAD_REPO_URL()
        return match[2]


def auth_method(project: Row) -> RepoAuthMethod | None:
    if project["repo_token_sealed"]:
        return "token"
    return None if project["repo_url"] is None else "public"


def token_context(project_id: str) -> str:
    return f"repo-token:{project_id}"


def repository_changes(project: Row, change: ProjectUpdate, hosts: RepoHosts, sealer: Sealer) -> dict[str, Any]:
    """The columns to update. Changing the repository clears the token.

    It is not sent to another host, and whoever manages the project, but cannot read the token, does not get to see what
    else it opens.
    """
    if change.disconnect_repo_host is False:
        raise errors.invalid("disconnectRepoHost must be true")
    if change.disconnect_repo_host is True:
        return {"repo_url": None, "repo_host_username": None, "repo_token_sealed": None}
    changes: dict[str, Any] = {}
    if change.repo_url is None:
        changes |= {"repo_url": None, "repo_host_username": None, "repo_token_sealed": None}
    elif change.repo_url is not UNSET:
        changes |= {"repo_url": change.repo_url, "repo_host_username": hosts.owner_of(change.repo_url)}
        if project["repo_url"] and _same_form(project["repo_url"]) != _same_form(change.repo_url):
            changes["repo_token_sealed"] = None
    if change.repo_host_token is None:
        changes["repo_token_sealed"] = None
    elif change.repo_host_token is not UNSET:
        changes["repo_token_sealed"] = sealer.seal(change.repo_host_token, token_context(project["id"]))
    return changes


def _same_form(url: str) -> str:
    """The URL in a form that is equal for different spellings of one repository."""
    return url.lower().rstrip("/").removesuffix(".git")
