"""Write a CycloneDX SBOM of the locked dependencies: ``python requirements/sbom.py > sbom.json``.

Everything comes from the lock files, so the same commit gives the same file, without network access.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
_PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\]+?))?\s*\\?$")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_ALGORITHMS = {"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}

Component = dict[str, Any]


def python_components(text: str) -> list[Component]:
    """The pinned packages of a requirements file. A package has one hash per built file."""
    found: list[Component] = []
    for line in text.splitlines():
        pin, digest = _PIN.match(line), _HASH.search(line)
        if pin is not None:
            name, version, marker = pin.groups()
            purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{quote(version)}"
            found.append({"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl})
            if marker:
                found[-1]["properties"] = [{"name": "loremark:marker", "value": marker}]
        if digest is not None and found:
            found[-1].setdefault("hashes", []).append({"alg": "SHA-256", "content": digest.group(1)})
    return found


def npm_components(lock: dict[str, Any]) -> list[Component]:
    """The packages of a package-lock.json."""
    found = []
    for path, package in lock["packages"].items():
        name = path.rpartition("node_modules/")[2]
        if not path or "version" not in package:
            continue
        purl = f"pkg:npm/{quote(name)}@{quote(package['version'])}"
        component: Component = {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": package["version"],
            "scope": "excluded" if package.get("dev") else "required",
            "purl": purl,
        }
        algorithm, _, digest = package.get("integrity", "").partition("-")
        if algorithm in _ALGORITHMS:
            content = base64.b64decode(digest).hex()
            component["hashes"] = [{"alg": _ALGORITHMS[algorithm], "content": content}]
        found.append(component)
    return found


def document(root: Path = ROOT) -> dict[str, Any]:
    """The SBOM: what the server runs on, and what its dashboard is built from."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (root / "requirements" / "run.txt").read_text(encoding="utf-8")
    components = {each["bom-ref"]: each for each in python_components(text)}
    lock = json.loads((root / "dashboard" / "package-lock.json").read_text(encoding="utf-8"))
    components |= {each["bom-ref"]: each for each in npm_components(lock)}
    own = {"type": "application", "bom-ref": "loremark", "name": project["name"], "version": project["version"]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": [components[ref] for ref in sorted(components)],
    }


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1)
    sys.stdout.write("\n")
