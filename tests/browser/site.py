"""A running server with users and projects; each test creates its own team."""

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
class User:
    """A user with a login and an API key; team owners also have a project."""

    url: str
    email: str
    cookie: str
    key: str
    team_id: str
    project_id: str = ""

    def request(self, method: str, path: str, **options: Any) -> Any:
        """Return the API's response; fail the test on an error status."""
        headers = {"Authorization": f"Bearer {self.key}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60.0, trust_env=False, verify=False) as http:
            response = http.request(method, path, **options)
        assert response.is_success, f"{method} {path}: {response.status_code} {response.text}"
        return response.json() if response.content else None

    def send_event(self, event: str, payload: dict[str, Any], project_id: str = "") -> Any:
        """Send an event the way an agent does."""
        body = {"projectId": project_id or self.project_id, "event": event, "payload": payload}
        return self.request("POST", "/api/v2/events", json=body)

    def enrich(self, session_id: str, seconds: float = 60.0) -> Any:
        """Enrich a session; return the finished job."""
        job = self.request("POST", f"/api/v2/sessions/{session_id}/enrich")
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            for known in self.request("GET", f"/api/v2/sessions/{session_id}/jobs"):
                if known["id"] == job["jobId"] and known["status"] in ("completed", "failed"):
                    return known
            time.sleep(0.05)
        raise TimeoutError("the job did not finish")


@dataclass
class Site:
    """A running server on one database engine."""

    process: Process
    engine: str

    @property
    def url(self) -> str:
        return self.process.url

    def team(self, name: str = "Acme", project: str = "Checkout service") -> User:
        """Register a new team with one project; return its owner."""
        email = f"olga{next(_numbers)}@example.com"
        with httpx.Client(base_url=self.url, timeout=60.0, trust_env=False, verify=False) as http:
            body = {"email": email, "password": PASSWORD, "name": "Olga Owner", "teamName": name}
            response = http.post("/api/auth/register", json=body)
            assert response.status_code == 201, response.text
            return self._with_key(response.cookies["loremark_login"], email, response.json()["teamId"], project)

    def _with_key(self, cookie: str, email: str, team_id: str, project: str) -> User:
        headers = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60.0, trust_env=False, verify=False) as http:
            key = http.post("/api/keys", json={"name": "test"}).json()["key"]
        user = User(self.url, email, cookie, key, team_id)
        if project:
            user.project_id = user.request("POST", "/api/projects", json={"name": project})["id"]
        return user

    def member(self, of: User, role: str = "member", name: str = "Mira Member") -> User:
        """Invite a member and accept the invitation."""
        email = f"mira{next(_numbers)}@example.com"
        of.request("POST", "/api/team", json={"email": email, "role": role})
        token = self.invitation(email)
        with httpx.Client(base_url=self.url, timeout=60.0, trust_env=False, verify=False) as http:
            body = {"token": token, "name": name, "password": PASSWORD}
            response = http.post("/api/team/invitations/accept", json=body)
            assert response.status_code == 200, response.text
            return self._with_key(response.cookies["loremark_login"], email, of.team_id, "")

    def invitation(self, email: str, seconds: float = 60.0, *, after: str = "") -> str:
        """Wait for an invitation email to this address; return a token other than ``after``."""
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
