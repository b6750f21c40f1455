"""moto's S3 as a separate HTTP server process that keeps everything in memory."""

import re
import sys
from pathlib import Path

import httpx

from tests.servers.process import SupervisedProcess, on_free_port

BUCKET = "stones"

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "loremark-test", "AWS_SECRET_ACCESS_KEY": "no secret", "AWS_REGION": "us-east-1"}
"""Environment variables for clients; moto accepts any credentials."""


class S3Server:
    """Listens on a loopback port with one bucket; after a restart, the port is the same and the bucket empty."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._process, self.port = on_free_port(self._launch)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def keys(self, prefix: str = "") -> list[str]:
        """The keys of the objects in the bucket as the server lists them (at most 1,000)."""
        listing = httpx.get(f"{self.endpoint}/{BUCKET}", params={"list-type": "2", "prefix": prefix}, timeout=10.0)
        return re.findall("<Key>([^<]*)</Key>", listing.text)

    def stop(self) -> None:
        """Stop listening."""
        self._process.stop()

    def start(self) -> None:
        """Restart on the same port with an empty bucket."""
        self._process, _ = self._launch(self.port)

    def _launch(self, port: int) -> tuple[SupervisedProcess, int]:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        process = SupervisedProcess("S3", [command], self._folder)
        process.wait_until(lambda: "Running on" in process.log())
        httpx.put(f"http://127.0.0.1:{port}/{BUCKET}", timeout=30.0).raise_for_status()
        return process, port
