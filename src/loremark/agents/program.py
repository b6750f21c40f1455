"""Which program an agent's files name: bare where everybody finds it or shares the file, else by its whole path."""

from __future__ import annotations

import os
import shutil
import sys

from loremark.agents.agent import USER, Places, Wish

NAME = "loremark"
_NAMES = (NAME, "loremark.exe")
_EVERYWHERE = ("/usr/bin", "/bin")
_ON_LINUX = ("/usr/local/bin",)


def settled(wish: Wish) -> Wish:
    """The wish with the program as the files of its scope shall name it; another that the person chose stays.

    A person's own files name the whole path unless programs that were not started by this shell surely find the
    name. A project's files go to other machines: a path of this one has no place in them.
    """
    if wish.scope != USER:
        return wish._replace(executable=NAME) if wish.executable in _own_paths() else wish
    if wish.executable != NAME or is_found_by_all(wish.places):
        return wish
    return wish._replace(executable=_whole_path() or NAME)


def warning(wish: Wish) -> str | None:
    """What to tell where a project's files name a program that an agent may not find here."""
    path = _whole_path()
    if wish.executable != NAME or path is None or is_found_by_all(wish.places):
        return None
    return (
        f"a project's files name the program only {NAME}, as they are for every machine; "
        f"see that agents which this shell did not start find {path} by that name"
    )


def is_found_by_all(places: Places) -> bool:
    """Whether the first of that name on the PATH lies where programs started in other ways look too.

    A desktop of Linux starts its programs with the PATH of a login; that of a Mac knows the system's folders alone.
    """
    found = shutil.which(NAME)
    sure = _EVERYWHERE if places.platform == "darwin" else (*_EVERYWHERE, *_ON_LINUX, _personal(places))
    return found is not None and os.path.normpath(os.path.dirname(found)) in sure


def _personal(places: Places) -> str:
    """Where pipx and uv put a person's tools."""
    return os.path.normpath(os.path.join(places.home, ".local", "bin"))


def _whole_path() -> str | None:
    """The program that runs; else the one a shell would find. Links stay: they outlive what they lead to."""
    running = os.path.abspath(sys.argv[0])
    if os.path.basename(running) in _NAMES and os.path.isfile(running):
        return running
    found = shutil.which(NAME)
    return os.path.abspath(found) if found is not None else None


def _own_paths() -> tuple[str, ...]:
    return os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), NAME)
