"""Settings files that count as entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremark.memory.codebase.analysis.entry_sources import Candidate
from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.records import Codebase, Entry

_MAIN, _OWN_NAME, _RESOURCES, _PARTS = 60, 58, 50, 44
_ENDINGS = ("yml", "yaml", "toml", "conf", "ini", "properties", "php", "py")
_DJANGO = re.compile(r"(?:[^/]+/){0,3}(?:settings(?:/(?:__init__|base|common|defaults?))?|default_settings)\.py")
_SPRING = re.compile(r"(?:[^/]+/){0,3}src/main/resources/([\w-]+)\.(?:ya?ml|properties|conf)")
_PLACED = re.compile(
    r"(?:(?:conf|config|configs|etc)/)?([\w.-]+)\.(?:conf|toml|ya?ml|ini)(?:\.(?:example|sample|default))?"
)
_LOADED = re.compile(r"config/(?:global|config|default)\.(?:php|ini\.php|js|ts|ini)")


def settings_entries(codebase: Codebase) -> Iterator[Candidate]:
    laravel = {f"{path[:-7]}config/app.php" for path in codebase.paths if path.endswith("artisan")}
    own = re.sub(r"[^a-z0-9]", "", codebase.name.lower())
    servers = {
        path.rpartition("/")[0] for path in codebase.paths if path.endswith(("/wsgi.py", "/asgi.py", "/urls.py"))
    }
    for path in codebase.paths:
        if not path.endswith(_ENDINGS) and not path.endswith((".js", ".ts", ".example", ".sample", ".default")):
            continue
        weight = _MAIN if path in laravel else _weight(path, own, servers)
        if weight and path_role(path) == "own" and "test" not in path:
            yield path, Entry("main", "project settings", 1), "settings", weight


def _weight(path: str, own: str, servers: set[str]) -> float:
    if path.endswith("py"):
        if "settings" not in path or _DJANGO.fullmatch(path) is None:
            return 0.0
        directory = path.rpartition("/")[0]
        return _MAIN if directory.removesuffix("/settings") in servers else 0.0
    if "src/main/resources/" in path:
        found = _SPRING.fullmatch(path)
        if found is None:
            return 0.0
        name = re.sub(r"[^a-z0-9]", "", found.group(1).lower())
        if name == "application":
            return _RESOURCES
        return (_OWN_NAME if name == own else _RESOURCES) if own and name.startswith(own) else 0.0
    if path.count("/") > 1:
        return 0.0
    if path.startswith("config/") and _LOADED.fullmatch(path):
        return _PARTS
    found = _PLACED.fullmatch(path)
    return _OWN_NAME if found and own and re.sub(r"[^a-z0-9]", "", found.group(1).lower()) == own else 0.0
