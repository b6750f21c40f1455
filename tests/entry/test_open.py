"""``loremark open`` opens the dashboard of the server on this machine with a new sign-in link."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.entry.owner import make_owner
from tests.support.processes import Loremark, Process, run_command


@pytest.fixture
def environment(plain: Loremark, tmp_path: Path) -> dict[str, str]:
    """A new terminal of the user who started the server: it knows nothing of the server's settings."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$*" > "{tmp_path}/opened"\n')
    browser.chmod(0o700)
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "XDG_STATE_HOME": plain.state, "PATH": "/usr/bin:/bin", "BROWSER": str(browser)}


def _open(environment: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command("open", *words, env=environment, cwd=folder)


def _opened(folder: Path) -> str:
    """The link that the browser got. Other users see the browser's arguments, so they must not contain it."""
    arguments = (folder / "opened").read_text()
    assert "token" not in arguments
    page = Path(urlsplit(arguments).path)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    (link,) = re.findall(r'url=([^"]+)"', page.read_text())
    return unescape(str(link))


def _user(process: Process, link: str) -> str:
    answer = httpx.get(link, verify=False)
    cookie = answer.cookies["loremark_login"]
    me = httpx.get(f"{process.url}/api/auth/me", headers={"Cookie": f"loremark_login={cookie}"}, verify=False)
    return str(me.json()["email"])


def test_link_signs_the_owner_in(plain: Loremark, environment: dict[str, str], tmp_path: Path) -> None:
    make_owner(plain)
    with plain.start() as process:
        process.wait_ready()
        (record,) = (Path(plain.state) / "loremark" / "servers").iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        opened = _open(environment, tmp_path)
        link = opened.stdout.strip()
        assert link.startswith(f"{process.url}/signin?token="), opened.stderr
        assert _opened(tmp_path) == link
        assert _user(process, link) == "owner@example.com"
        another = _open(environment, tmp_path, "--no-browser").stdout.strip()
        assert another != link
        assert _opened(tmp_path) == link, "only printed"
        assert _user(process, another) == "owner@example.com"
        process.stop()
    ended = _open(environment, tmp_path)
    assert (ended.returncode, ended.stdout) == (1, "")


def test_first_link_creates_the_owner(plain: Loremark, environment: dict[str, str], tmp_path: Path) -> None:
    with plain.start() as process:
        process.wait_ready()
        link = _open(environment, tmp_path, "--no-browser").stdout.strip()
        assert _user(process, link) == "owner@localhost"


def test_second_start_points_to_the_running_server(plain: Loremark) -> None:
    with plain.start() as process:
        process.wait_ready()
        second = run_command("serve", env=plain.environment(process.port), cwd=plain.folder)
        assert second.returncode == 2
        assert second.stderr == f"loremark: Loremark runs at {process.url} already; open it with: loremark open\n"


def test_without_a_server_it_says_how_to_start_one(
    plain: Loremark, environment: dict[str, str], tmp_path: Path
) -> None:
    with plain.start() as process:
        process.wait_ready()
        process.kill()
    assert len(list((Path(plain.state) / "loremark" / "servers").iterdir())) == 1, "its record stays"
    ended = _open(environment, tmp_path)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("loremark: no server runs on this machine; start one with: loremark start")


def test_signed_in_command_line_opens_its_own_server(
    plain: Loremark, environment: dict[str, str], tmp_path: Path
) -> None:
    profile = Path(environment["HOME"]) / ".config" / "loremark" / "profile.json"
    profile.parent.mkdir(parents=True)
    with plain.start() as process:
        process.wait_ready()
        profile.write_text(json.dumps({"url": process.url, "key": "service_sk_x"}))
        assert _open(environment, tmp_path).stdout.startswith(f"{process.url}/signin?token=")
        profile.write_text(json.dumps({"url": "https://memory.example.com", "key": "service_sk_x"}))
        assert _open(environment, tmp_path).stdout == "https://memory.example.com\n"
        assert json.loads(_open(environment, tmp_path, "--json").stdout) == {"url": "https://memory.example.com"}
        assert _opened(tmp_path) == "https://memory.example.com"


def test_no_link_for_a_first_account_that_may_be_another_users(
    plain: Loremark, environment: dict[str, str], tmp_path: Path
) -> None:
    with plain.start() as process:
        process.wait_ready()
        body = {"email": "eve@example.com", "password": "correct horse battery", "name": "Eve"}
        assert httpx.post(f"{process.url}/api/auth/register", json=body, verify=False).status_code == 201
        opened = _open(environment, tmp_path, "--no-browser")
        assert opened.stdout == f"{process.url}\n"
        assert "may be another user's" in opened.stderr
        plain.settings["LOREMARK_BASE_URL"] = process.url
        link = plain.run("admin", "signin-link")
        assert _user(process, link.stdout.strip()) == "eve@example.com", "the operator asked for it"
        assert link.stderr == "Signs in as eve@example.com.\n"
