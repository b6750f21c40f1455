"""Resolves programs declared in manifests to their source files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.records import Codebase, Entry, EntryKind, FileFacts

_MODULE = re.compile(r"[A-Za-z_][\w]*(?:\.\w+){0,12}(?::[\w.]+)?")
_BUILT = re.compile(r"^(?:\./)?(?:dist|build|lib|out|esm|cjs|output|\.next)(?:/(?:esm|cjs|es|types|prod|dev))?/")
_ENDINGS = (".ts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".mts", "/index.ts", "/index.tsx", "/index.js")
_BUILT_ENDING = re.compile(r"(?:\.d)?\.(?:[mc]?[jt]sx?)$")
# Other files in a bundler configuration: settings, outputs, replacements and test setup.
_NO_INPUT = re.compile(
    r"(?:^|/)(?:public|dist|static)/|\.config\.\w{2,3}$|(?:^|/)(?:setup\w*|polyfills?|shims?|[\w-]*-shims?|environment[\w.]*|jest[\w.-]*|vitest[\w.-]*)"
    r"\.\w{2,3}$|\.min\.[cm]?js$|(?:^|/)libs?/[^/]{1,60}\.js$",
    re.IGNORECASE,
)
_ENTRY_IN_COMMAND = re.compile(
    r"(?:^|\s)(?:node|nodemon|tsx|ts-node|bun|deno|python3?|php|ruby)\s(?:[\w:=-]{1,40}\s){0,3}([\w./-]{2,80}\.\w{2,4})"
)


def declared_files(codebase: Codebase) -> list[tuple[str, Entry, str]]:
    """Declared programs that resolve to a file, each with its manifest."""
    paths = _sources_of(codebase)
    found: dict[tuple[str, str], tuple[Entry, str]] = {}
    for manifest, facts in _signed(codebase, ("target", "command")):
        base = manifest.rpartition("/")[0]
        for key, value in facts.signs.items():
            kind, _, name = key.partition(":")
            if kind == "target":
                path = _resolved(base, value, paths)
                path = _origin(codebase, path, value) if path is not None else None
                if path is not None:
                    kind_of_it: EntryKind = "library" if name == "library" else "cli"
                    found.setdefault((path, name), (Entry(kind_of_it, name, 1), manifest))
            elif kind == "command" and name in ("start", "dev", "serve"):
                started = _ENTRY_IN_COMMAND.search(value)
                path = _first(_sources(base, started.group(1)), paths) if started else None
                if path is not None:
                    found.setdefault((path, name), (Entry("server", f"npm run {name}", 1), manifest))
    return [(path, entry, manifest) for (path, _), (entry, manifest) in found.items()]


def bundler_inputs(codebase: Codebase) -> list[tuple[str, str]]:
    """Source files that a bundler or HTML page loads, each with the file that names them."""
    rows = _signed(codebase, ("input:",))
    paths = _sources_of(codebase) if rows else frozenset()
    found: dict[str, str] = {}
    for manifest, facts in rows:
        base = manifest.rpartition("/")[0]
        for key, value in facts.signs.items():
            if key.startswith("input:"):
                path = _first(_inputs(base, value), paths)
                if path is not None and path != manifest and _is_input(path):
                    found.setdefault(path, manifest)
    return list(found.items())


def _signed(codebase: Codebase, marks: tuple[str, ...]) -> list[tuple[str, FileFacts]]:
    """The project's own files with a sign whose key has this prefix, by path."""
    marked = {path for path, facts in codebase.files.items() for key in facts.signs if key.startswith(marks)}
    return [(path, codebase.files[path]) for path in sorted(marked) if path_role(path) == "own"]


def _sources_of(codebase: Codebase) -> frozenset[str]:
    """All paths except type declarations, which contain no entry points."""
    every = frozenset(codebase.paths) | frozenset(codebase.files)
    return frozenset(path for path in every if not path.endswith((".d.ts", ".d.mts", ".d.cts")))


def _is_input(path: str) -> bool:
    return path_role(path) == "own" and bool(_BUILT_ENDING.search(path)) and not _NO_INPUT.search(path)


def _inputs(base: str, target: str) -> Iterator[str]:
    """Resolved next to the configuration, from a page's root, or from the build directory."""
    plain = target.removeprefix("/")
    for place in (base, "", posixpath.join(base, "public"), base.rpartition("/")[0]):
        path = posixpath.normpath(posixpath.join(place, plain))
        yield path
        yield from (path + ending for ending in _ENDINGS)


def _resolved(base: str, target: str, paths: frozenset[str]) -> str | None:
    """A file or a module (``package.module:function``), including one built from a source elsewhere."""
    if (
        "/" not in target
        and _MODULE.fullmatch(target)
        and not target.endswith((".js", ".ts", ".py", ".mjs", ".cjs", ".rb", ".php"))
    ):
        module = target.partition(":")[0].replace(".", "/")
        # `package:function` may also mean a module of that name inside the package.
        return _first(
            (
                posixpath.join(base, root, module + ending)
                for root in ("", "src", "lib", "python")
                for ending in (".py", "/__main__.py", "/__init__.py")
            ),
            paths,
        )
    return _first(_candidates(base, target), paths)


def _origin(codebase: Codebase, path: str, target: str) -> str:
    """If a package only re-exports its function, the module that defines it."""
    facts = codebase.files.get(path)
    function = target.rpartition(":")[2]
    if facts is None or not path.endswith("/__init__.py") or ":" not in target:
        return path
    package = path.rpartition("/")[0]
    for found in facts.imports:
        if function in found.names:
            module = found.target.removeprefix(package.rpartition("/")[2] + ".").lstrip(".").replace(".", "/")
            home = next(
                (
                    f"{package}/{module}{end}"
                    for end in (".py", "/__init__.py")
                    if f"{package}/{module}{end}" in codebase.files
                ),
                None,
            )
            return home or path
    return path


def _candidates(base: str, target: str) -> Iterator[str]:
    yield from _sources(base, target)
    if target.endswith(".go"):
        return
    for name in ("src/index", "index", "src/main", "src/cli"):
        yield from (posixpath.normpath(posixpath.join(base, name + ending)) for ending in (".ts", ".tsx", ".js"))


def _sources(base: str, target: str) -> Iterator[str]:
    """The file itself, or the source of a built file."""
    path = posixpath.normpath(posixpath.join(base, target.removeprefix("/")))
    yield path
    yield from (path + ending for ending in _ENDINGS)
    inside = posixpath.normpath(target.removeprefix("/"))
    stem = _BUILT_ENDING.sub("", _BUILT.sub("", inside))
    for root in ("src", "", "lib", "source"):
        for ending in _ENDINGS[:7]:
            yield posixpath.normpath(posixpath.join(base, root, stem + ending))


def _first(candidates: Iterator[str] | tuple[str, ...], paths: frozenset[str]) -> str | None:
    return next((path for path in candidates if path in paths), None)
