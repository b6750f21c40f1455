"""Which server a person on this machine speaks to, and with which key: a file of mode 0600, or the environment.

Read by the command line, the hook and the tool server, so: standard library only, little of it, and quick to load.
"""

from __future__ import annotations

import json
import os

from loremark.base.folders import config_folder

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 1_000_000
USUAL_URL = "http://127.0.0.1:8000"


class Profile:
    """A server, the key for it, and the secrets that sign for its projects."""

    def __init__(
        self,
        url: str,
        key: str,
        secrets: Mapping[str, str] | None = None,
        enrich: bool = True,
        project: str | None = None,
    ) -> None:
        """``enrich``: whether the hook has sessions enriched as they end; ``project``: what the environment names."""
        self.url = url
        self.key = key
        self.secrets = dict(secrets or {})
        self.enrich = enrich
        self.project = project


def location() -> str:
    return os.path.join(config_folder(), "profile.json")


def plain_url(url: str) -> str:
    """An address as it is compared and kept: no blanks around it, no slash at its end."""
    return url.strip().rstrip("/")


def load(environment: Mapping[str, str] | None = None) -> Profile | None:
    """The saved profile, with what the environment says instead; None when there is no key for the server."""
    given = os.environ if environment is None else environment
    saved = _read()
    kept_url = plain_url(_text(saved.get("url")))
    url = plain_url(given.get("LOREMARK_URL") or kept_url or USUAL_URL)
    # A key goes only to the server that it was saved for.
    is_own = bool(kept_url) and url == kept_url
    key = (given.get("LOREMARK_API_KEY") or (_text(saved.get("key")) if is_own else "")).strip()
    if not key:
        return None
    project = given.get("LOREMARK_PROJECT") or None
    secrets = _secrets(saved) if is_own else {}
    if project and given.get("LOREMARK_HMAC_SECRET"):
        secrets[project] = given["LOREMARK_HMAC_SECRET"]
    return Profile(url, key, secrets, saved.get("enrich") is not False, project)


def save(profile: Profile) -> str:
    """Keep it for the next command; the file appears whole or not at all, and nobody else may read it."""
    path = location()
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    told = {"url": profile.url, "key": profile.key, "secrets": profile.secrets, "enrich": profile.enrich}
    part = f"{path}.{os.getpid()}.part"
    number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with open(number, "w", encoding="utf-8") as file:
        json.dump(told, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    return path


def keep_secret(url: str, project: str, secret: str) -> str | None:
    """Keep the secret of a project beside the key; None where nobody has signed in to this server."""
    saved = _read()
    key = _text(saved.get("key"))
    if not key or plain_url(_text(saved.get("url"))) != plain_url(url):
        return None
    secrets = {**_secrets(saved), project: secret}
    return save(Profile(plain_url(url), key, secrets, saved.get("enrich") is not False))


def saved_url() -> str | None:
    """The server that was signed in to, whatever the environment says."""
    return _text(_read().get("url")) or None


def is_given(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the environment brings the key, and a saved one is not looked at."""
    return bool((os.environ if environment is None else environment).get("LOREMARK_API_KEY"))


def forget() -> bool:
    """Whether there was anything to forget."""
    try:
        os.unlink(location())
    except FileNotFoundError:
        return False
    return True


def _read() -> dict[str, object]:
    try:
        with open(location(), "rb") as file:
            told = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _secrets(saved: dict[str, object]) -> dict[str, str]:
    secrets = saved.get("secrets")
    return {name: text for name, text in secrets.items() if isinstance(text, str)} if isinstance(secrets, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
