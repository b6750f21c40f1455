"""The commands in the README and the guides work, in order, on a fresh server, and print what the pages show."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from loremark.base.folders import cache_folder
from tests.documentation.examples import Example, read_examples, run_examples
from tests.documentation.pages import ROOT
from tests.servers import lifetime
from tests.support.processes import COMMAND, Loremark, free_port

PAGES = ("README.md", "docs/agents.md", "docs/api.md")
_URL = "http://127.0.0.1:8000"
_FILES = {
    "CLAUDE.md": "# Rules\n\n- Never log card numbers.\n- Always run `make check` before you push.\n",
    "README.md": "# Shop\n\nA shop for everything.\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["flask>=3"]\n',
    "shop/app.py": 'from flask import Flask\n\napp = Flask("shop")\n\n@app.get("/")\ndef home():\n    return "shop"\n',
}


def test_examples_work_and_print_what_the_pages_show(tmp_path: Path) -> None:
    home = tmp_path / "home"
    _create_repository(home / "code" / "shop")
    (home / ".claude").mkdir()
    environment = _environment(home)
    url = f"http://127.0.0.1:{environment['LOREMARK_PORT']}"
    examples = [_with_url(url, example) for page in PAGES for example in read_examples(ROOT / page)]
    try:
        results = run_examples([example for example in examples if not example.is_make], environment, ROOT)
    finally:
        subprocess.run([COMMAND, "stop"], env=environment, check=False, timeout=60)
    with Loremark(tmp_path, "", {"LOREMARK_LOG_LEVEL": "warning"}).start() as server:
        server.wait_ready()
        results += [(_with_url(server.url, example), server.output) for example in _printed_at_start()]
    for example, printed in results:
        assert example.matches(printed), (
            f"{example.page}: {example.command!r} should print\n{example.output}\n---\n{printed}"
        )


def _printed_at_start() -> list[Example]:
    return [example for page in PAGES for example in read_examples(ROOT / page) if example.command == "make run"]


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
    return Example(example.page, example.command.replace(_URL, url), example.output.replace(_URL, url))


def _environment(home: Path) -> dict[str, str]:
    """The environment of a new user. A server that is started there uses a free port."""
    kept = {name: value for name, value in lifetime.child_env().items() if not name.startswith("XDG_")}
    return {
        **kept,
        "HOME": str(home),
        "LOREMARK_PORT": str(free_port()),
        "LOREMARK_CACHE_DIR": cache_folder(),  # prepared models
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
