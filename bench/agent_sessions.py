"""A developer's machine whose agent sessions go through the real hook program to a running server."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.processes import COMMAND

from bench.servers import Loremark

_WAIT_S = 900.0


@dataclass(frozen=True)
class Exchange:
    """A prompt and the agent's final answer to it."""

    prompt: str
    answer: str


def exchanges(messages: Sequence[Mapping[str, str]]) -> list[Exchange]:
    """Group messages into exchanges: consecutive messages of one side belong together."""
    found: list[list[list[str]]] = []
    for message in messages:
        is_user = message["role"] == "user"
        if not found or (is_user and found[-1][1]):
            found.append([[], []])
        found[-1][0 if is_user else 1].append(message["text"])
    return [Exchange("\n\n".join(prompts), "\n\n".join(answers)) for prompts, answers in found]


class Developer:
    """A home folder with a linked project; every call starts the hook as an agent would."""

    def __init__(self, home: Path, server: Loremark, project: str, database: Path) -> None:
        self.folder = home / "project"
        self._home, self._database = home, database
        self.server, self.project = server, project
        self.folder.mkdir(parents=True)
        settings = home / ".config" / "loremark"
        settings.mkdir(parents=True)
        url = f"http://127.0.0.1:{server.port}"
        secrets = {project: server.secret_of(project)}
        self._profile = settings / "profile.json"
        self._profile.write_text(json.dumps({"url": url, "key": server.key, "secrets": secrets}))
        (self.folder / ".loremark.toml").write_text(f'project = "{project}"\n')
        (settings / "links.json").write_text(json.dumps({str(self.folder.resolve()): {"project": project}}))
        self._environment = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def stop_enriching(self) -> None:
        """Leave sessions that end to whoever reads them."""
        self._profile.write_text(json.dumps({**json.loads(self._profile.read_text()), "enrich": False}))

    def hook(self, event: str, session: str, **fields: Any) -> str:
        """Run the hook for an event of Claude Code and return the context it adds."""
        transcript = str(self._home / ".claude" / "projects" / "x" / f"{session}.jsonl")
        known = {"session_id": session, "transcript_path": transcript, "cwd": str(self.folder)}
        payload = json.dumps({**known, "hook_event_name": event, **fields}).encode()
        done = subprocess.run(
            [str(COMMAND), "hook"], env=self._environment, input=payload, capture_output=True, check=True, timeout=60
        )
        if not done.stdout:
            return ""
        return str(json.loads(done.stdout).get("hookSpecificOutput", {}).get("additionalContext", ""))

    def work(self, session: str, said: Sequence[Exchange], *, files: Sequence[str] = ()) -> None:
        """A whole session, turn by turn."""
        self.hook("SessionStart", session, source="startup")
        for number, exchange in enumerate(said):
            self.hook("UserPromptSubmit", session, prompt=exchange.prompt, prompt_id=f"{session}-{number}")
            for path in files if number == 0 else ():
                change = {"file_path": str(self.folder / path), "old_string": "a", "new_string": "b"}
                self.hook("PostToolUse", session, tool_name="Edit", tool_use_id=f"{session}-t", tool_input=change)
            self.hook("Stop", session, last_assistant_message=exchange.answer)
        self.hook("SessionEnd", session, reason="exit")

    def ask(self, session: str, prompt: str) -> tuple[str, str]:
        """Start a session with a prompt; return the context at its start and with the prompt."""
        start = self.hook("SessionStart", session, source="startup")
        block = self.hook("UserPromptSubmit", session, prompt=prompt, prompt_id=session)
        return start, block

    def adopt(self, repository: str) -> None:
        """Turn the folder into a clone of a repository."""
        link = (self.folder / ".loremark.toml").read_text()
        (self.folder / ".loremark.toml").unlink()
        subprocess.run(["git", "clone", "-q", repository, str(self.folder)], check=True)
        (self.folder / ".loremark.toml").write_text(link)

    def command(self, *words: str) -> str:
        """Run a command of the client in the folder and return what it prints."""
        done = subprocess.run(
            [str(COMMAND), *words], env=self._environment, cwd=self.folder, capture_output=True, check=True, text=True
        )
        return done.stdout

    def deliver(self) -> None:
        """Wait until everything was sent, indexed and enriched."""
        deadline = time.monotonic() + _WAIT_S
        spool = self._home / ".local" / "state" / "loremark" / "spool"
        while time.monotonic() < deadline:
            subprocess.run(
                [str(COMMAND), "hook", "flush"], env=self._environment, input=b"", check=True, timeout=_WAIT_S
            )
            if not any((spool / "records").glob("*.*")) and not any((spool / "outbox").glob("*.json")):
                break
            time.sleep(0.5)
        while time.monotonic() < deadline and not self._is_settled():
            time.sleep(1)

    def _is_settled(self) -> bool:
        sessions = self.server.list(f"/api/v2/sessions?projectId={self.project}&limit=1000")
        if any(session["status"] == "enriching" for session in sessions):
            return False
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as database:
            queued = database.execute("SELECT count(*) FROM turns_to_embed").fetchone()[0]
            unread = database.execute(
                "SELECT count(*) FROM events WHERE NOT EXISTS (SELECT 1 FROM turns WHERE turns.event_id = events.id)"
            ).fetchone()[0]
        return not queued and not unread
