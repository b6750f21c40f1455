"""Where a person's files lie on this platform. Imported by the hook, so: little, and quick to load."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

_NAME = "loremark"


def data_folder(environment: Mapping[str, str] | None = None) -> str:
    """For application data."""
    return _folder("XDG_DATA_HOME", (".local", "share"), ("Library", "Application Support"), environment)


def cache_folder(environment: Mapping[str, str] | None = None) -> str:
    """For what can be made again."""
    return _folder("XDG_CACHE_HOME", (".cache",), ("Library", "Caches"), environment)


def config_folder(environment: Mapping[str, str] | None = None) -> str:
    """For a person's configuration."""
    return _folder("XDG_CONFIG_HOME", (".config",), ("Library", "Application Support"), environment)


def state_folder(environment: Mapping[str, str] | None = None) -> str:
    """For what must outlive a restart and is not configuration: the hook's spool."""
    return _folder("XDG_STATE_HOME", (".local", "state"), ("Library", "Application Support"), environment)


def moved_by(names: Iterable[str]) -> dict[str, str]:
    """Those of these variables that are set: programs let their folders be moved by them."""
    return {name: value for name in names if (value := os.environ.get(name))}


def _folder(variable: str, usual: tuple[str, ...], mac: tuple[str, ...], given: Mapping[str, str] | None) -> str:
    environment = os.environ if given is None else given
    home = environment.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, *mac, _NAME)
    return os.path.join(environment.get(variable) or os.path.join(home, *usual), _NAME)
