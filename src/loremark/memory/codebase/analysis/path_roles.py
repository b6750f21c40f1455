"""Classifies paths as own code, tests, examples, documents or vendored."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from loremark.memory.codebase.selection.file_kinds import is_example, is_test

PathRole = Literal["own", "test", "example", "document", "vendored"]
_VENDORED = frozenset(
    (
        *("vendor", "vendors", "vendored", "_vendor", "third_party", "third-party", "thirdparty"),
        *("node_modules", "bower_components"),
    )
)
_VENDORED_NEAR_THE_TOP = frozenset(("external", "extern", "deps", "submodules"))
_SERVED = re.compile(r"(?:^|/)(?:public|static|assets|wwwroot)/(?:libs?|plugins)/")
# In addition to what file selection counts as tests and examples: none of these is part of the program.
_REGRESS = frozenset(("regress", "regression", "regressions", "regression-tests", "mirage"))
_EXAMPLE = re.compile(
    r"(?:sample|example|demo)[_-]\w{1,40}|\w{1,40}[_-](?:samples|examples|demos)|"
    r"(?:project|app|site|plugin)[_-]templates?"
)
_OF_TESTS = re.compile(r"tests?[_-][\w-]{1,40}|test(?:ing)?utils?")
_HOLDERS = frozenset(("packages", "apps", "projects"))
_DOCUMENTS = frozenset(("docs", "doc", "documentation", "website", "site", "man", "wiki"))
CODE = frozenset(
    (
        *(
            "python",
            "javascript",
            "typescript",
            "tsx",
            "vue",
            "svelte",
            "astro",
            "go",
            "rust",
            "zig",
            "c",
            "cpp",
            "header",
        ),
        *(
            "java",
            "kotlin",
            "scala",
            "groovy",
            "csharp",
            "fsharp",
            "razor",
            "ruby",
            "erb",
            "haml",
            "slim",
            "php",
            "perl",
        ),
        *("swift", "objective-c", "dart", "elixir", "erlang", "haskell", "ocaml", "lua", "r", "julia", "tcl"),
        *("shell", "powershell"),
    )
)
"""Programming languages."""


@lru_cache(maxsize=32_768)
def path_role(path: str) -> PathRole:
    parts = path.lower().split("/")[:-1]
    if (
        any(part in _VENDORED for part in parts)
        or (parts[:1] and parts[0] in _VENDORED_NEAR_THE_TOP)
        or _SERVED.search(path.lower())
    ):
        return "vendored"
    is_of_tests = (
        is_test(path)
        or not _REGRESS.isdisjoint(parts)
        or any(_OF_TESTS.fullmatch(part) for part in parts if part.startswith("test"))
        or (parts[:1] == ["t"] and path.endswith((".t", ".pm")))
    )
    if is_of_tests and not path.startswith(".github/"):
        return "test"
    if is_example(path) or any(_EXAMPLE.fullmatch(part) for part in parts[:2]):
        return "example"
    top = parts[1:2] if parts and parts[0] in _HOLDERS else parts[:1]
    return "document" if top and top[0] in _DOCUMENTS else "own"


def vendored_root(path: str) -> str:
    """The directory of vendored code, including the package name if there is one."""
    parts = path.split("/")[:-1]
    place = next((place for place, part in enumerate(parts) if part.lower() in _VENDORED), None)
    if place is None:
        place = next((place for place, part in enumerate(parts) if part.lower() in ("lib", "libs", "plugins")), 0)
    return "/".join(parts[: place + 2])


def directory_of(path: str) -> str:
    return path.rpartition("/")[0]


def area_of(path: str, depth: int = 2) -> str:
    """The first directories of a path."""
    return "/".join(path.split("/")[:-1][:depth])
