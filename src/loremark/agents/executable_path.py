"""Choose how agents' files name our executable: by name if it is on every PATH or the file is shared, else by path."""

from __future__ import annotations

import os
import shutil
import sys

from loremark.agents.agent import USER, Locations, SetupOptions

NAME = "loremark"
_NAMES = (NAME, "loremark.exe")
_SYSTEM_FOLDERS = ("/usr/bin", "/bin")
_LINUX_FOLDERS = ("/usr/local/bin",)


def with_executable(options: SetupOptions) -> SetupOptions:
    """Return the options with the executable for their scope. A custom executable is kept.

    User files get the absolute path, unless programs started outside this shell find it by name too. Project files are
    shared between machines, so they get the bare name.
    """
    if options.scope != USER:
        return options._replace(executable=NAME) if options.executable in _own_paths() else options
    if options.executable != NAME or is_on_default_path(options.locations):
        return options
    return options._replace(executable=_absolute_path() or NAME)


def path_warning(options: SetupOptions) -> str | None:
    """Return a warning if agents may not find the executable named in project files, or None."""
    path = _absolute_path()
    if options.executable != NAME or path is None or is_on_default_path(options.locations):
        return None
    return (
        f"project files are shared between machines, so they use the command name {NAME}; "
        f"make sure that {os.path.dirname(path)} is on the PATH of agents that you start outside this shell"
    )


def is_on_default_path(locations: Locations) -> bool:
    """Return whether programs started outside this shell would find the executable by name.

    Linux desktops use the login PATH; macOS only has the system folders.
    """
    found = shutil.which(NAME)
    default = (
        _SYSTEM_FOLDERS if locations.platform == "darwin" else (*_SYSTEM_FOLDERS, *_LINUX_FOLDERS, _user_bin(locations))
    )
    return found is not None and os.path.normpath(os.path.dirname(found)) in default


def _user_bin(locations: Locations) -> str:
    """Return ~/.local/bin, where pipx and uv install tools."""
    return os.path.normpath(os.path.join(locations.home, ".local", "bin"))


def _absolute_path() -> str | None:
    """Return the running executable, or else the one on the PATH. Symlinks are kept: they survive upgrades."""
    running = os.path.abspath(sys.argv[0])
    if os.path.basename(running) in _NAMES and os.path.isfile(running):
        return running
    found = shutil.which(NAME)
    return os.path.abspath(found) if found is not None else None


def _own_paths() -> tuple[str, ...]:
    return os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), NAME)
