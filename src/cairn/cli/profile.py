"""Where the command line keeps the server's address and the key (mode 0600)."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from cairn.base.settings import default_config_dir


class Profile(msgspec.Struct, frozen=True):
    url: str
    key: str


def _path() -> Path:
    return default_config_dir() / "profile.json"


def save(profile: Profile) -> Path:
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path.with_suffix(".part"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(profile)))
    path.with_suffix(".part").rename(path)
    return path


def find() -> Profile | None:
    try:
        return msgspec.json.decode(_path().read_bytes(), type=Profile)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
