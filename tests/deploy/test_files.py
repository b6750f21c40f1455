"""The files in deploy/ agree with the code: settings, commands, versions, and the image's health check."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from loremark.base.settings import PREFIX, Settings
from loremark.entry.command_table import COMMANDS
from tests.deploy.dockerfile import ROOT, parse
from tests.servers.lifetime import child_env

DEPLOY = ROOT / "deploy"
OURS = {"LOREMARK_IMAGE"}
"""Variables of our files that are not settings."""


def test_every_variable_is_a_setting() -> None:
    names = {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)} | OURS
    files = [path for path in DEPLOY.rglob("*") if path.is_file()]
    assert len(files) > 15
    for path in files:
        found = set(re.findall(r"LOREMARK_[A-Z0-9_]+(?![A-Z0-9_*])", path.read_text(encoding="utf-8")))
        assert found <= names, path


def _compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))
    return content


def test_compose_runs_each_process_confined() -> None:
    ours = {name: each for name, each in _compose()["services"].items() if "build" in each}
    assert {name: each["command"][0] for name, each in ours.items()} == {
        "migrate": "admin",
        "api": "api",
        "worker": "worker",
        "jobs": "jobs",
    }
    for each in ours.values():
        assert each["command"][0] in COMMANDS
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
    assert ours["api"]["deploy"]["replicas"] == 2


def test_only_the_proxy_itself_is_trusted() -> None:
    """Whoever has a trusted address can claim any other."""
    compose = _compose()
    address = ip_address(compose["services"]["api"]["environment"]["LOREMARK_TRUSTED_PROXIES"])
    assert compose["services"]["caddy"]["networks"]["default"]["ipv4_address"] == str(address)
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    assert address in ip_network(network["subnet"])
    assert address not in ip_network(network["ip_range"]), "no other container gets it"
    chart = yaml.safe_load((DEPLOY / "helm" / "loremark" / "values.yaml").read_text(encoding="utf-8"))
    assert chart["trustedProxies"] == []


def test_compose_example_names_every_variable() -> None:
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8")))
    named = re.findall(r"^#?(\w+)=", (DEPLOY / "compose" / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert used - {"LOREMARK_IMAGE"} == set(named)


def test_chart_has_the_version_of_the_package() -> None:
    chart = yaml.safe_load((DEPLOY / "helm" / "loremark" / "Chart.yaml").read_text(encoding="utf-8"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert (chart["version"], chart["appVersion"]) == (version, version)


def test_image_is_built_from_files_that_exist_and_are_not_ignored() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = tuple(line.removeprefix("!") for line in ignored if line.startswith("!"))
    copied = [
        source
        for step in parse(DEPLOY / "Dockerfile")
        if step.name == "COPY" and "--from" not in step.options
        for source in step.words[:-1]
    ]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert any(source == each or source.startswith(f"{each}/") for each in allowed), source


def test_image_runs_as_another_user_than_root() -> None:
    last = parse(DEPLOY / "Dockerfile")
    users = [step.words[0] for step in last if step.name == "USER"]
    assert users[-1].split(":")[0] not in ("0", "root")


@pytest.mark.parametrize(("status", "expected"), [(200, 0), (503, 1)])
def test_health_check_of_the_image(status: int, expected: int) -> None:
    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    (check,) = [step for step in parse(DEPLOY / "Dockerfile") if step.name == "HEALTHCHECK"]
    command = json.loads(check.text.partition("CMD ")[2])
    assert command[0] == "python"
    with HTTPServer(("127.0.0.1", 0), Health) as server:
        threading.Thread(target=server.handle_request).start()
        environment = {**child_env(), "LOREMARK_PORT": str(server.server_address[1])}
        done = subprocess.run([sys.executable, *command[1:]], env=environment, capture_output=True, check=False)
    assert done.returncode == expected


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_units_are_valid(tmp_path: Path) -> None:
    program = tmp_path / "loremark"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for path in (DEPLOY / "systemd").glob("loremark*"):
        text = path.read_text(encoding="utf-8").replace("/opt/loremark/bin/loremark", str(program))
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    units = [str(path) for path in tmp_path.iterdir() if path.suffix in (".service", ".timer")]
    assert len(units) == 4
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if str(tmp_path) in line]) == (0, [])
