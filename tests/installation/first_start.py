"""The first minutes of an installed server: its page, the printed link, and memory that is found again."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import httpx


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


def use(server: Started) -> None:
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
        save_and_find(client, project)


def save_and_find(client: httpx.Client, project: str) -> None:
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
