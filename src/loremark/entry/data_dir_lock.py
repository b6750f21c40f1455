"""An advisory lock on the data folder, so only one server uses it. The system releases it when the process ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loremark.base.settings import SettingsError


@contextmanager
def lock_data_dir(data_dir: Path) -> Iterator[None]:
    """Hold the lock; fails if another server uses the folder."""
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (data_dir / "server.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(
                f"Another Loremark server is already using {data_dir}; stop it, or set LOREMARK_DATA_DIR"
            ) from None
        yield
