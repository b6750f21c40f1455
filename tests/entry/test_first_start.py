"""The first start: a link that signs the owner in once, and only as long as there is no owner."""

from __future__ import annotations

import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from tests.entry.owner import make_owner
from tests.support.processes import Cairn, Process

_PASSWORD = "correct horse battery"


def _link(output: str) -> str:
    """The newest sign-in link that was printed."""
    found: list[str] = re.findall(r"http://\S+/signin\?token=\S+", output)
    assert found, output
    return found[-1]


def _open(link: str) -> str | None:
    """Open a link in a fresh browser: the cookie it gives, or None. It always leads to the dashboard."""
    answer = httpx.get(link, verify=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return answer.cookies.get("cairn_login")


def _me(process: Process, cookie: str) -> httpx.Response:
    return httpx.get(f"{process.url}/api/auth/me", headers={"Cookie": f"cairn_login={cookie}"}, verify=False)


def test_the_printed_link_signs_in_once(cairn: Cairn) -> None:
    with cairn.start() as process:
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
        assert _open(link[:-1]) is None
        token = link.partition("token=")[2]
        assert token not in "".join(path.read_text(errors="replace") for path in cairn.folder.glob("*.db*"))


def test_the_link_is_void_once_somebody_registered(cairn: Cairn) -> None:
    with cairn.start() as process:
        process.wait_ready()
        link = _link(process.output)
        body = {"email": "ada@example.com", "password": _PASSWORD, "name": "Ada"}
        assert httpx.post(f"{process.url}/api/auth/register", json=body).status_code == 201
        assert _open(link) is None
        process.stop()
    with cairn.start() as process:
        process.wait_ready()
        assert "/signin?token=" not in process.output
        assert "cairn admin signin-link" in process.output


def test_a_start_that_nobody_used_prints_another_link_and_ends_the_first(cairn: Cairn) -> None:
    with cairn.start() as process:
        process.wait_ready()
        first = _link(process.output)
        process.stop()
    with cairn.start(port=process.port) as process:
        process.wait_ready()
        second = _link(process.output)
        assert second != first
        assert _open(first) is None
        cookie = _open(second)
        assert cookie is not None
        assert _me(process, cookie).status_code == 200


def test_an_operator_can_always_get_in(cairn: Cairn, engine: str) -> None:
    """signin-link for the first owner or a named account, used beside the running server; unknown ones are refused."""
    owner = make_owner(cairn)
    with cairn.start() as process:
        process.wait_ready()
        cairn.settings["CAIRN_BASE_URL"] = process.url
        whose = () if engine == "sqlite" else ("--email", "Owner@Example.com")
        link = cairn.run("admin", "signin-link", *whose).stdout.strip()
        cookie = _open(link)
        assert cookie is not None
        assert _me(process, cookie).json()["userId"] == owner["userId"]
        assert _open(link) is None
        unknown = cairn.run("admin", "signin-link", "--email", "eve@example.com", check=False)
        assert (unknown.returncode, unknown.stdout) == (2, "")
        assert unknown.stderr == "cairn: There is no account with the address eve@example.com\n"


def test_secrets_are_files_only_their_owner_may_read(plain: Cairn) -> None:
    with plain.start() as process:
        process.wait_ready()
    keys = plain.folder / "keys"
    assert _mode(keys) == 0o700
    files = list(keys.iterdir())
    assert files
    assert {path.name: oct(_mode(path)) for path in files} == {path.name: "0o600" for path in files}


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
