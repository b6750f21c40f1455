"""``loremark scan``: scan a local checkout and send the findings."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from loremark.cli.framework import SIGNED_OUT, USAGE
from loremark.entry import scanning
from loremark.entry.checkout import open_checkout
from loremark.features.genesis.sandboxed_parser import SandboxedParser
from tests.entry.owner import make_owner
from tests.features.scan_project import FILES, PLANTED
from tests.support.processes import Loremark, run_command

GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A checkout with symlinks, ignored files and a named pipe."""
    folder = tmp_path / "work" / "shop"
    for name, content in {**FILES, b"shop/run.py": PLANTED, b".gitignore": b"ignored/\n"}.items():
        path = folder / name.decode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "outside.py").write_text("def outside_of_everything(): ...\n")
    (folder / "shop" / "link.py").symlink_to(tmp_path / "outside.py")
    (folder / "ignored").mkdir()
    (folder / "ignored" / "scratch.py").write_text("def ignored_by_git(): ...\n")
    os.mkfifo(folder / "shop" / "pipe.py")
    return folder


def _git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    subprocess.run(["git", *who, *words], cwd=folder, env=GIT, check=True, capture_output=True)


def _scan(loremark: Loremark, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in loremark.environment().items() if not name.startswith("LOREMARK_")}
    return run_command("scan", *words, env=environment, cwd=loremark.folder, timeout=120)


@pytest.fixture
def someone(plain: Loremark, tmp_path: Path) -> Loremark:
    plain.settings["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    plain.settings["HOME"] = str(tmp_path)
    return plain


@pytest.mark.parametrize("with_git", [True, False])
def test_dry_run_without_a_server(someone: Loremark, shop: Path, with_git: bool) -> None:
    if with_git:
        _git(shop, "init", "--quiet")
        _git(shop, "add", "README.md", "shop/api.py", "shop/link.py")
        _git(shop, "commit", "--quiet", "-m", "feat: the shop opens")
    result = json.loads(_scan(someone, str(shop), "--dry-run", "--json").stdout)
    assert result["filesAnalyzed"] == len(FILES) - 1 + 2  # without the image, plus the files added here
    assert {"Python", "FastAPI", "SQLAlchemy"} <= {tech["name"] for tech in result["techStack"]}
    assert {"product", "entryPoints", "dataModel", "security"} <= {finding["layer"] for finding in result["findings"]}
    words = json.dumps(result)
    assert "outside_of_everything" not in words
    assert "link.py" not in words
    assert "ignored_by_git" not in words
    assert (result["commitSha"] is not None) == with_git
    plain = _scan(someone, str(shop), "--dry-run")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert "shop: " in plain.stdout
    assert "FastAPI" in plain.stdout


async def _scan_with_budget(shop: Path, monkeypatch: pytest.MonkeyPatch, most_cpu_s: float) -> scanning.ScanResult:
    monkeypatch.setattr(scanning, "SandboxedParser", lambda: SandboxedParser(most_cpu_s))
    return await scanning.scan(shop, 100, lambda done, total: None)


def test_scan_without_cpu_time_says_that_it_is_incomplete(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "_BATCH", 4)
    (shop / "Hang.java").write_text("\n".join(['"' * 80] * 3_000))
    cut = asyncio.run(_scan_with_budget(shop, monkeypatch, 20.0))
    assert cut.unread > 0
    assert f"Incomplete: {cut.unread} files not read, because parsing took too much CPU time." in scanning.summary(cut)
    assert json.loads(cut.to_json())["filesUnread"] == cut.unread
    (shop / "Hang.java").unlink()
    whole = asyncio.run(_scan_with_budget(shop, monkeypatch, 600.0))
    assert whole.unread == 0
    assert "Incomplete" not in scanning.summary(whole)


def test_findings_are_sent(someone: Loremark, shop: Path) -> None:
    refused = _scan(someone, str(shop))
    assert (refused.returncode, refused.stdout) == (SIGNED_OUT, "")
    assert refused.stderr.startswith("loremark: not signed in")
    owner = make_owner(someone)
    with someone.start() as process, process.wait_ready().client(owner["apiKey"]) as client:
        environment = {name: value for name, value in someone.environment().items() if not name.startswith("LOREMARK_")}
        login = ("login", "--url", process.url)
        run_command(*login, env=environment, cwd=someone.folder, input=owner["apiKey"]).check_returncode()
        sent = _scan(someone, str(shop))
        assert sent.returncode == 0, sent.stderr
        assert "findings in session" in sent.stdout
        project = owner["projectId"]
        stop = time.monotonic() + 60
        while not (items := client.get(f"/api/v2/items?projectId={project}").json()) and time.monotonic() < stop:
            time.sleep(0.2)
        assert any("shop/models.py" in item["files"] for item in items)
        keys = {context["schemaKey"] for context in client.get(f"/api/contexts?projectId={project}").json()}
        assert "root/codebase" in keys
        again = _scan(someone, str(shop))
        assert again.returncode == 0, again.stderr
        assert "unchanged since the last scan" in again.stdout
        other = client.post("/api/projects", json={"name": "Another"})
        assert other.status_code == 201
        which = _scan(someone, str(shop))
        assert which.returncode == USAGE
        assert "--project" in which.stderr
        assert project in which.stderr


def test_missing_folder(someone: Loremark, tmp_path: Path) -> None:
    missing = _scan(someone, str(tmp_path / "nowhere"), "--dry-run")
    assert missing.returncode == 2
    assert missing.stderr.startswith("loremark: ")
    assert "Traceback" not in missing.stderr


def test_symlinked_folders_are_skipped(shop: Path, tmp_path: Path) -> None:
    """Git still lists files in a folder that has been replaced by a symlink to somewhere else."""
    _git(shop, "init", "--quiet")
    _git(shop, "add", "README.md", "shop/api.py")
    elsewhere = tmp_path / "elsewhere"
    (shop / "shop").rename(elsewhere)
    (shop / "shop").symlink_to(elsewhere)
    checkout = open_checkout(shop, 60)
    listed = {entry.path for entry in checkout.listed}
    assert "README.md" in listed
    assert [path for path in listed if path.startswith("shop")] == []
    # Reading is safe too if the folder becomes a symlink later, or a path leads out.
    assert checkout.read("README.md") == (shop / "README.md").read_bytes()
    for path in ("shop/api.py", "../elsewhere/api.py", str(elsewhere / "api.py"), "./README.md", ""):
        assert checkout.read(path) is None, path
    (shop / "shop").unlink()
    elsewhere.rename(shop / "shop")
    assert checkout.read("shop/api.py") == (shop / "shop" / "api.py").read_bytes()
    assert "shop/api.py" in {entry.path for entry in open_checkout(shop, 60).listed}
    assert checkout.read("shop/link.py") is None
    assert checkout.read("shop/pipe.py") is None


def test_repository_configuration_is_not_executed(tmp_path: Path) -> None:
    """A copied folder may contain a git configuration that runs a program to fetch missing objects."""
    folder, touched = tmp_path / "taken", tmp_path / "touched"
    author = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], **author}

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    folder.mkdir()
    git("init", "-q")
    for number in range(3):
        (folder / "a.py").write_text(f"LIMIT = {number}\n")
        git("add", ".")
        git("commit", "-qm", f"feat: number {number}")
    parent = git("rev-parse", "HEAD~1")
    (folder / ".git" / "objects" / parent[:2] / parent[2:]).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c touch% {touched}",
        "protocol.ext.allow": "always",
    }.items():
        git("config", name, value)
    checkout = open_checkout(folder, 60)
    assert [entry.path for entry in checkout.listed] == ["a.py"]
    assert not touched.exists()
