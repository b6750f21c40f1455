"""The SBOM lists every locked package, and the lock files pin the installers too."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def _sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", ROOT / "requirements" / "sbom.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sbom_lists_every_locked_package() -> None:
    document = _sbom().document()
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    purls = {component["purl"] for component in document["components"]}
    assert len(purls) == len(document["components"])
    locked = re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", (ROOT / "requirements" / "run.txt").read_text(), re.MULTILINE)
    assert len(locked) > 50
    assert {f"pkg:pypi/{name}@{version}" for name, version in locked} <= purls
    packages = json.loads((ROOT / "dashboard" / "package-lock.json").read_text())["packages"]
    react = packages["node_modules/react"]["version"]
    assert f"pkg:npm/react@{react}" in purls
    without_hash = [component["name"] for component in document["components"] if not component.get("hashes")]
    assert without_hash == []


def test_the_sbom_is_reproducible() -> None:
    assert json.dumps(_sbom().document()) == json.dumps(_sbom().document())


def test_the_installers_are_pinned() -> None:
    locked = (ROOT / "requirements" / "uv.txt").read_text()
    assert all(re.search(rf"^{name}==", locked, re.MULTILINE) for name in ("pip", "setuptools", "uv"))
