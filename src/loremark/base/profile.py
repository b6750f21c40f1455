"""The user's server URL and API key, from a file with mode 0600 or the environment.

The CLI, the hook and the MCP server import this, so it uses little of the standard library and nothing else.
"""

from __future__ import annotations

import json
import os

from loremark.base.folders import config_folder

TYPE_CHECKING = False  # importing typing is too slow for the hook
if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 1_000_000
DEFAULT_URL = "http://127.0.0.1:8000"


class Profile:
    """A server URL, its API key, and the signing secrets of its projects."""

    def __init__(
        self,
        url: str,
        key: str,
        secrets: Mapping[str, str] | None = None,
        enrich: bool = True,
        project: str | None = None,
        agent_keys: Mapping[str, str] | None = None,
    ) -> None:
        """``enrich``: whether the hook requests enrichment when a session ends. ``project``: from the environment.

        ``agent_keys``: by project, the API keys that agents, the hook and the MCP server use instead of ``key``.
        """
        self.url = url
        self.key = key
        self.secrets = dict(secrets or {})
        self.enrich = enrich
        self.project = project
        self.agent_keys = dict(agent_keys or {})

    def agent_key(self, project: str) -> str:
        """Return the key for agents that work on this project."""
        return self.agent_keys.get(project) or self.key


def location() -> str:
    return os.path.join(config_folder(), "profile.json")


def normalize_url(url: str) -> str:
    """Strip whitespace and trailing slashes."""
    return url.strip().rstrip("/")


def load(environment: Mapping[str, str] | None = None) -> Profile | None:
    """Return the saved profile, overridden by the environment, or None if there is no key for the server."""
    given = os.environ if environment is None else environment
    saved = _read()
    kept_url = normalize_url(_text(saved.get("url")))
    url = normalize_url(given.get("LOREMARK_URL") or kept_url or DEFAULT_URL)
    # Never send a saved key to a different server.
    is_own = bool(kept_url) and url == kept_url
    key = (given.get("LOREMARK_API_KEY") or (_text(saved.get("key")) if is_own else "")).strip()
    if not key:
        return None
    project = given.get("LOREMARK_PROJECT") or None
    secrets = _texts(saved.get("secrets")) if is_own else {}
    agent_keys = _texts(saved.get("agentKeys")) if is_own and not has_environment_key(given) else {}
    if project and given.get("LOREMARK_HMAC_SECRET"):
        secrets[project] = given["LOREMARK_HMAC_SECRET"]
    return Profile(url, key, secrets, saved.get("enrich") is not False, project, agent_keys)


def save(profile: Profile) -> str:
    """Write the profile atomically with mode 0600 and return its path."""
    path = location()
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    raw = {
        "url": profile.url,
        "key": profile.key,
        "secrets": profile.secrets,
        "agentKeys": profile.agent_keys,
        "enrich": profile.enrich,
    }
    part = f"{path}.{os.getpid()}.part"
    number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with open(number, "w", encoding="utf-8") as file:
        json.dump(raw, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    return path


def save_secret(url: str, project: str, secret: str) -> str | None:
    """Save a project's signing secret in the profile. Return None if the user is not signed in to this server."""
    saved = load({})
    if saved is None or saved.url != normalize_url(url):
        return None
    saved.secrets[project] = secret
    return save(saved)


def save_agent_key(url: str, project: str, key: str) -> str | None:
    """Save the agents' key for a project. Return None if the user is not signed in to this server."""
    saved = load({})
    if saved is None or saved.url != normalize_url(url):
        return None
    saved.agent_keys[project] = key
    return save(saved)


def saved_url() -> str | None:
    """Return the saved server URL, ignoring the environment."""
    return _text(_read().get("url")) or None


def configured_url(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the server URL from the environment, or else the saved one; None if there is neither."""
    given = os.environ if environment is None else environment
    return normalize_url(given.get("LOREMARK_URL") or saved_url() or "") or None


def has_environment_key(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether the environment sets the API key, which takes precedence over a saved one."""
    return bool((os.environ if environment is None else environment).get("LOREMARK_API_KEY"))


def forget() -> bool:
    """Delete the profile. Return whether there was one."""
    try:
        os.unlink(location())
    except FileNotFoundError:
        return False
    return True


def _read() -> dict[str, object]:
    try:
        with open(location(), "rb") as file:
            raw = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}


def _texts(given: object) -> dict[str, str]:
    return {name: text for name, text in given.items() if isinstance(text, str)} if isinstance(given, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
