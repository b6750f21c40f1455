"""The first start prints a one-time sign-in link until there is an owner."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.entry.owner import make_owner
from tests.support.processes import Loremark, Process

_PASSWORD = "correct horse battery"


def _link(output: str) -> str:
    """The last printed sign-in link."""
    found: list[str] = re.findall(r"http://\S+/signin\?token=\S+", output)
    assert found, output
    return found[-1]


def _open(link: str, problem: str = "used") -> str | None:
    """Open a link in a new browser; returns the login cookie, or None if the sign-in page tells this problem."""
    answer = httpx.get(link, verify=False)
    cookie = answer.cookies.get("loremark_login")
    assert (answer.status_code, answer.headers["location"]) == (303, "/" if cookie else f"/sign-in?link={problem}")
    return cookie


def _me(process: Process, cookie: str) -> httpx.Response:
    return httpx.get(f"{process.url}/api/auth/me", headers={"Cookie": f"loremark_login={cookie}"}, verify=False)


def _line(output: str, words: str) -> str:
    """The last printed command line that contains this text."""
    return [line.strip() for line in output.splitlines() if words in line and "/loremark" in line][-1]


def _type(line: str, folder: Path, environment: dict[str, str], stdin: str = "") -> str:
    """Run a line in a shell and return its output."""
    shell = ["/bin/sh", "-c", line]
    done = subprocess.run(
        shell, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_printed_link_signs_in_once(loremark: Loremark) -> None:
    with loremark.start() as process:
        process.wait_ready()
        link = _link(process.output)
        assert link.startswith(process.url)
        assert process.output.count("/signin?token=") == 1
        with ThreadPoolExecutor(6) as pool:
            cookies = list(pool.map(_open, [link] * 6))
        (cookie,) = [given for given in cookies if given is not None]
        me = _me(process, cookie)
        assert me.status_code == 200
        assert me.json()["role"] == "owner"
        assert _open(link) is None
        assert _open(link[:-1], "unknown") is None
        token = link.partition("token=")[2]
        assert token not in "".join(path.read_text(errors="replace") for path in loremark.folder.glob("*.db*"))


def test_link_expires_when_someone_registers(loremark: Loremark) -> None:
    with loremark.start() as process:
        process.wait_ready()
        link = _link(process.output)
        body = {"email": "ada@example.com", "password": _PASSWORD, "name": "Ada"}
        proxied = {"X-Forwarded-For": "203.0.113.9"}
        assert httpx.post(f"{process.url}/api/auth/register", json=body, headers=proxied).status_code == 403
        assert httpx.post(f"{process.url}/api/auth/register", json=body).status_code == 201
        assert _open(link, "replaced") is None
        process.stop()
    with loremark.start() as process:
        process.wait_ready()
        assert "/signin?token=" not in process.output
        assert "loremark admin signin-link" in process.output


def test_restart_replaces_an_unused_link(loremark: Loremark) -> None:
    with loremark.start() as process:
        process.wait_ready()
        first = _link(process.output)
        process.stop()
    with loremark.start(port=process.port) as process:
        process.wait_ready()
        second = _link(process.output)
        assert second != first
        assert _open(first, "replaced") is None
        cookie = _open(second)
        assert cookie is not None
        assert _me(process, cookie).status_code == 200


@pytest.mark.nightly
def test_printed_commands_work_in_a_project_folder(plain: Loremark, tmp_path: Path) -> None:
    """With another port, another folder and a clean environment."""
    project = tmp_path / "my project"
    project.mkdir()
    terminal = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    with plain.start() as process:
        process.wait_ready()
        made = json.loads(_type(_line(process.output, "create-owner"), project, terminal))
        assert made["apiKey"].startswith("service_sk_")
        setup = _line(process.output, " setup")
        assert setup.endswith(f"loremark setup --url {process.url}")
        assert f"{process.url} is running" in _type(f"{setup} --dry-run", project, terminal)
        process.stop()
    with plain.start() as process:
        process.wait_ready()
        assert "create-owner" not in process.output, "it would create a second owner with a separate team"
        assert _line(process.output, " setup").endswith(f" setup --url {process.url}")
        command = _line(process.output, "signin-link").removeprefix("Locked out?").strip()
        link = _type(command, project, terminal).strip()
        assert link.startswith(f"{process.url}/signin?token=")
        cookie = _open(link)
        assert cookie is not None
        assert _me(process, cookie).json()["userId"] == made["userId"]


def test_default_address_is_omitted_unless_another_was_used(plain: Loremark, tmp_path: Path) -> None:
    plain.settings |= {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "LOREMARK_BASE_URL": "http://127.0.0.1:8000",
        "LOREMARK_REGISTRATION": "closed",
    }
    with plain.start() as process:
        process.wait_ready()
        assert _line(process.output, " setup").endswith("loremark setup")
        assert "create-owner" in process.output, "registration is closed, so the operator creates the owner"
        process.stop()
    (tmp_path / "config" / "loremark").mkdir(parents=True)
    (tmp_path / "config" / "loremark" / "profile.json").write_text('{"url": "https://memory.example.com", "key": ""}')
    with plain.start() as process:
        process.wait_ready()
        assert _line(process.output, " setup").endswith("loremark setup --url http://127.0.0.1:8000")


def test_signin_link(loremark: Loremark, engine: str) -> None:
    """For the first owner or a named account, while the server runs; unknown accounts are rejected."""
    owner = make_owner(loremark)
    with loremark.start() as process:
        process.wait_ready()
        loremark.settings["LOREMARK_BASE_URL"] = process.url
        account = () if engine == "sqlite" else ("--email", "Owner@Example.com")
        link = loremark.run("admin", "signin-link", *account).stdout.strip()
        cookie = _open(link)
        assert cookie is not None
        assert _me(process, cookie).json()["userId"] == owner["userId"]
        assert _open(link) is None
        unknown = loremark.run("admin", "signin-link", "--email", "eve@example.com", check=False)
        assert (unknown.returncode, unknown.stdout) == (2, "")
        assert unknown.stderr == "loremark: No account with the email address eve@example.com\n"
        reset = loremark.run("admin", "reset-two-factor", "--email", "Owner@Example.com")
        assert reset.stdout == "Two-factor authentication was already off for Owner@Example.com.\n"
        unknown = loremark.run("admin", "reset-two-factor", "--email", "eve@example.com", check=False)
        assert (unknown.returncode, unknown.stderr) == (
            2,
            "loremark: No account with the email address eve@example.com\n",
        )


def test_secret_files_are_private(plain: Loremark) -> None:
    with plain.start() as process:
        process.wait_ready()
    keys = plain.folder / "keys"
    assert _mode(keys) == 0o700
    files = list(keys.iterdir())
    assert files
    assert {path.name: oct(_mode(path)) for path in files} == {path.name: "0o600" for path in files}


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
