"""Reads a Dockerfile, and runs its steps without Docker: in copies of this machine's root that are thrown away.

A stage starts from this machine's own files instead of its base image. So the steps, the paths and the permissions are
those of the image; the versions of Debian, Node and Python are not.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Step:
    """An instruction: its name, its text, and the words of the text without the options."""

    name: str
    text: str

    @property
    def options(self) -> dict[str, str]:
        given = re.match(r"(?:--\S+\s+)*", self.text)
        assert given is not None
        return {name: value for name, _, value in (word.partition("=") for word in given[0].split())}

    @property
    def words(self) -> list[str]:
        text = re.sub(r"^(?:--\S+\s+)*", "", self.text)
        return json.loads(text) if text.startswith("[") else shlex.split(text)


def parse(file: Path) -> list[Step]:
    """The instructions of a Dockerfile, continued lines joined."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Step(*line.split(None, 1)) for line in joined.splitlines() if line.strip()]


@dataclass
class Stage:
    """The state of a stage while it is built: its layer over the root, and the settings for the next steps."""

    layer: Path
    environment: dict[str, str]
    folder: str = "/"
    user: str = "0:0"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def argv(self, words: list[str], *, is_read_only: bool = False, writable: tuple[str, ...] = ()) -> list[str]:
        """A command that runs these words in the stage, in its own mount namespace."""
        upper, work, root = (self.layer / name for name in ("upper", "work", "root"))
        overlay = f"lowerdir=/,upperdir={upper},workdir={work}"
        script = [f"mount -t overlay overlay -o {shlex.quote(overlay)} {root}"]
        script += [f"mount --rbind /{name} {root}/{name}" for name in ("proc", "sys", "dev")]
        script += [f"mount -t tmpfs tmpfs {root}/tmp -o mode=1777"]
        script += [f"mount --bind {self.layer}/volumes{path} {root}{path}" for path in writable]
        if is_read_only:
            script += [f"mount -o remount,ro {root}"]
        uid, gid = self.user.split(":")
        inside = f"cd {shlex.quote(self.folder)} && exec {shlex.join(words)}"
        drop = f"setpriv --reuid {uid} --regid {gid} --clear-groups --no-new-privs --bounding-set=-all"
        enter = "" if self.user == "0:0" else f"{drop} "
        variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in self.environment.items())
        script += [f"exec chroot {root} {enter}env -i {variables} sh -c {shlex.quote(inside)}"]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "\n".join(script)]


def build(file: Path, folder: Path, environment: dict[str, str]) -> Stage:
    """Run all stages; returns the last one. ``environment``: what the base images would set, such as the PATH."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder, {})
    for step in parse(file):
        if step.name == "FROM":
            name = step.words[-1] if "AS" in step.words else ""
            stage = Stage(folder / f"stage-{len(stages)}", dict(environment))
            for part in ("upper", "work", "root", "volumes"):
                (stage.layer / part).mkdir(parents=True)
            (stage.layer / "upper").chmod(0o755)
            _open_folders(stage, Path(sys.base_prefix))
            stages[name] = stage
        elif stages:
            _run(step, stage, stages)
    return stage


def _open_folders(stage: Stage, path: Path) -> None:
    """Let every user reach this path, which on this machine may be in root's home."""
    for parent in reversed(path.parents):
        folder = _host(stage, str(parent))
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)


def _run(step: Step, stage: Stage, stages: dict[str, Stage]) -> None:
    if step.name == "ENV":
        for word in step.words:
            name, _, value = word.partition("=")
            stage.environment[name] = value.replace("$PATH", stage.environment["PATH"])
    elif step.name == "WORKDIR":
        stage.folder = step.words[0]
        _host(stage, stage.folder).mkdir(parents=True, exist_ok=True)
    elif step.name == "USER":
        stage.user = step.words[0]
    elif step.name == "ENTRYPOINT":
        stage.entrypoint = step.words
    elif step.name == "CMD":
        stage.command = step.words
    elif step.name == "RUN":
        done = subprocess.run(
            stage.argv(["sh", "-ec", step.text]), capture_output=True, text=True, check=False, timeout=1200
        )
        assert done.returncode == 0, f"{step.text}\n{done.stdout}\n{done.stderr}"
    elif step.name == "COPY":
        *sources, target = step.words
        for source in sources:
            start = _host(stages[step.options["--from"]], source) if "--from" in step.options else ROOT / source
            _copy(start, _host(stage, os.path.join(stage.folder, target)), is_folder=target.endswith(("/", ".")))


def _host(stage: Stage, path: str) -> Path:
    """Where a path of the stage is on this machine."""
    return stage.layer / "upper" / os.path.normpath(path).lstrip("/")


def _copy(source: Path, target: Path, *, is_folder: bool) -> None:
    if source.is_dir():
        ignored = shutil.ignore_patterns("node_modules", "built", "__pycache__")
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=ignored)
    else:
        if is_folder:
            target = target / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
