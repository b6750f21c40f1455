"""Which files of a tree are read: what is left out and why, and what comes first when there is room for few."""

from __future__ import annotations

import time

import pathspec
import pytest

from loremark.memory.codebase.choosing.choosing import Listed, candidates, choose
from loremark.memory.codebase.choosing.contents import is_binary, is_generated, is_minified
from loremark.memory.codebase.choosing.glancing import quick_imports
from loremark.memory.codebase.choosing.ignoring import Ignored
from loremark.memory.codebase.choosing.weighing import is_test


def _kept(*paths: str, ignore: dict[str, str] | None = None) -> set[str]:
    found = candidates([Listed(path, 100) for path in paths], ignore or {})
    return {file.path for file in found.kept}


@pytest.mark.parametrize(
    ("beside", "path", "is_kept"),
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
def test_foreign_and_built_trees_go_and_own_code_of_the_same_name_stays(beside: str, path: str, is_kept: bool) -> None:
    assert (path in _kept(beside, path)) is is_kept


def test_a_built_package_beside_its_sources_is_left_out() -> None:
    kept = _kept("package.json", "src/index.ts", "dist/index.js", "dist/index.d.ts", "dist/cjs/index.js")
    assert kept == {"package.json", "src/index.ts"}


def test_every_file_left_out_has_its_reason() -> None:
    listed = [
        Listed("api/v1/user.pb.go", 10),
        Listed("logo.png", 10),
        Listed("jquery.min.js", 10),
        Listed("flake.lock", 10),
        Listed("poetry.lock", 9_000_000),
        Listed("data/huge.py", None),
        Listed("dump.csv", 10),
        Listed("a\nb.py", 10),
        Listed("../etc/passwd.py", 10),
        Listed("/".join("d" * 45) + "/x.py", 10),
        Listed("evil\u202egpj.py", 10),
        Listed("db/migrations/0001_initial.py", 10),
        Listed("tests/secret.py", 10),
    ]
    found = candidates(listed, {"tests/.gitignore": "secret.*"})
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


def test_ignore_files_mean_what_they_mean_to_git() -> None:
    theirs = pathspec.GitIgnoreSpec.from_lines(_PATTERNS)
    ours = Ignored({".gitignore": "\n".join(_PATTERNS)})
    assert {path: path in ours for path in _PATHS} == {path: theirs.match_file(path) for path in _PATHS}
    nested = Ignored({".gitignore": "*.log\nclosed/", "deep/.gitignore": "!a.log", "closed/.gitignore": "!a.log"})
    assert "deep/a.log" not in nested
    assert "closed/a.log" in nested


@pytest.mark.parametrize(
    "pattern", ["*a" * 36 + "b", "*a" * 6 + "b", "**/" * 60 + "x", "[a-z]" * 8 + "*" * 5, "[", "[!", "\\", "a" * 9000]
)
def test_hostile_patterns_do_not_hang(pattern: str) -> None:
    started = time.process_time()
    ours = Ignored(
        {f"{n}/.gitignore" if n else ".gitignore": "".join(f"{pattern}{k}\n" for k in range(3000)) for n in range(3)}
    )
    for n in range(200):
        _ = f"{'a' * 200}/{'a' * 200}{n}" in ours
    assert time.process_time() - started < 3


def test_the_most_telling_comes_first_and_no_directory_eats_the_bound() -> None:
    crowd = [f"src/handlers/h{n:03}.py" for n in range(300)]
    others = [f"src/{name}/{name}.py" for name in ("billing", "mail", "search")]
    first = ["pyproject.toml", "uv.lock", "README.md", "src/main.py", "Dockerfile", "src/models.py"]
    late = ["tests/test_a.py", "docs/guide.md", "examples/demo/pyproject.toml", "src/empty.py"]
    listed = [Listed(path, 0 if "empty" in path else 900) for path in crowd + others + first + late]
    chosen = choose(listed, 40, {"src/search/search.py": 30})
    assert list(chosen[:7]) == [*first, "src/search/search.py"]
    assert set(others) < set(chosen)
    assert not set(late) & set(chosen)
    assert len(choose(listed, 5000, {})) == len(listed)
    assert choose(listed, 5000, {})[-1] == "src/empty.py"
    assert chosen == choose(listed[::-1], 40, {"src/search/search.py": 30})


def test_the_newest_migrations_come_first_by_number() -> None:
    paths = [f"db/migrate/{n}_step.rb" for n in (9, 10, 11, 100, 2, 3)]
    chosen = choose([Listed(path, 50) for path in paths], 5, {})
    assert chosen[:3] == ("db/migrate/100_step.rb", "db/migrate/11_step.rb", "db/migrate/10_step.rb")


def test_a_package_for_testing_is_no_test() -> None:
    assert [is_test(path) for path in ("tests/a.py", "src/a.test.ts", "Shop.Api.Tests/A.cs", "a/b_test.go")] == [
        True
    ] * 4
    assert [is_test(path) for path in ("django/test/client.py", "src/latest.py", "src/contest/a.go")] == [False] * 3


def test_a_second_look_at_the_contents() -> None:
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
def test_imports_at_a_glance(path: str, content: str, expected: tuple[str, ...]) -> None:
    assert set(expected) <= set(quick_imports(path, content))
    assert "stdio.h" not in quick_imports(path, content)


@pytest.mark.parametrize("ending", ["py", "ts", "go", "rs", "java", "cs", "rb", "php", "c"])
@pytest.mark.parametrize(
    "piece", ["import ", "\nimport (", "\nuse a::{", "from ", "\n\t", "require(", "\nuse a{", '#include "']
)
def test_worst_cases_stay_linear(ending: str, piece: str) -> None:
    started = time.process_time()
    quick_imports(f"a.{ending}", piece * (300_000 // len(piece)))
    assert time.process_time() - started < 0.5


def test_twenty_thousand_paths_are_quick() -> None:
    listed = [Listed(f"pkg{n % 40}/sub{n % 700}/file{n}.{'py' if n % 3 else 'png'}", n) for n in range(20_000)]
    started = time.process_time()
    found = candidates(listed, {".gitignore": "[Dd]ebug*/\n*.user\nlogs/\n" * 60})
    assert len(choose(found.kept, 5000, {})) == 5000
    assert time.process_time() - started < 4


def test_what_is_tested_with_is_read_before_the_sources_fixtures_are_not() -> None:
    sources = [Listed(f"src/Shop/Part{number}.cs", 100) for number in range(30)]
    told = Listed("test/Shop.Tests/Shop.Tests.csproj", 100)
    copied = Listed("test/fixtures/app/package.json", 100)
    chosen = choose([*sources, told, copied], 12, {})
    assert told.path in chosen
    assert copied.path not in chosen
