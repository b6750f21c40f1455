"""File operations on the mirror directory: locks, sizes, cleanup after crashes, and the CA bundle."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import ssl
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from weakref import WeakValueDictionary

from loremark.base.signing import sha256_hex

_RETRY_S = 0.05
_UNFINISHED = ("tmp_", ".tmp-")
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


class Locks:
    """Exclusive locks per repository, across all processes that share the directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[int]:
        """Hold the lock. Yields its file descriptor, for git to inherit: a git that outlives us may still write."""
        async with self._here.setdefault(name, asyncio.Lock()):
            path = self._folder / f"{name}.lock"
            number = await _locked(path)
            try:
                yield number
            finally:
                os.close(number)

    def forget(self, name: str) -> None:
        """Delete the lock file. Only while holding the lock, and when nothing is left to protect."""
        with suppress(FileNotFoundError):
            os.unlink(self._folder / f"{name}.lock")


async def _locked(path: Path) -> int:
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(number)
            await asyncio.sleep(_RETRY_S)
        else:
            if _is_at(path, number):
                return number
            os.close(number)  # the previous holder deleted the file


def _is_at(path: Path, number: int) -> bool:
    """Return whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(number))
    except FileNotFoundError:
        return False


async def run_to_completion(work: Callable[[Path], None], folder: Path) -> None:
    """Run in a thread, to completion even if cancelled, because it needs the caller's lock."""
    working = asyncio.ensure_future(asyncio.to_thread(work, folder))
    try:
        await asyncio.shield(working)
    finally:
        if not working.done():
            await asyncio.wait({working})


def size_bytes(folder: Path) -> int:
    """Return the total size of the files. Files that vanish meanwhile are ignored."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(parent, name)).st_size
    return total


def pack_count(repository: Path) -> int:
    return sum(1 for _ in (repository / "objects" / "pack").glob("*.pack"))


def tidy(repository: Path) -> None:
    """Remove partial packs and stale locks left by a killed git."""
    for parent, _, names in os.walk(repository):
        in_objects = Path(parent).is_relative_to(repository / "objects")  # elsewhere it may be a branch name
        for name in names:
            if name.endswith(".lock") or (in_objects and name.startswith(_UNFINISHED)):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(parent, name))


def remove(folder: Path) -> None:
    """Delete the directory atomically, so a partial one is never mistaken for a mirror."""
    doomed = folder.with_name(f"{folder.name}.removed")
    with suppress(FileNotFoundError):
        shutil.rmtree(doomed)
    with suppress(FileNotFoundError):
        os.rename(folder, doomed)
        shutil.rmtree(doomed)


def write_ca_bundle(ca_file: str, folder: Path) -> str:
    """Write the system's CA certificates plus ``ca_file`` to one file, because git accepts only one.

    The name is a content hash, because servers with other certificates may share the directory.
    """
    known = (ssl.get_default_verify_paths().cafile, *_BUNDLES)
    usual = next((name for name in known if name and Path(name).is_file()), None)
    whole = b"\n".join(Path(name).read_bytes() for name in (usual, ca_file) if name)
    into = folder / f"authorities-{sha256_hex(whole)[:16]}.pem"
    number, unfinished = tempfile.mkstemp(dir=folder)  # calls may run concurrently
    with open(number, "wb") as file:
        file.write(whole)
    os.rename(unfinished, into)
    return str(into)
