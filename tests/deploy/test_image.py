"""The image's steps build a server that works as an unprivileged user with a read-only root file system."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.dockerfile import ROOT, Stage, build, parse
from tests.installation.first_start import Started, use
from tests.support.processes import free_port

FILE = ROOT / "deploy" / "Dockerfile"
MEMORY = Path("/dev/shm")


def _can_run() -> bool:
    """Whether this is Linux, as root, with a file system for the layers that is not part of the root."""
    tools = all(shutil.which(name) for name in ("unshare", "setpriv", "node", "npm"))
    return sys.platform == "linux" and os.geteuid() == 0 and tools and MEMORY.is_mount()


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _can_run(), reason="needs root, Node and a memory file system, to stand in for Docker"),
]


@pytest.fixture(scope="module")
def image() -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="loremark-image-", dir=MEMORY))
    folder.chmod(0o755)
    try:
        yield build(FILE, folder, _base_environment())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _base_environment() -> dict[str, str]:
    """This machine's Python and Node in place of the base images, and how it reaches the package registries."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "npm_", "NPM_", "SSL_"))}
    return {**kept, "PATH": f"{sys.base_prefix}/bin:/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/root"}


def test_image_serves_as_another_user_on_a_read_only_root(image: Stage, tmp_path: Path) -> None:
    data = image.layer / "volumes" / "data"
    data.mkdir()
    user, group = map(int, image.user.split(":"))
    os.chown(data, user, group)
    data.chmod(0o700)
    port = free_port()
    image.environment["LOREMARK_PORT"] = str(port)
    log = tmp_path / "server.log"
    began = time.monotonic()
    with log.open("wb") as output:
        child = subprocess.Popen(
            image.argv([*image.entrypoint, *image.command], is_read_only=True, writable=("/data",)),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        server = Started(f"http://127.0.0.1:{port}", log, child)
        server.wait(began + 120)
        use(server)
        (check,) = [step.text.partition("CMD ")[2] for step in parse(FILE) if step.name == "HEALTHCHECK"]
        assert _inside(image, json.loads(check)).returncode == 0
        assert {path.stat().st_uid for path in data.rglob("*")} == {user}
        refused = _inside(image, ["sh", "-c", "touch /opt/loremark/x || touch /etc/x || touch /x"])
        assert (refused.returncode, "Read-only file system" in refused.stderr) == (1, True)
        assert _inside(image, ["id", "-u"]).stdout.strip() == str(user)
        assert "git version" in _inside(image, ["git", "--version"]).stdout
    finally:
        child.terminate()
        child.wait(30)


def _inside(image: Stage, words: list[str]) -> subprocess.CompletedProcess[str]:
    command = image.argv(words, is_read_only=True, writable=("/data",))
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
