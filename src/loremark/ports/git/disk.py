"""The folder of the local copies: one user of a repository at a time, sizes, and what a crash leaves behind."""

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
    """A repository is used by one call at a time, in this process and in all that share the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[int]:
        """Hold it, and give the open lock: a git that outlives us shall hold it too, as it may still be writing."""
        async with self._here.setdefault(name, asyncio.Lock()):
            path = self._folder / f"{name}.lock"
            number = await _locked(path)
            try:
                yield number
            finally:
                os.close(number)

    def forget(self, name: str) -> None:
        """Take the file of a lock away; only for who holds it, when there is nothing left to be locked."""
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
            os.close(number)  # whoever held it has taken the file away


def _is_at(path: Path, number: int) -> bool:
    """Whether an open file is still the one that others find there."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(number))
    except FileNotFoundError:
        return False


async def undisturbed(work: Callable[[Path], None], folder: Path) -> None:
    """Do it in a thread, to its end even if we are cancelled: it needs the lock that we would give back."""
    working = asyncio.ensure_future(asyncio.to_thread(work, folder))
    try:
        await asyncio.shield(working)
    finally:
        if not working.done():
            await asyncio.wait({working})


def size_bytes(folder: Path) -> int:
    """All that the folder holds; files that vanish meanwhile count nothing."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(parent, name)).st_size
    return total


def pack_count(repository: Path) -> int:
    return sum(1 for _ in (repository / "objects" / "pack").glob("*.pack"))


def tidy(repository: Path) -> None:
    """Remove what a git that was ended has left behind: half packs, and locks that nobody holds."""
    for parent, _, names in os.walk(repository):
        in_objects = Path(parent).is_relative_to(repository / "objects")  # elsewhere it may be the name of a branch
        for name in names:
            if name.endswith(".lock") or (in_objects and name.startswith(_UNFINISHED)):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(parent, name))


def remove(folder: Path) -> None:
    """The folder and all in it, gone at once under its name, so that half of it is never taken for a copy."""
    doomed = folder.with_name(f"{folder.name}.removed")
    with suppress(FileNotFoundError):
        shutil.rmtree(doomed)
    with suppress(FileNotFoundError):
        os.rename(folder, doomed)
        shutil.rmtree(doomed)


def authorities(ca_file: str, folder: Path) -> str:
    """The machine's certificate authorities and one more, in one file: git knows only one.

    Its name is its content: servers with other authorities may share the folder.
    """
    known = (ssl.get_default_verify_paths().cafile, *_BUNDLES)
    usual = next((name for name in known if name and Path(name).is_file()), None)
    whole = b"\n".join(Path(name).read_bytes() for name in (usual, ca_file) if name)
    into = folder / f"authorities-{sha256_hex(whole)[:16]}.pem"
    number, unfinished = tempfile.mkstemp(dir=folder)  # several calls may do this at once
    with open(number, "wb") as file:
        file.write(whole)
    os.rename(unfinished, into)
    return str(into)
