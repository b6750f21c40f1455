"""A dashboard built elsewhere from the same sources is used instead of building it."""

from __future__ import annotations

import importlib.util
import io
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def archive() -> ModuleType:
    spec = importlib.util.spec_from_file_location("archive", ROOT / "dashboard" / "archive.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _checkout(folder: Path, built: dict[str, str]) -> Path:
    files = {"dashboard/src/main.tsx": "render()", "dashboard/package.json": "{}"}
    files |= {f"src/loremark/features/dashboard/built/{name}": text for name, text in built.items()}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def _built(checkout: Path) -> dict[str, str]:
    folder = checkout / "src" / "loremark" / "features" / "dashboard" / "built"
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_archive_replaces_the_built_dashboard(archive: ModuleType, tmp_path: Path) -> None:
    files = {"index.html": "<html>", "assets/index-1.js": "1"}
    there = _checkout(tmp_path / "there", files)
    here = _checkout(tmp_path / "here", {"index.html": "old", "assets/index-0.js": "0"})
    packed = archive.pack(there, tmp_path / "dist")
    content = packed.read_bytes()
    assert archive.pack(there, tmp_path / "dist").read_bytes() == content, "it is reproducible"
    assert archive.unpack(here, tmp_path / "dist") is True
    assert _built(here) == files


def test_archive_of_other_sources_is_not_used(archive: ModuleType, tmp_path: Path) -> None:
    there = _checkout(tmp_path / "there", {"index.html": "new"})
    archive.pack(there, tmp_path / "dist")
    here = _checkout(tmp_path / "here", {"index.html": "old"})
    generated = here / "dashboard" / "src" / "api" / "schema.d.ts"
    generated.parent.mkdir()
    generated.write_text("generated")
    assert archive.archive_name(here) == archive.archive_name(there)
    (here / "dashboard" / "src" / "main.tsx").write_text("render(more)")
    assert archive.unpack(here, tmp_path / "dist") is False
    assert _built(here) == {"index.html": "old"}


def test_archive_cannot_write_elsewhere(archive: ModuleType, tmp_path: Path) -> None:
    here = _checkout(tmp_path / "here", {"index.html": "old"})
    (tmp_path / "dist").mkdir()
    with tarfile.open(tmp_path / "dist" / archive.archive_name(here), "w:gz") as file:
        entry = tarfile.TarInfo("../../../evil.py")
        entry.size = 4
        file.addfile(entry, io.BytesIO(b"evil"))
    with pytest.raises(ValueError, match="not a file of the dashboard"):
        archive.unpack(here, tmp_path / "dist")
    assert list(tmp_path.rglob("evil.py")) == []
