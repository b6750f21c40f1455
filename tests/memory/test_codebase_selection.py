"""File selection: exclusions with reasons, and the reading order."""

from __future__ import annotations

import pathspec
import pytest

from loremark.memory.codebase.selection.content_checks import is_binary, is_generated, is_minified
from loremark.memory.codebase.selection.file_kinds import is_test
from loremark.memory.codebase.selection.file_selection import ListedFile, list_candidates, select_files
from loremark.memory.codebase.selection.gitignore import IgnoredPaths
from loremark.memory.codebase.selection.quick_imports import quick_imports
from tests.growth import Work, assert_subquadratic, assert_subquadratic_on


def _kept(*paths: str, ignore: dict[str, str] | None = None) -> set[str]:
    found = list_candidates([ListedFile(path, 100) for path in paths], ignore or {})
    return {file.path for file in found.kept}


@pytest.mark.parametrize(
    ("sibling", "path", "is_kept"),
    [
        ("go.mod", "vendor/github.com/x/y/z.go", False),
        ("composer.json", "vendor/laravel/framework/src/App.php", False),
        ("Gemfile", "vendor/assets/javascripts/jquery.js", False),
        ("pom.xml", "src/main/java/com/shop/vendor/VendorController.java", True),
        ("manage.py", "vendor/models.py", True),
        ("composer.json", "resources/views/vendor/mail/button.blade.php", True),
        ("static/js/vendor/LICENSE", "static/js/vendor/select2.js", False),
        ("deps/lua/COPYRIGHT", "deps/lua/lapi.c", False),
        ("main.py", "api/deps/session.py", True),
        ("package.json", "packages/a/node_modules/b/index.js", False),
        ("Cargo.toml", "build/main.rs", True),
        ("build/static/js/main.4f3a2b1c.js", "build/static/js/runtime.js.map", False),
        ("package.json", "build/webpack.config.js", True),
        ("src/a/dist/pkg.go", "src/a/dist/dist.go", True),
        ("obj/project.assets.json", "obj/Shop.csproj", True),
    ],
)
def test_vendored_and_build_directories_are_excluded_but_own_code_stays(sibling: str, path: str, is_kept: bool) -> None:
    assert (path in _kept(sibling, path)) is is_kept


def test_build_output_next_to_its_sources_is_excluded() -> None:
    kept = _kept("package.json", "src/index.ts", "dist/index.js", "dist/index.d.ts", "dist/cjs/index.js")
    assert kept == {"package.json", "src/index.ts"}


def test_every_excluded_file_has_a_reason() -> None:
    listed = [
        ListedFile("api/v1/user.pb.go", 10),
        ListedFile("logo.png", 10),
        ListedFile("jquery.min.js", 10),
        ListedFile("flake.lock", 10),
        ListedFile("poetry.lock", 9_000_000),
        ListedFile("data/huge.py", None),
        ListedFile("dump.csv", 10),
        ListedFile("a\nb.py", 10),
        ListedFile("../etc/passwd.py", 10),
        ListedFile("/".join("d" * 45) + "/x.py", 10),
        ListedFile("evil\u202egpj.py", 10),
        ListedFile("db/migrations/0001_initial.py", 10),
        ListedFile("tests/secret.py", 10),
    ]
    found = list_candidates(listed, {"tests/.gitignore": "secret.*"})
    assert [file.path for file in found.kept] == ["db/migrations/0001_initial.py", "poetry.lock"]
    assert found.left_out == {
        "binary": 1,
        "generated": 1,
        "hostile-name": 4,
        "ignored": 1,
        "lock": 1,
        "minified": 1,
        "no-text": 1,
        "too-large": 1,
    }


_PATTERNS = ["*.log", "!keep.log", "/build", "doc/*.txt", "**/tmp", "a/**/z", "x*y*", "[ab]?", "!b1", "out/", "q/**"]
_PATHS = [
    "a.log",
    "keep.log",
    "sub/keep.log",
    "build/x",
    "src/build/x",
    "doc/a.txt",
    "doc/sub/a.txt",
    "tmp/x",
    "s/tmp/x",
    "a/z",
    "a/b/c/z",
    "xay/b",
    "xy",
    "x",
    "b1",
    "a1",
    "out/x",
    "out",
    "q/x",
    "q",
    "sub/out/y",
]


def test_ignore_files_match_like_git() -> None:
    theirs = pathspec.GitIgnoreSpec.from_lines(_PATTERNS)
    ours = IgnoredPaths({".gitignore": "\n".join(_PATTERNS)})
    assert {path: path in ours for path in _PATHS} == {path: theirs.match_file(path) for path in _PATHS}
    nested = IgnoredPaths({".gitignore": "*.log\nclosed/", "deep/.gitignore": "!a.log", "closed/.gitignore": "!a.log"})
    assert "deep/a.log" not in nested
    assert "closed/a.log" in nested


@pytest.mark.parametrize(
    "pattern", ["*a" * 36 + "b", "*a" * 6 + "b", "**/" * 60 + "x", "[a-z]" * 8 + "*" * 5, "[", "[!", "\\", "a" * 9000]
)
def test_hostile_ignore_patterns_do_not_hang(pattern: str) -> None:
    ours = IgnoredPaths(
        {f"{n}/.gitignore" if n else ".gitignore": "".join(f"{pattern}{k}\n" for k in range(3000)) for n in range(3)}
    )

    def prepare(size: int, repetition: int) -> Work:
        paths = [f"{'a' * size}/{'a' * size}{repetition}-{n}" for n in range(50)]
        return lambda: [path in ours for path in paths]

    assert_subquadratic(prepare, 50)


def test_most_informative_files_come_first_and_no_directory_uses_up_the_limit() -> None:
    handlers = [f"src/handlers/h{n:03}.py" for n in range(300)]
    others = [f"src/{name}/{name}.py" for name in ("billing", "mail", "search")]
    first = ["pyproject.toml", "uv.lock", "README.md", "src/main.py", "Dockerfile", "src/models.py"]
    least_informative = ["tests/test_a.py", "docs/guide.md", "examples/demo/pyproject.toml", "src/empty.py"]
    listed = [ListedFile(path, 0 if "empty" in path else 900) for path in handlers + others + first + least_informative]
    chosen = select_files(listed, 40, {"src/search/search.py": 30})
    assert list(chosen[:7]) == [*first, "src/search/search.py"]
    assert set(others) < set(chosen)
    assert not set(least_informative) & set(chosen)
    assert len(select_files(listed, 5000, {})) == len(listed)
    assert select_files(listed, 5000, {})[-1] == "src/empty.py"
    assert chosen == select_files(listed[::-1], 40, {"src/search/search.py": 30})


def test_newest_migrations_come_first() -> None:
    paths = [f"db/migrate/{n}_step.rb" for n in (9, 10, 11, 100, 2, 3)]
    chosen = select_files([ListedFile(path, 50) for path in paths], 5, {})
    assert chosen[:3] == ("db/migrate/100_step.rb", "db/migrate/11_step.rb", "db/migrate/10_step.rb")


def test_testing_library_is_not_a_test() -> None:
    assert [is_test(path) for path in ("tests/a.py", "src/a.test.ts", "Shop.Api.Tests/A.cs", "a/b_test.go")] == [
        True
    ] * 4
    assert [is_test(path) for path in ("django/test/client.py", "src/latest.py", "src/contest/a.go")] == [False] * 3


def test_content_checks() -> None:
    assert is_generated("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a")
    assert is_generated("a.py", "#!/usr/bin/env python\n# This file is automatically generated.\n")
    assert not is_generated("db/schema.rb", "# This file is auto-generated from the current state of the database.")
    assert not is_generated("a.py", "def f():\n    return 'Code generated by hand. DO NOT EDIT'\n")
    assert is_minified("var a=1;" * 1000)
    assert not is_minified("def f(a):\n    return a\n" * 500)
    assert is_binary(b"\x89PNG\x00")
    assert not is_binary("grün".encode("latin-1"))


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.py", "import os, a.b as c\nfrom . import x\nfrom a.b import (\n    y)", ("os", "a.b", ".", ".x")),
        ("a.ts", "import {\n A,\n B } from './b'\nexport * from '@/c'\nconst d = require('d')", ("./b", "@/c", "d")),
        ("a.go", 'package a\nimport (\n\t"fmt"\n\tx "github.com/a/b"\n)\n', ("fmt", "github.com/a/b")),
        (
            "a.rs",
            "mod m;\nuse crate::{a::B, c};\npub use super::d::E;",
            ("mod m", "crate::a::B", "crate::c", "super::d::E"),
        ),
        ("A.java", "import static a.b.C.d;\nimport a.e.*;", ("a.b.C.d", "a.e.*")),
        ("A.cs", "global using A.B;\nusing X = C.D;\nusing (var f = Open()) {}", ("A.B", "C.D")),
        ("a.rb", "require 'set'\nrequire_relative 'b/c'", ("set", "./b/c")),
        (
            "a.php",
            "<?php\nuse App\\Models\\{User, Post};\nuse A\\B as C;",
            ("App\\Models\\User", "App\\Models\\Post", "A\\B"),
        ),
        ("a.c", '#include "a/b.h"\n#include <stdio.h>\n#  include <x/y.h>', ("a/b.h", "x/y.h")),
    ],
)
def test_quick_imports(path: str, content: str, expected: tuple[str, ...]) -> None:
    assert set(expected) <= set(quick_imports(path, content))
    assert "stdio.h" not in quick_imports(path, content)


@pytest.mark.parametrize("ending", ["py", "ts", "go", "rs", "java", "cs", "rb", "php", "c"])
@pytest.mark.parametrize(
    "piece", ["import ", "\nimport (", "\nuse a::{", "from ", "\n\t", "require(", "\nuse a{", '#include "']
)
def test_quick_imports_are_linear(ending: str, piece: str) -> None:
    assert_subquadratic_on(piece * (300_000 // len(piece)), lambda text: quick_imports(f"a.{ending}", text))


def test_selection_from_many_paths_is_subquadratic() -> None:
    ignored = {".gitignore": "[Dd]ebug*/\n*.user\nlogs/\n" * 60}

    def prepare(size: int, repetition: int) -> Work:
        listed = [ListedFile(f"pkg{n % 40}/sub{n % 700}/file{n}.{'py' if n % 3 else 'png'}", n) for n in range(size)]
        return lambda: select_files(list_candidates(listed, ignored).kept, 5_000, {})

    assert_subquadratic(prepare, 5_000)


def test_test_support_is_read_before_sources_but_fixtures_are_not() -> None:
    sources = [ListedFile(f"src/Shop/Part{number}.cs", 100) for number in range(30)]
    test_project = ListedFile("test/Shop.Tests/Shop.Tests.csproj", 100)
    fixture = ListedFile("test/fixtures/app/package.json", 100)
    chosen = select_files([*sources, test_project, fixture], 12, {})
    assert test_project.path in chosen
    assert fixture.path not in chosen
