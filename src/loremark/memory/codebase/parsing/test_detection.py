"""Detects test files: their definitions count, their entry points do not."""

from __future__ import annotations

import re

from loremark.memory.codebase.parsing.literals import words

_FOLDERS = words(
    "test tests testing spec specs __tests__ __test__ __mocks__ __fixtures__ e2e fixtures testdata test-data cypress "
    "playwright integration-tests integration_tests benches"
)
# "MyProject.Tests", "app-tests", "unit_tests": a test folder with a longer name.
_FOLDER_ENDINGS = tuple(f"{mark}{word}" for mark in "._-" for word in ("test", "tests", "spec", "specs", "e2e"))
_FILE = re.compile(
    r"(?:tests?|conftest)\.pyw?|test_.*+|.*_(?:tests?|spec)\.\w{1,8}|"
    r".*[.-](?:tests?|spec|e2e|e2e-spec|cy|bench|stories)\.[cm]?[jt]sx?|"
    r".*[a-z0-9](?:Tests?|TestCase|IT|Spec)\.(?:java|kt|kts|scala|groovy|cs|fs|php|swift)"
)


def is_test(path: str) -> bool:
    """Whether the path is a test, fixture or fake."""
    folders, _, name = path[-400:].rpartition("/")
    return _FILE.fullmatch(name) is not None or any(
        folder in _FOLDERS or folder.endswith(_FOLDER_ENDINGS) for folder in folders.lower().split("/")
    )
