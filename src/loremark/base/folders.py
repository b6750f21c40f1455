"""The user's data, cache, config and state directories on this platform. The hook imports it, so keep it light."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

_NAME = "loremark"
_CACHE_VARIABLES = ("XDG_CACHE_HOME", "UV_CACHE_DIR")
_CACHE_NAMES = {".cache", "Caches"}


def data_folder(environment: Mapping[str, str] | None = None) -> str:
    """Return the directory for application data."""
    return _folder("XDG_DATA_HOME", (".local", "share"), ("Library", "Application Support"), environment)


def cache_folder(environment: Mapping[str, str] | None = None) -> str:
    """Return the directory for data that can be regenerated."""
    return _folder("XDG_CACHE_HOME", (".cache",), ("Library", "Caches"), environment)


def config_folder(environment: Mapping[str, str] | None = None) -> str:
    """Return the directory for user configuration."""
    return _folder("XDG_CONFIG_HOME", (".config",), ("Library", "Application Support"), environment)


def state_folder(environment: Mapping[str, str] | None = None) -> str:
    """Return the directory for persistent state other than configuration, such as the hook's spool."""
    return _folder("XDG_STATE_HOME", (".local", "state"), ("Library", "Application Support"), environment)


def is_temporary(path: str, environment: Mapping[str, str] | None = None) -> bool:
    """Return whether a program lies in a cache, where ``uvx`` and ``pipx run`` put it until the cache is cleaned."""
    given = os.environ if environment is None else environment
    real = os.path.realpath(path)
    caches = [os.path.realpath(folder) for name in _CACHE_VARIABLES if (folder := given.get(name))]
    if any(os.path.commonpath((real, cache)) == cache for cache in caches):
        return True
    return not _CACHE_NAMES.isdisjoint(real.split(os.sep))


def environment_overrides(names: Iterable[str]) -> dict[str, str]:
    """Return which of these environment variables are set. Programs use them to move their directories."""
    return {name: value for name in names if (value := os.environ.get(name))}


def _folder(variable: str, usual: tuple[str, ...], mac: tuple[str, ...], given: Mapping[str, str] | None) -> str:
    environment = os.environ if given is None else given
    home = environment.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, *mac, _NAME)
    return os.path.join(environment.get(variable) or os.path.join(home, *usual), _NAME)
