"""The dashboard's sources follow our rules: small files, one-way imports, and no injection sinks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.browser.pictures import OUT, documented

ROOT = Path(__file__).parents[2] / "dashboard"
SOURCES = sorted(
    path for path in (ROOT / "src").rglob("*") if path.suffix in (".ts", ".tsx", ".css") and path.name != "schema.d.ts"
)
MAX_LINES = 300
# APIs that turn text into markup or code; none of them may be used.
_SINKS = re.compile(
    r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcDoc"
)
# May use browser storage, but only for the theme and the last open project, which are not sensitive.
_MAY_USE_STORAGE = {"shell/Shell.tsx"}
_LAYERS = ["pages", "shell", "parts", "api"]


def _name(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_source_is_small_and_has_no_markup_sinks(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MAX_LINES
    assert _SINKS.findall(text) == []
    if _name(path) not in _MAY_USE_STORAGE:
        assert re.findall(r"localStorage\.|sessionStorage|indexedDB", text) == []
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", text) == []


def test_imports_only_go_down_the_layers() -> None:
    """Pages may import the shell, the parts and the API, but no layer imports one above it."""
    wrong = []
    for path in SOURCES:
        layer = _name(path).split("/")[0]
        if layer not in _LAYERS:
            continue
        for target in re.findall(r'from "~/([^"]+)"', path.read_text()):
            other = target.split("/")[0]
            allowed = {"api/hooks.ts": {"parts"}}.get(_name(path), set())
            if other in _LAYERS and _LAYERS.index(other) < _LAYERS.index(layer) and other not in allowed:
                wrong.append(f"{_name(path)} -> {target}")
    assert wrong == []


def test_lock_file_has_no_download_urls() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
    manifest = json.loads((ROOT / "package.json").read_text())
    versions = [*manifest["dependencies"].values(), *manifest["devDependencies"].values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


def test_every_picture_is_shown_in_the_documentation() -> None:
    assert sorted(path.stem for path in OUT.iterdir()) == documented()
