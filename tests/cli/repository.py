"""Creates git repositories for tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *WHO, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make(folder: Path) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "README.md").write_text("# Here\n")
    git(folder, "add", "README.md")
    git(folder, "commit", "--quiet", "-m", "feat: begin")
    return folder
