"""File paths in prose, in fields and in diffs."""

from __future__ import annotations

import pytest

from loremark.memory.paths import DiffFile, find_paths, normalize_path, parse_diff, parse_file_field
from tests.growth import assert_subquadratic_on


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/payments/retry.py:42 and (lib/a.ts:3:7).", ["src/payments/retry.py", "lib/a.ts"]),
        ("`app/[id]/page.tsx`, app/(auth)/login/page.tsx", ["app/[id]/page.tsx", "app/(auth)/login/page.tsx"]),
        (r"src\Storage\LocalStore.cs passes a URI", ["src/Storage/LocalStore.cs"]),
        ("[the decision](docs/adr/0001.md) and tests/test_a.py::test_b[x]", ["docs/adr/0001.md", "tests/test_a.py"]),
        ("Dockerfile, Makefile and .github/workflows/ci.yml", ["Dockerfile", "Makefile", ".github/workflows/ci.yml"]),
        ("src/a.py's loader; --config=foo.toml; a.py->b.py", ["src/a.py", "foo.toml", "a.py", "b.py"]),
        ("`src/routes/$boardId.tsx` and __init__.py", ["src/routes/$boardId.tsx", "__init__.py"]),
        ("Node.js, Next.js, example.com, v1.2.3, 1.2.3, e.g. this", []),
        ("github.com/acme/pkg/file.go and https://x.dev/a.js", []),
        ("console.log, process.env, response.json(), os.path.join, Microsoft.Data.Sqlite", []),
        ("/etc/nginx/nginx.conf, ~/.ssh/config.yml, ../other/a.py, C:\\Users\\me\\a.cs", []),
        ("src/**/*.ts and src/payments/ and pkg/auth", []),
        ("jonas@example.py and node_modules/x/index.js", []),
    ],
)
def test_paths_are_distinguished_from_lookalikes(text: str, expected: list[str]) -> None:
    assert find_paths(text) == expected


def test_an_absolute_path_becomes_relative_below_a_known_root() -> None:
    assert normalize_path("/home/me/shop/src/a.py", ["/home/me/shop"]) == "src/a.py"
    assert normalize_path("/home/me/shop/src/a.py") is None
    assert normalize_path("C:\\shop\\src\\a.py", ["C:\\shop"]) == "src/a.py"


def test_a_file_field_accepts_any_extension_but_no_folder() -> None:
    assert parse_file_field("schema.custom") == "schema.custom"
    assert parse_file_field("./src//b.py:12") == "src/b.py"
    assert parse_file_field("src/payments") is None
    assert parse_file_field("src/payments/") is None
    assert parse_file_field({"path": "a.py"}) is None


def test_a_diff_lists_deleted_files() -> None:
    diff = """diff --git a/src/old.py b/src/old.py
deleted file mode 100644
--- a/src/old.py
+++ /dev/null
diff --git a/src/before.py b/src/after.py
similarity index 90%
rename from src/before.py
rename to src/after.py
diff --git a/src/kept.py b/src/kept.py
--- a/src/kept.py
+++ b/src/kept.py
@@ -1 +1 @@
"""
    assert parse_diff(diff) == [
        DiffFile("src/old.py", deleted=True),
        DiffFile("src/after.py", deleted=False),
        DiffFile("src/before.py", deleted=True),
        DiffFile("src/kept.py", deleted=False),
    ]


@pytest.mark.parametrize("piece", ["a/", ".", "a.", "[(", "\\", ":1", "src/a.py:1 ", "diff --git a/", "--- a/x\n"])
def test_worst_cases_stay_subquadratic(piece: str) -> None:
    assert_subquadratic_on(piece * (200_000 // len(piece)), lambda text: (find_paths(text), parse_diff(text)))
