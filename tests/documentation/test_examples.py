"""The commands in the README and the guides work, in order, on a fresh server, and print what the pages show."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx

from tests.documentation import approve_login
from tests.documentation.examples import Example, read_examples, run_examples
from tests.documentation.pages import ROOT
from tests.servers import lifetime
from tests.support.processes import COMMAND, Loremark, Process

PAGES = ("README.md", "docs/agents.md", "docs/api.md")
_URL = "http://127.0.0.1:8000"
_FILES = {
    "CLAUDE.md": "# Rules\n\n- Never log card numbers.\n- Always run `make check` before you push.\n",
    "README.md": "# Shop\n\nA shop for everything.\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["flask>=3"]\n',
    "shop/app.py": 'from flask import Flask\n\napp = Flask("shop")\n\n@app.get("/")\ndef home():\n    return "shop"\n',
}


def test_examples_work_and_print_what_the_pages_show(tmp_path: Path) -> None:
    data, home = tmp_path / "data", tmp_path / "home"
    data.mkdir()
    _create_repository(home / "code" / "shop")
    with Loremark(data, "", {"LOREMARK_LOG_LEVEL": "warning"}).start() as server:
        server.wait_ready()
        environment = _environment(server, home)
        examples = [_with_url(server.url, example) for page in PAGES for example in read_examples(ROOT / page)]
        results = [(example, server.output) for example in examples if example.command == "make run"]
        results += run_examples([example for example in examples if not example.is_make], environment, ROOT)
    for example, printed in results:
        assert example.matches(printed), (
            f"{example.page}: {example.command!r} should print\n{example.output}\n---\n{printed}"
        )


def test_operators_examples_work_and_print_what_the_page_shows(tmp_path: Path) -> None:
    """In a new installation, before its server has started."""
    environment = {
        **lifetime.child_env(),
        "LOREMARK_DATA_DIR": str(tmp_path / "data"),
        "PATH": f"{COMMAND.parent}:{os.environ['PATH']}",
    }
    examples = read_examples(ROOT / "docs" / "deployment.md")
    assert len(examples) > 3
    for example, printed in run_examples(examples, environment, tmp_path):
        assert example.matches(printed), f"{example.command!r} should print\n{example.output}\n---\n{printed}"


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / ".github").rglob("*.*")):
        named = set(re.findall(r"(?:`|\$ |run: )make ([a-z0-9]+)", page.read_text(encoding="utf-8")))
        assert named <= targets, page


def _with_url(url: str, example: Example) -> Example:
    """The example with the URL of the test server, which does not listen on the default port."""
    command = example.command.replace(_URL, url).replace("loremark login", f"loremark login --url {url}")
    return Example(example.page, command, example.output.replace(_URL, url))


def _environment(server: Process, home: Path) -> dict[str, str]:
    """The environment of a new user whose browser is signed in with the one-time link."""
    link = re.findall(r"http://\S+/signin\?token=\S+", server.output)[-1]
    cookie = httpx.get(link, verify=False).cookies["loremark_login"]
    browser = home / "browser"
    words = [sys.executable, approve_login.__file__, cookie]
    browser.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$1"\n')
    browser.chmod(0o700)
    kept = {name: value for name, value in lifetime.child_env().items() if not name.startswith("XDG_")}
    return {
        **kept,
        "HOME": str(home),
        "BROWSER": str(browser),
        "PATH": f"{COMMAND.parent}:{kept['PATH']}",
        "PYTHONUNBUFFERED": "1",  # keeps messages and data in order
    }


def _create_repository(folder: Path) -> None:
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    commit = ("commit", "-qm", "feat: serve the home page with Flask instead of static files")
    for words in (("init", "-q", "-b", "main"), ("add", "."), commit):
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True)
