"""Finds file-based pages and routes: Next.js, Remix, SvelteKit, Nuxt."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import JavaScriptNodes, first_string
from loremark.memory.codebase.parsing.route_paths import METHODS, add, joined

_METHODS = frozenset(method.upper() for method in METHODS)
_APP = re.compile(r"(?:^|.*/)app/(?:(.+)/)?(page|route)\.[jt]sx?$")
_PAGES = re.compile(r"(?:^|/)(?:src/|app/)?pages/(.+)\.(?:[jt]sx?|vue)$")
_REMIX = re.compile(r"(?:^|/)app/routes/(.+)\.[jt]sx?$")
_SVELTE = re.compile(r"(?:^|/)src/routes/(?:(.+)/)?\+(page\.svelte|server\.[jt]s)$")
_NUXT = re.compile(r"(?:^|/)server/(api|routes)/(.+?)(?:\.(get|post|put|patch|delete|head))?\.[jt]s$")
# Root layouts and components: Next and SvelteKit, Nuxt and Remix.
_ROOT = re.compile(r"(?:^|.*/)(?:app/layout\.[jt]sx?|pages/_app\.[jt]sx?|app/root\.[jt]sx|src/routes/\+layout\.svelte)")
_NO_PART = re.compile(r"\([^/]{0,80}\)|@[^/]{0,80}|_index|index")
_LIKE_ADDRESS = re.compile(r"[a-z0-9_.\[\]$-]{1,100}")


def read(root: Node, exported: set[str], found: JavaScriptNodes, into: Collector) -> None:
    """Adds the page or route of the first matching framework."""
    path = into.path
    if _is_root(path, exported):
        into.entry("page", "browser app", root)
        return
    for reader in (_app, _sveltekit, _nuxt, _remix, _pages):
        if reader(path, root, exported, found, into):
            return
    for _, name, call in found.calls:
        if name in ("createFileRoute", "createLazyFileRoute"):
            into.entry("page", first_string(call) or "", call)


def _is_root(path: str, exported: set[str]) -> bool:
    if path.endswith((".vue", ".svelte")):
        folder = path.rpartition("/")[0].rpartition("/")[2]
        is_nuxt = path.rpartition("/")[2] == "app.vue" and folder not in ("src", "components")
        return is_nuxt or _ROOT.fullmatch(path) is not None
    return _has_default(exported) and _ROOT.fullmatch(path) is not None


def _address(folders: str) -> str:
    return joined(*(part for part in folders.split("/")[:30] if part and not _NO_PART.fullmatch(part)))


def _app(path: str, root: Node, exported: set[str], found: JavaScriptNodes, into: Collector) -> bool:
    match = _APP.fullmatch(path)
    if match is None or (match.group(2) == "page" and not _has_default(exported)):
        return False
    address = _address(match.group(1) or "")
    if match.group(2) == "page":
        into.entry("page", address, root)
    else:
        methods = sorted(exported & _METHODS)
        if methods:
            add(into, methods, address, root)
    return True


def _sveltekit(path: str, root: Node, exported: set[str], found: JavaScriptNodes, into: Collector) -> bool:
    match = _SVELTE.search(path)
    if match is None:
        return False
    address = _address(match.group(1) or "")
    if match.group(2).startswith("page"):
        into.entry("page", address, root)
    else:
        add(into, sorted(exported & _METHODS), address, root)
    return True


def _nuxt(path: str, root: Node, exported: set[str], found: JavaScriptNodes, into: Collector) -> bool:
    match = _NUXT.search(path)
    if match is None or not any(name.endswith("EventHandler") for _, name, _ in found.calls):
        return False
    base = "/api" if match.group(1) == "api" else ""
    add(into, [match.group(3) or ""], joined(base, _address(match.group(2))), root)
    return True


def _remix(path: str, root: Node, exported: set[str], found: JavaScriptNodes, into: Collector) -> bool:
    match = _REMIX.search(path)
    if match is None or exported.isdisjoint(("default", "loader", "action")):
        return False
    flat = match.group(1).removesuffix("/route").replace(".", "/")
    address = _address("/".join(part for part in flat.split("/") if part == "_index" or not part.startswith("_")))
    if "default" in exported:
        into.entry("page", address, root)
    else:
        add(into, ["GET"] * ("loader" in exported) + ["POST"] * ("action" in exported), address, root)
    return True


def _pages(path: str, root: Node, exported: set[str], found: JavaScriptNodes, into: Collector) -> bool:
    """A ``pages`` folder is common elsewhere too, so only names that can be part of a URL count."""
    match = _PAGES.search(path)
    if match is None or not all(map(_LIKE_ADDRESS.fullmatch, match.group(1).split("/"))):
        return False
    is_vue = path.endswith(".vue")
    if match.group(1).rpartition("/")[2].startswith("_") or not (is_vue or _has_default(exported)):
        return False
    if found.uses("react-router", "react-router-dom", "vue-router", "wouter", "@angular/core"):
        return False
    if match.group(1).startswith("api/") and not is_vue:
        add(into, [], _address(match.group(1)), root)
    else:
        into.entry("page", _address(match.group(1)), root)
    return True


def _has_default(exported: set[str]) -> bool:
    return "default" in exported
