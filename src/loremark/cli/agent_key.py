"""The API key that agents on this machine use in one project.

Agents read text from strangers, so their key is limited to the scopes for reading and capturing in this project.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping

from loremark.base import profile
from loremark.base.caller import AGENT_SCOPES
from loremark.client.call import ApiError
from loremark.client.calls.identity import get_me
from loremark.client.calls.keys import create_key
from loremark.client.client import Client
from loremark.wire.identity import CurrentUser

_NAME_CHARS = 100


def save_agent_key(client: Client, project: str, name: str) -> bool:
    """Make and save the agents' key, unless there is a valid one. Returns whether agents have a key of their own.

    A key that is limited itself cannot make others; agents then use that one.
    """
    saved = profile.load()
    if saved is None or profile.has_environment_key():
        return False
    known = saved.agent_keys.get(project)
    if known is not None and _find_user(client.url, known) is not None:
        return True
    key_name = f"Agents on {platform.node()[:40] or 'a machine'}: {name}"[:_NAME_CHARS]
    try:
        created = client.send(create_key(key_name, scopes=AGENT_SCOPES, project_id=project))
    except ApiError as error:
        if error.status != 403:
            raise
        return False
    return profile.save_agent_key(client.url, project, created.key) is not None


def keys_of(me: CurrentUser, url: str, agent_keys: Mapping[str, str]) -> dict[str, str]:
    """The agents' keys that belong to this user in this team, by project."""
    users = {project: _find_user(url, key) for project, key in agent_keys.items()}
    return {
        project: agent_keys[project]
        for project, user in users.items()
        if user is not None and (user.user_id, user.team_id) == (me.user_id, me.team_id)
    }


def _find_user(url: str, key: str) -> CurrentUser | None:
    """The user a key acts as, or None if the key is no longer valid."""
    with Client(url, key) as client:
        try:
            return client.send(get_me())
        except ApiError as error:
            if error.status in (401, 403):
                return None
            raise
