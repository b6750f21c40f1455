"""A server that kills itself at a certain point of a job."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.processes import Loremark, free_port

_ROOT = Path(__file__).parents[2]


@contextmanager
def crashing_process(loremark: Loremark, crash: str) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    """The server and a client of it; ``crash`` names the point, as ``tests.chaos.crashing`` reads it."""
    port = free_port()
    environment = {**loremark.environment(port), **({"CRASH": crash} if crash else {})}
    with (loremark.folder / "crashing.log").open("ab") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.crashing", "serve"],
            env={**environment, "PYTHONPATH": f"{_ROOT}:{_ROOT / 'src'}"},
            cwd=loremark.folder,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0, verify=False) as http:
            yield child, http
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
