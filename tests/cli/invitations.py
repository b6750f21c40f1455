"""Creates members through email invitations."""

from __future__ import annotations

import email
import email.policy
import re
import time

import httpx

from loremark.base import ids
from tests.cli.harness import Server


def join(server: Server, project: str) -> str:
    """Create a member of this project and return their API key."""
    address = f"{ids.new('mbr')}@example.com"
    invited = server.http.post(f"/api/projects/{project}/members", json={"email": address, "role": "member"})
    assert invited.status_code == 201, invited.text
    body = {"token": token_for(server, address), "name": "Mira", "password": "correct horse battery"}
    with httpx.Client(base_url=server.url, headers={"Sec-Fetch-Site": "same-origin"}, verify=False) as browser:
        accepted = browser.post("/api/team/invitations/accept", json=body)
        assert accepted.status_code == 200, accepted.text
        made = browser.post("/api/keys", json={"name": "test"})
        assert made.status_code == 201, made.text
    return str(made.json()["key"])


def token_for(server: Server, address: str) -> str:
    """The token from the invitation email to this address."""
    mails = server.folder / "mail"
    stop = time.monotonic() + 60
    while time.monotonic() < stop:
        for path in mails.glob("*.eml"):
            mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            if mail["To"] == address:
                part = mail.get_body(("plain",))
                found = re.search(r"token=([\w.-]+)", part.get_content() if part is not None else "")
                assert found is not None
                return found.group(1)
        time.sleep(0.05)
    raise TimeoutError("no invitation email arrived")
