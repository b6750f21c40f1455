"""Install our git hooks next to existing ones: fast, and removed without a trace."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loremark.hook import commits, githooks, spool
from tests.hook.git_repositories import Repository, create, subjects, take_events, use_home

SHELL = '#!/bin/sh\nset -eu\necho "$@" >> ran\n{ [ $# -eq 0 ] || cat >> said; }\nwait\nexit 0'
PYTHON = "#!/usr/bin/env python3\nimport sys\nopen('ran', 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
PYTHON += "open('said', 'a').write(sys.stdin.read())\n"
EXISTING: dict[str, tuple[bytes, int] | None] = {
    "none": None,
    "shell": (SHELL.encode(), 0o755),
    "bash with options": (SHELL.replace("/bin/sh", "/usr/bin/env bash").encode() + b"\n\n", 0o750),
    "python": (PYTHON.encode(), 0o755),
    "only a first line": (b"#!/bin/sh", 0o755),
    "windows": (b"#!/bin/sh\r\nexit 0\r\n", 0o755),
    "switched off": (b"#!/bin/sh\necho off >> ran\n", 0o644),
    "bytes": (b"#!/bin/sh\n# \xff\xfe\x00\nexit 0\n", 0o711),
}
# The real hook without a flusher, which would retry for minutes; the test does its work.
PROGRAM = """#!/bin/sh
exec {python} -c 'import sys
from loremark.hook import hook, spawn
spawn.start_flusher = lambda: None
sys.exit(hook.main(sys.argv[2:]))' "$@"
"""

# Writes in one call, because hooks run concurrently.
_LOGGING_PROGRAM = '#!/bin/sh\ninput=$(echo "$@"; echo "$LOREMARK_GIT_HEAD"; cat)\nprintf "%s\\n" "$input" >> "{}"\n'


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_home(tmp_path / "home", monkeypatch)
    made = create(tmp_path / "work", monkeypatch)
    made.commit("a.py", "a = 1\n", "Add a")
    return made


def _program(work: Repository, text: str) -> Path:
    """Put a fake ``loremark`` on the PATH."""
    path = work.folder.parent / "bin" / "loremark"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    work.monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
    return path


def _state(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Return all files in a folder with their bytes."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        details = path.lstat()
        if path.is_symlink():
            found[str(path)] = (0, os.readlink(path))
        elif path.is_file():
            found[str(path)] = (stat.S_IMODE(details.st_mode), path.read_bytes())
    return found


@pytest.mark.parametrize("kind", EXISTING)
def test_an_existing_hook_keeps_working_and_is_restored_byte_for_byte(work: Repository, kind: str) -> None:
    log = work.folder.parent / "log"
    _program(work, _LOGGING_PROGRAM.format(log))
    hooks = work.folder / ".git" / "hooks"
    existing = EXISTING[kind]
    for name in githooks.HOOKS if existing is not None else ():
        assert existing is not None
        (hooks / name).write_bytes(existing[0])
        (hooks / name).chmod(existing[1])
    before = _state(hooks)
    preview = githooks.preview(str(work.folder))
    assert _state(hooks) == before
    assert len(githooks.install(str(work.folder))) == len(preview) == 3
    installed = _state(hooks)
    assert all("already installed" in line for line in githooks.install(str(work.folder)))
    assert _state(hooks) == installed
    sha = work.commit("b.py", "b = 1\n", "Add b")
    work.git("commit", "--amend", "--quiet", "-m", "Add b better")
    logged = _wait_for(log, f"{sha} {work.head}\n")
    assert "hook git post-commit\n" in logged
    assert f"hook git post-rewrite amend\n{work.head}\nrefs/heads/main\n{sha} {work.head}\n" in logged
    if kind in ("shell", "bash with options", "python"):
        assert (work.folder / "ran").read_text().split("\n") == ["", "", "amend", ""]
        assert (work.folder / "said").read_text() == f"{sha} {work.head}\n"
    else:
        assert not (work.folder / "ran").exists()
    githooks.uninstall(str(work.folder))
    assert _state(hooks) == before
    assert githooks.uninstall(str(work.folder)) == ["Loremark's git hooks are not installed here"]


def test_lines_added_to_our_hook_are_kept(work: Repository) -> None:
    githooks.install(str(work.folder))
    hook = work.folder / ".git" / "hooks" / "post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo theirs\n")
    lines = githooks.uninstall(str(work.folder))
    assert [line.partition(": ")[2] for line in lines] == ["loremark block removed", "removed", "removed"]
    assert hook.read_bytes() == b"#!/bin/sh\necho theirs\n"


def test_hooks_of_other_tools_are_left_alone(work: Repository, tmp_path: Path) -> None:
    hooks = work.folder / ".git" / "hooks"

    def output() -> str:
        before = _state(work.folder)
        lines = githooks.install(str(work.folder))
        assert _state(work.folder) == before
        return "\n".join(lines)

    for name in githooks.HOOKS:
        (hooks / name).symlink_to(tmp_path / "elsewhere")
    assert "not a regular file" in output()
    for name in githooks.HOOKS:
        (hooks / name).unlink()
        (hooks / name).write_text("#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n")
    assert "left unchanged (managed by pre-commit)" in output()
    (work.folder / "lefthook.yml").write_text("{}")
    assert "left unchanged (managed by lefthook)" in output()
    (work.folder / "lefthook.yml").unlink()
    work.git("config", "core.hooksPath", ".husky/_")
    assert "left unchanged (managed by husky)" in output()
    assert 'loremark hook git post-commit "$@"' in output()
    work.git("config", "core.hooksPath", str(tmp_path / "elsewhere"))
    assert "outside the repository" in output()
    work.git("config", "--unset", "core.hooksPath")
    work.git("config", "--global", "core.hooksPath", "~/hooks")
    assert "for all repositories" in output()
    assert not (tmp_path / "home" / "hooks").exists()


def test_the_suggested_lines_work_like_our_hook(work: Repository) -> None:
    log = work.folder.parent / "log"
    _program(work, _LOGGING_PROGRAM.format(log))
    (work.folder / "lefthook.yml").write_text("{}")
    for line in githooks.install(str(work.folder)):
        if not line.startswith(" "):
            hook = Path(line.partition(":")[0])
        else:
            hook.write_text(f"#!/bin/sh\n{line.strip()}\n")
            hook.chmod(0o755)
    sha = work.commit("b.py", "b = 1\n", "Add b")
    work.git("commit", "--amend", "--quiet", "-m", "Add b better")
    assert "hook git post-commit\n" in _wait_for(log, f"{sha} {work.head}\n")


def test_worktrees_submodules_and_core_hooks_path(work: Repository, tmp_path: Path) -> None:
    work.git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    lines = githooks.install(str(tmp_path / "beside"))
    assert all(line.startswith(str(work.folder / ".git" / "hooks")) for line in lines)
    githooks.uninstall(str(work.folder))
    whole = create(tmp_path / "whole", work.monkeypatch)
    whole.git("submodule", "--quiet", "add", str(work.folder), "part")
    lines = githooks.install(str(whole.folder / "part"))
    assert all(line.startswith(str(whole.folder / ".git" / "modules" / "part" / "hooks")) for line in lines)
    work.git("config", "core.hooksPath", "scripts/hooks")
    _program(work, "#!/bin/sh\n")
    githooks.install(str(work.folder / ".git" / ".."))
    text = (work.folder / "scripts" / "hooks" / "post-commit").read_text()
    assert str(tmp_path) not in text  # it may be committed, so it must not contain local paths
    githooks.uninstall(str(work.folder))
    assert not (work.folder / "scripts" / "hooks" / "post-commit").exists()


def test_a_real_commit_reaches_the_spool_and_is_not_slowed(
    work: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    _program(work, PROGRAM.format(python=sys.executable))
    plain = Repository(work.folder.parent / "plain", work.monkeypatch)
    shutil.copytree(work.folder, plain.folder)
    githooks.install(str(work.folder))
    assert (work.folder / ".git/hooks/post-commit").read_text().count(str(work.folder.parent / "bin" / "loremark")) == 1
    ratios: list[float] = []
    seconds: list[float] = []
    for number in range(12):  # interleaved, because the machine is shared
        without, with_hook = _timed(plain, number), _timed(work, number)
        ratios.append(with_hook / without)
        seconds.append(with_hook - without)
    deadline = time.monotonic() + 60
    while len(spool.list_names()) < 12 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sorted(subjects(take_events())) == sorted(f"Set {number}" for number in range(12))
    median = sorted(ratios)[6]
    with capsys.disabled():
        print(f"\ncommit with hook: {median:.2f} of one without, {sorted(seconds)[6] * 1000:+.1f} ms (median of 12)")
    assert sorted(seconds)[3] < 0.1


def _timed(work: Repository, number: int) -> float:
    work.write("n.txt", f"{number}\n")
    work.git("add", "--all")
    started = time.monotonic()
    subprocess.run(["git", "commit", "--quiet", "-m", f"Set {number}"], cwd=work.folder, check=True)
    return time.monotonic() - started


def _wait_for(path: Path, text: str) -> str:
    """Wait for a text in a file, because hooks run in the background."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = path.read_text() if path.exists() else ""
        if text in found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{text!r} did not appear: {path.read_text() if path.exists() else None!r}")


def test_existing_history_is_left_to_the_backfill(work: Repository) -> None:
    for number in range(25):
        work.commit("n.txt", f"{number}\n", f"Old {number}")
    work.git("branch", "aside", "HEAD~3")
    githooks.install(str(work.folder))
    work.watch()
    work.commit("new.py", "x = 1\n", "New")
    work.git("checkout", "--quiet", "aside")
    work.commit("aside.py", "x = 1\n", "New aside")
    assert subjects(work.events()) == ["New", "New aside"]
    assert len(commits.digest(str(work.folder), since="main~5", until="main")[0]["commits"]) == 5
