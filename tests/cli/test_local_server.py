"""``loremark start``, ``stop`` and ``status``: a server in the background."""

from __future__ import annotations

import os
import re
import socket
import stat
from collections.abc import Iterator

import httpx
import pytest

from loremark.base import folders, profile, running_servers
from loremark.cli import local_server
from loremark.cli.framework import FAILED, USAGE, CommandError
from loremark.cli.setup import server as setup_server
from tests.cli.harness import Cli
from tests.support.processes import free_port

CACHE = folders.cache_folder()


@pytest.fixture
def home(cli: Cli) -> Iterator[Cli]:
    """A machine without servers; those that a test starts are stopped."""
    for name in [name for name in os.environ if name.startswith("LOREMARK_TEST_")]:
        cli.monkeypatch.delenv(name)  # a server of its own knows no such setting
    cli.monkeypatch.setenv("LOREMARK_CACHE_DIR", CACHE)  # prepared models
    yield cli
    for server in running_servers.list_running():
        local_server.stop(server)


def test_a_server_runs_in_the_background_until_it_is_stopped(home: Cli) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    home.monkeypatch.setenv("LOREMARK_PORT", str(port))
    nothing = home.run("status")
    assert (nothing.code, nothing.out) == (FAILED, "")
    assert "loremark start" in nothing.err
    assert home.run("stop").err == "No server is running on this machine.\n"
    started = home.run("start")
    assert (started.code, started.out.splitlines()[0]) == (0, f"Loremark 0.1.0 is running at {url}.")
    log = home.home / ".local" / "state" / "loremark" / "server.log"
    assert str(log) in started.out
    assert stat.S_IMODE(log.stat().st_mode) == 0o600, "the log has a sign-in link"
    assert "loremark stop" in log.read_text()
    assert local_server.find_version(url) == "0.1.0"
    again = home.run("start", "--json").json
    assert (again["started"], again["server"]["url"]) == (False, url)
    (running,) = home.run("status", "--json").json
    assert (running["pid"], running["logFile"]) == (again["server"]["pid"], str(log))
    assert os.getsid(running["pid"]) == running["pid"], "it outlives this terminal"
    shown = home.run("status")
    assert (shown.code, shown.out.splitlines()[-1].split()) == (0, ["stop", "loremark", "stop"])
    stopped = home.run("stop")
    assert stopped.out.startswith(f"Stopped the server at {url}.")
    assert home.run("status").code == FAILED
    assert local_server.find_version(url) is None

    # Started again, it has the same data and address, also without the settings it was first started with.
    home.monkeypatch.delenv("LOREMARK_PORT")
    profile.save(profile.Profile(url, "service_sk_test"))
    plan = local_server.plan_start()
    assert (plan.settings.local_url, plan.environment["LOREMARK_PORT"]) == (url, str(port))
    home.monkeypatch.setenv("LOREMARK_DATA_DIR", str(home.home / "other"))
    assert local_server.plan_start().environment == {}, "the environment names other data"


def test_nobody_registers_first_on_a_server_started_for_the_user(home: Cli) -> None:
    """Its owner exists before it listens."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    home.monkeypatch.setenv("LOREMARK_PORT", str(port))
    assert home.run("start").code == 0
    body = {"email": "eve@example.com", "password": "correct horse battery", "name": "Eve"}
    assert httpx.post(f"{url}/api/auth/register", json=body).status_code == 403
    log = (home.home / ".local" / "state" / "loremark" / "server.log").read_text()
    (printed,) = re.findall(r"http://\S+/signin\?token=\S+", log)
    with httpx.Client(follow_redirects=True) as browser:
        browser.get(printed)
        assert browser.get(f"{url}/api/auth/me").json()["email"] == "owner@localhost"
    assert home.run("stop").code == 0
    assert home.run("start").code == 0
    assert "/signin?token=" not in (home.home / ".local/state/loremark/server.log").read_text()[len(log) :]


def test_setup_does_not_use_a_server_that_somebody_else_started(home: Cli) -> None:
    home.monkeypatch.setattr(local_server, "find_version", lambda url: "0.1.0")
    with pytest.raises(CommandError, match="you did not start the server at"):
        setup_server.plan(None)
    assert setup_server.plan(profile.DEFAULT_URL).url == profile.DEFAULT_URL, "unless the user names it"


def test_a_server_that_does_not_start_says_why(home: Cli) -> None:
    home.monkeypatch.setenv("LOREMARK_PORT", str(free_port()))
    home.monkeypatch.setenv("LOREMARK_DATABASE_URL", "sqlite:////dev/null/loremark.db")
    refused = home.run("start")
    assert refused.code == FAILED
    assert refused.error.startswith("the server did not start: ")
    assert "/dev/null" in refused.error
    home.monkeypatch.setenv("LOREMARK_PORT", "many")
    assert home.run("start").error.startswith("LOREMARK_PORT ")
    assert running_servers.list_running() == []


def test_stop_asks_which_of_several(home: Cli) -> None:
    server, twin = (
        running_servers.ServerRecord(
            url=f"http://127.0.0.1:{port}",
            base_url=f"http://127.0.0.1:{port}",
            port=port,
            pid=1,
            version="1",
            data_dir=str(home.home),
            environment={},
            started_at_ms=port,
        )
        for port in (1, 2)
    )
    with running_servers.recorded(server), running_servers.recorded(twin):
        refused = home.run("stop")
        assert (refused.code, "http://127.0.0.1:1" in refused.error) == (USAGE, True)
        assert "you run no server at http://127.0.0.1:3" in home.run("stop", "--url", "http://127.0.0.1:3/").error
        assert home.run("status").out.count("Ctrl-C in its terminal, or loremark stop --url") == 2


def test_another_program_on_the_port(home: Cli) -> None:
    """Only the default port is replaced, and the new one is kept in the settings file."""
    settings = home.home / ".local" / "share" / "loremark" / "loremark.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('log_level = "error"')
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        plan = local_server.plan_start()
        assert local_server.free_port(plan.settings) >= plan.settings.port
        home.monkeypatch.setenv("LOREMARK_PORT", str(port))
        configured = local_server.plan_start()
        assert local_server.free_port(configured.settings) > port
        assert setup_server.plan(None).new_port == 0, "a port that was chosen on purpose is not replaced"
        assert "LOREMARK_PORT" in home.run("start").error
    home.monkeypatch.delenv("LOREMARK_PORT")
    local_server.save_port(plan.settings, 8123)
    assert settings.read_text() == 'log_level = "error"\nport = 8123\n'
    assert local_server.plan_start().settings.local_url == "http://127.0.0.1:8123"
