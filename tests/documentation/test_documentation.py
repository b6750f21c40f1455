"""Documentation that does not match the code or the repository fails the build."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.documentation.pages import PAGES, REFERENCE, ROOT

PROSE = sorted([*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISION_SECTIONS = ("**Status:** ", "## Context", "## Decision", "## Why", "## Costs")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", PAGES)
def test_generated_page_is_current(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == PAGES[name](), "run: make docs"


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_resolve(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", path.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        linked = path.parent / file if file else path
        assert linked.exists(), f"{path.name} links to {target}"
        assert not anchor or anchor in _anchors(linked), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_images_exist(path: Path) -> None:
    for target in re.findall(r'(?:src|srcset)="(?!https?:)([^"]+)"', path.read_text(encoding="utf-8")):
        assert (path.parent / target).is_file(), f"{path.name} shows {target}"


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub generates for the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_source_files_named_in_the_guides_exist() -> None:
    """In backticks: paths that start with a folder of the repository, and bare names of modules."""
    modules = {path.name for path in (ROOT / "src").rglob("*.py")}
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md", "docs/architecture.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for named in re.findall(r"`((?:src|tests|bench|dashboard|docs)/[\w./-]+)`", text):
            assert (ROOT / named).exists(), f"{name} names {named}"
        assert set(re.findall(r"`(\w+\.py)`", text)) <= modules, name


def test_every_decision_has_all_sections() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    numbers = [int(path.name[:4]) for path in decisions]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in decisions:
        text = path.read_text(encoding="utf-8")
        assert all(section in text for section in DECISION_SECTIONS), path.name


def test_tests_named_in_the_gaps_exist() -> None:
    text = (ROOT / "docs" / "spec-gaps.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text))
    assert named, "the page names no test"
    for file, function in sorted(named):
        path = ROOT / file
        assert path.exists(), file
        assert not function or f"def {function}(" in path.read_text(encoding="utf-8"), f"{file}::{function}"


def test_no_registry_host_or_machine_path_is_committed() -> None:
    hosts = ["py" + "pi.org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.deb" + "ian.org", "/wo" + "rk/"]
    assert _grep("-F", *(word for host in hosts for word in ("-e", host))) == []


def test_only_the_changelog_mentions_the_old_name() -> None:
    (line,) = _grep("-i", "-e", "cai" + "rn")
    assert line.startswith("CHANGELOG.md:")


def _grep(*arguments: str) -> list[str]:
    found = subprocess.run(
        ["git", "grep", "-nI", "--untracked", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.splitlines()
