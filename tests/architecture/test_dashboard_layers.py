"""The dashboard's sources keep the house's habits: small files, one-way floors, and no door for hostile text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "dashboard"
SOURCES = sorted(
    path for path in (ROOT / "src").rglob("*") if path.suffix in (".ts", ".tsx", ".css") and path.name != "schema.d.ts"
)
MOST_LINES = 300
# Text that becomes markup or code; whatever needs one of these must find another way.
_SINKS = re.compile(
    r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcDoc"
)
# Only what a stranger at the machine may read: the look, and which project was open.
_MAY_STORE = {"shell/Shell.tsx"}
_FLOORS = ["pages", "shell", "parts", "api"]


def _name(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_source_is_small_and_has_no_door_for_markup(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert _SINKS.findall(text) == []
    if _name(path) not in _MAY_STORE:
        assert re.findall(r"localStorage\.|sessionStorage|indexedDB", text) == []
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", text) == []


def test_floors_are_looked_down_not_up() -> None:
    """Pages see the shell, the parts and the API; a page never sees another one, except what it offers to all."""
    wrong = []
    for path in SOURCES:
        floor = _name(path).split("/")[0]
        if floor not in _FLOORS:
            continue
        for target in re.findall(r'from "~/([^"]+)"', path.read_text()):
            other = target.split("/")[0]
            allowed = {"api/hooks.ts": {"parts"}}.get(_name(path), set())
            if other in _FLOORS and _FLOORS.index(other) < _FLOORS.index(floor) and other not in allowed:
                wrong.append(f"{_name(path)} -> {target}")
    assert wrong == []


def test_the_lock_names_no_place_to_download_from() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
    given = json.loads((ROOT / "package.json").read_text())
    versions = [*given["dependencies"].values(), *given["devDependencies"].values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


def test_every_page_has_its_pictures_in_the_documentation() -> None:
    pages = set(
        re.findall(r'^    "([a-z-]+)": \(', (ROOT.parent / "tests/browser/pictures.py").read_text(), re.MULTILINE)
    )
    shown = (ROOT.parent / "docs/dashboard.md").read_text()
    kinds = [f"{size}-{look}" for size in ("desktop", "phone") for look in ("light", "dark")]
    assert len(pages) >= 24
    for picture in (f"{page}-{kind}.png" for page in pages for kind in kinds):
        assert f"pictures/{picture}" in shown
        assert (ROOT.parent / "docs/pictures" / picture).is_file()
