"""Caddy, running with a configuration of ours."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

_WAIT_S = 30


@contextmanager
def running_caddy(text: str, folder: Path, probe: str) -> Iterator[None]:
    """Run Caddy with this Caddyfile until the end of the block, from when the probed URL answers with 200."""
    file = folder / "Caddyfile"
    file.write_text(text, encoding="utf-8")
    command = [str(Path(sys.executable).parent / "caddy"), "run", "--adapter", "caddyfile", "--config", str(file)]
    log = folder / "caddy.log"
    with log.open("wb") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env={"HOME": str(folder)})
    try:
        end = time.monotonic() + _WAIT_S
        while not _answers(probe):
            assert child.poll() is None, log.read_text(errors="replace")
            assert time.monotonic() < end, log.read_text(errors="replace")
            time.sleep(0.1)
        yield
    finally:
        child.terminate()
        child.wait(30)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.TransportError:
        return False
