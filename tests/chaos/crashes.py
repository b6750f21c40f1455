"""A server that kills itself at a chosen point of a job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from tests.chaos import crashing
from tests.support.forking import ForkedProcess
from tests.support.processes import Loremark, free_port


@contextmanager
def crashing_process(loremark: Loremark, crash: str) -> Iterator[tuple[ForkedProcess, httpx.Client]]:
    """Yield the server process and a client; ``crash`` is a crash point as described in ``tests.chaos.crashing``."""
    port = free_port()
    environment = {**loremark.environment(port), **({"CRASH": crash} if crash else {})}
    log = loremark.folder / "crashing.log"
    child = ForkedProcess(crashing.run, ["serve"], env=environment, cwd=loremark.folder, stdout=log, stderr=log)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0, verify=False) as http:
            yield child, http
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
