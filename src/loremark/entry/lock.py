"""One server to a data folder: an advisory lock, released by the system however the process ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loremark.base.settings import SettingsError


@contextmanager
def hold_data_dir(data_dir: Path) -> Iterator[None]:
    """Refuse to start beside another server on the same folder."""
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (data_dir / "server.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(f"Another Loremark server is running on {data_dir}") from None
        yield
