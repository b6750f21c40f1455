"""A developer's machine for hook tests: a home, a linked folder, and the hook and flusher as real processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.processes import Process

COMMAND = Path(sys.executable).parent / "loremark"
Payload = dict[str, Any]


@dataclass
class Machine:
    """An isolated home with a linked folder."""

    home: Path
    url: str
    project_id: str
    key: str = "service_sk_none"
    secret: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.home / ".config" / "loremark").mkdir(parents=True, exist_ok=True)
        self.write_profile()
        self.link(self.project_id)

    @property
    def folder(self) -> Path:
        return self.home / "stones"

    @property
    def spool(self) -> Path:
        return self.home / ".local" / "state" / "loremark" / "spool"

    def write_profile(self, **more: Any) -> None:
        secrets = {self.project_id: self.secret} if self.secret else {}
        profile = {"url": self.url, "key": self.key, "secrets": secrets, **more}
        (self.home / ".config" / "loremark" / "profile.json").write_text(json.dumps(profile))

    def link(self, project_id: str, folder: Path | None = None) -> None:
        """Link a folder like ``loremark init`` does outside a repository, for any server."""
        folder = folder or self.folder
        (folder / ".loremark.toml").write_text(f'project = "{project_id}"\n')
        links = self.home / ".config" / "loremark" / "links.json"
        known = json.loads(links.read_text()) if links.exists() else {}
        links.write_text(json.dumps({**known, str(folder.resolve()): {"project": project_id}}))

    def environment(self) -> dict[str, str]:
        shared = {"PATH": os.environ["PATH"]}
        return {"HOME": str(self.home), **shared, **self.settings}

    def start(self, payload: Payload | bytes, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [str(COMMAND), "hook", *arguments],
            env=self.environment(),
            cwd=self.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        try:
            process.stdin.write(payload if isinstance(payload, bytes) else json.dumps(payload).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdin = None
        return process

    def hook(self, payload: Payload | bytes, *arguments: str) -> bytes:
        """Run the hook like an agent and return its output. It must exit with 0 and print no errors."""
        out, err = (process := self.start(payload, *arguments)).communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        return out

    def start_session(self, session: str = "s-1") -> bytes:
        """Start a Claude Code session and return its briefing.

        On a busy machine the server may answer too late. Then the session starts without one, and is started again.
        """
        for _ in range(20):
            if briefing := self.hook(self.claude("SessionStart", session, source="startup")):
                return briefing
            shutil.rmtree(self.home / ".cache" / "loremark" / "briefed", ignore_errors=True)  # or it counts as a repeat
        return b""

    def claude(self, event: str, session: str = "s-1", **more: Any) -> Payload:
        transcript = str(self.home / ".claude" / "projects" / "x" / f"{session}.jsonl")
        known = {"session_id": session, "transcript_path": transcript, "cwd": str(self.folder)}
        return {**known, "hook_event_name": event, **more}

    def codex(self, event: str, session: str = "c-1", **more: Any) -> Payload:
        transcript = str(self.home / ".codex" / "sessions" / f"rollout-{session}.jsonl")
        known = {"session_id": session, "transcript_path": transcript, "cwd": str(self.folder), "model": "m"}
        return {**known, "hook_event_name": event, **more}

    def flusher(self) -> int | None:
        """Return the PID of our running flusher, or None. Checks its environment, since PIDs are reused."""
        try:
            pid = int((self.spool / "lock").read_text())
            ours = f"HOME={self.home}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if ours else None

    def kill_flusher(self) -> bool:
        """Kill the flusher with SIGKILL. Returns whether one was running."""
        pid = self.flusher()
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            _wait(lambda: self.flusher() is None, 5)
        return pid is not None

    def flush(self) -> None:
        """Run ``loremark hook flush`` until the queue is empty."""

        def is_empty() -> bool:
            self.hook(b"", "flush")
            return not self.waiting()

        _wait(is_empty, 40)

    def waiting(self) -> list[str]:
        """List what has not been sent yet."""
        return [path.name for name in ("records", "outbox") for path in (self.spool / name).glob("[!.]*")]

    def rejected(self) -> list[str]:
        return sorted(path.read_text() for path in (self.spool / "rejected").glob("*.reason"))

    def everything(self) -> bytes:
        """Return all bytes that the hook wrote, except the profile."""
        profile = self.home / ".config" / "loremark" / "profile.json"
        return b"\n".join(path.read_bytes() for path in self.home.rglob("*") if path.is_file() and path != profile)


def _wait(is_done: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > deadline:
            raise TimeoutError("condition not met in time")
        time.sleep(0.02)


def events_of(server: Process, machine: Machine) -> list[tuple[str, Payload]]:
    """Return all events of the project on the server, with their session IDs."""
    found: list[tuple[str, Payload]] = []
    with server.client(machine.key) as client:
        for session in client.get("/api/v2/sessions", params={"projectId": machine.project_id}).json():
            answer = client.get(f"/api/v2/sessions/{session['id']}/events", params={"blobs": "inline"})
            found += [(session["id"], event) for event in answer.json()]
    return found
