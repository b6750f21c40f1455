"""Decides which files count for the tech stack: not vendored, generated, examples or documentation."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Area = Literal["own", "test", "foreign"]

_VENDORED = frozenset(
    (
        *("vendor", "vendored", "node_modules", "third_party", "third-party", "thirdparty", "3rdparty"),
        *("bower_components", "dist", "site-packages", "pods", "carthage"),
    )
)
# At deeper levels, these are ordinary package names.
_VENDORED_AT_ROOT = ("deps", "external", "externals")
_FIXTURES = frozenset(
    (
        *("fixtures", "fixture", "__fixtures__", "testdata", "test-data", "test_data", "snapshots", "__snapshots__"),
        *("syntax-tests", "golden", "goldens", "cassettes", "testcases", "test-cases"),
    )
)
_SIDE = frozenset(
    (
        *("docs", "doc", "documentation", "website", "examples", "example", "samples", "sample", "demo", "demos"),
        *("playground", "playgrounds", "sandbox", "tutorial", "tutorials", "benchmarks", "benchmark", "bench", "fuzz"),
        *(
            "templates",
            "template",
            "boilerplate",
            "starter",
            "starters",
            ".devcontainer",
            ".gitpod",
            "project_template",
        ),
    )
)
_TESTS = frozenset(
    (
        *("test", "tests", "__tests__", "spec", "specs", "e2e", "e2e-tests", "integration-tests", "integration_tests"),
        *("js_tests", "cypress", "testing", "functional_tests", "acceptance"),
    )
)
_TEST_NAME = re.compile(
    r"(?:^test_|[._-](?:test|tests|spec)\.|_test\.|Tests?\.(?:java|kt|cs|php)$|_spec\.rb$|^conftest\.)"
)
_MACHINE_MADE = re.compile(
    r"(?:\.min\.(?:js|css|mjs)|[.-]bundle\.js|\.designer\.cs|\.g\.cs|\.pb\.go|_pb2(?:_grpc)?\.py|\.generated\.\w{1,6}|_pb\.[tj]s)$"
)
_SETTINGS_SCRIPT = re.compile(
    r"(?:\.config\.\w{0,20}\.?[cm]?[jt]s$|^\.\w{1,30}rc\.[cm]?js$|^(?:gulpfile|gruntfile|setup|noxfile|conftest)\.)"
)
_DEEPEST_BELOW_TESTS = 2
_SERVED = frozenset(
    (
        "static",
        "public",
        "assets",
        "wwwroot",
        "webapp",
        "htdocs",
        "lib",
        "libs",
        "gui",
        "web",
        "www",
        "webroot",
        "resources",
    )
)
_NEVER_SERVED = frozenset(("node_modules", "site-packages", "pods", "carthage"))


@lru_cache(maxsize=32_768)
def area_of(path: str) -> Area:
    """What a manifest at this path counts for: the codebase, its tests, or nothing."""
    parts = path.lower().split("/")[:-1]
    if parts and (parts[0] in _VENDORED_AT_ROOT or (parts[0] == ".github" and parts[1:] not in ([], ["workflows"]))):
        return "foreign"
    for part in parts:
        if part in _VENDORED or part in _FIXTURES or part in _SIDE or part.startswith("template-"):
            return "foreign"
    for depth, part in enumerate(parts):
        if part in _TESTS:
            return "test" if len(parts) - depth - 1 <= _DEEPEST_BELOW_TESTS else "foreign"
    return "own"


@lru_cache(maxsize=32_768)
def is_vendored(path: str) -> bool:
    """Whether the file is third-party or generated."""
    lower = path.lower()
    folders = lower.split("/")[:-1]
    if _MACHINE_MADE.search(lower) or (folders and folders[0] in _VENDORED_AT_ROOT):
        return True
    return any(part in _VENDORED for part in folders)


_ASIDE = (_SIDE | _FIXTURES | _TESTS) - {"templates", "template"}


@lru_cache(maxsize=4_096)
def folders_of(directory: str) -> frozenset[str]:
    """The folders of a directory path, in lower case."""
    return frozenset(directory.split("/"))


def are_auxiliary(folders: frozenset[str]) -> bool:
    """Whether the folder holds documentation, examples or tests; templates do not count."""
    return not _ASIDE.isdisjoint(folders)


def are_shipped(folders: frozenset[str]) -> bool:
    """Whether third-party files are shipped with the program (``static/vendor/jquery.js``)."""
    return not _SERVED.isdisjoint(folders) and _NEVER_SERVED.isdisjoint(folders) and not are_auxiliary(folders)


@lru_cache(maxsize=32_768)
def is_source(path: str) -> bool:
    """Whether the file counts for its language's share."""
    parts = path.lower().split("/")
    folders = parts[:-1]
    if is_vendored(path) or _SETTINGS_SCRIPT.search(parts[-1]):
        return False
    # At deeper levels, such names are ordinary: src/main/java/com/example, app/templates.
    if any(part in _SIDE and part not in ("templates", "template") for part in folders[:1]):
        return False
    if any(part in _TESTS for part in folders) and any(part in _SIDE for part in folders):
        return False
    return not any(part in _FIXTURES or part.startswith("template-") for part in folders)


def is_test(path: str) -> bool:
    """Whether the file is a test or belongs to tests."""
    folders, _, name = path.rpartition("/")
    return _TEST_NAME.search(name) is not None or any(part in _TESTS for part in folders.lower().split("/"))
