"""A server with people and projects on it; each test makes a team of its own there."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.processes import Process

PASSWORD = "correct horse battery staple"
_numbers = itertools.count(1)


@dataclass
class Someone:
    """A person with a login, a key, and (the first of a team) a project."""

    url: str
    email: str
    cookie: str
    key: str
    team_id: str
    project_id: str = ""

    def ask(self, method: str, path: str, **given: Any) -> Any:
        """What the API answers; a refusal is an error of the test."""
        headers = {"Authorization": f"Bearer {self.key}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60.0, trust_env=False, verify=False) as http:
            answer = http.request(method, path, **given)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def tell(self, event: str, payload: dict[str, Any], project_id: str = "") -> Any:
        """An event, as an agent would send it."""
        body = {"projectId": project_id or self.project_id, "event": event, "payload": payload}
        return self.ask("POST", "/api/v2/events", json=body)

    def enrich(self, session_id: str, seconds: float = 60.0) -> Any:
        """Turn a session's events into memory; the job when it is done."""
        job = self.ask("POST", f"/api/v2/sessions/{session_id}/enrich")
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            for known in self.ask("GET", f"/api/v2/sessions/{session_id}/jobs"):
                if known["id"] == job["jobId"] and known["status"] in ("completed", "failed"):
                    return known
            time.sleep(0.05)
        raise TimeoutError("the job did not end")


@dataclass
class Site:
    """A running server of one engine."""

    process: Process
    engine: str

    @property
    def url(self) -> str:
        return self.process.url

    def team(self, name: str = "Stonemasons", project: str = "Checkout service") -> Someone:
        """The owner of a new team with one project."""
        email = f"olga{next(_numbers)}@example.com"
        with httpx.Client(base_url=self.url, timeout=60.0, trust_env=False, verify=False) as http:
            body = {"email": email, "password": PASSWORD, "name": "Olga Owner", "teamName": name}
            made = http.post("/api/auth/register", json=body)
            assert made.status_code == 201, made.text
            return self._with_key(made.cookies["loremark_login"], email, made.json()["teamId"], project)

    def _with_key(self, cookie: str, email: str, team_id: str, project: str) -> Someone:
        headers = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60.0, trust_env=False, verify=False) as http:
            key = http.post("/api/keys", json={"name": "test"}).json()["key"]
        someone = Someone(self.url, email, cookie, key, team_id)
        if project:
            someone.project_id = someone.ask("POST", "/api/projects", json={"name": project})["id"]
        return someone

    def member(self, of: Someone, role: str = "member", name: str = "Mira Member") -> Someone:
        """Somebody who was invited and has accepted."""
        email = f"mira{next(_numbers)}@example.com"
        of.ask("POST", "/api/team", json={"email": email, "role": role})
        token = self.invitation(email)
        with httpx.Client(base_url=self.url, timeout=60.0, trust_env=False, verify=False) as http:
            body = {"token": token, "name": name, "password": PASSWORD}
            made = http.post("/api/team/invitations/accept", json=body)
            assert made.status_code == 200, made.text
            return self._with_key(made.cookies["loremark_login"], email, of.team_id, "")

    def invitation(self, email: str, seconds: float = 60.0, *, after: str = "") -> str:
        """The token in the mail that was sent to an address; after another one, if that is known."""
        folder = self.process.folder / "mail"
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            for mail in sorted(folder.glob("*.eml"), reverse=True) if folder.is_dir() else []:
                text = mail.read_text(errors="replace").replace("=\n", "").replace("=3D", "=")
                if email in text and "invitation?token=" in text:
                    token = text.split("invitation?token=", 1)[1].split()[0].strip('">')
                    if token != after:
                        return token
            time.sleep(0.05)
        raise TimeoutError(f"no invitation for {email}")
