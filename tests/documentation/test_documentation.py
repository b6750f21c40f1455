"""Documentation that does not fit the code fails the build."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.documentation.pages import PAGES, REFERENCE, ROOT

PROSE = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_code_says(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == PAGES[name](), "run: make docs"


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: object) -> None:
    from pathlib import Path

    assert isinstance(path, Path)
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_every_decision_has_its_parts() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    numbers = [int(path.name[:4]) for path in decisions]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in decisions:
        text = path.read_text(encoding="utf-8")
        assert all(part in text for part in ("## What we decided", "## Why", "## What it costs")), path.name


def test_every_test_named_in_the_gaps_exists() -> None:
    text = (ROOT / "docs" / "spec-gaps.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text))
    assert named, "the page names no test"
    for file, function in sorted(named):
        path = ROOT / file
        assert path.exists(), file
        assert not function or f"def {function}(" in path.read_text(encoding="utf-8"), f"{file}::{function}"


def test_no_host_of_a_registry_and_no_path_of_a_machine_is_committed() -> None:
    hosts = ["py" + "pi.org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.deb" + "ian.org", "/wo" + "rk/"]
    found = subprocess.run(
        ["git", "grep", "-nIF", *(word for host in hosts for word in ("-e", host))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == ""
