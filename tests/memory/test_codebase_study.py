"""What a new colleague is told of a whole codebase."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from loremark.memory import schema_keys
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import (
    Codebase,
    Commit,
    Dependency,
    Entry,
    FileFacts,
    Finding,
    Import,
    Model,
    Study,
)
from loremark.memory.codebase.study.entry_points import entry_points
from loremark.memory.codebase.study.study import study


@dataclass
class Shelf:
    """A codebase in the making."""

    files: dict[str, FileFacts] = field(default_factory=dict)
    subjects: list[str] = field(default_factory=list)

    def put(self, path: str, **facts: object) -> Shelf:
        said: dict[str, Any] = {"lines": 120, **facts}
        self.files[path] = FileFacts(language_of(path), **said)
        return self

    def codebase(self) -> Codebase:
        commits = tuple(Commit(subject, "Ada", 1) for subject in self.subjects)
        return Codebase("larder", tuple(self.files), dict(self.files), commits)


def needs(*names: str, ecosystem: str = "pypi", is_dev: bool = False) -> tuple[Dependency, ...]:
    return tuple(Dependency(name, ">=1", ecosystem, True, is_dev, False) for name in names)


def larder() -> Shelf:
    """A Django project with a small web client."""
    shelf = Shelf(subjects=[f"feat(stock): add shelf {place} (#{place})" for place in range(20)])
    shelf.put(
        "README.md",
        signs={
            "heading": "Larder",
            "lead": "Larder keeps the stock of small kitchens. It warns in time.",
            "features": "Warns by mail; Counts everything",
        },
    )
    shelf.put("LICENSE", signs={"licence": "MIT"})
    shelf.put("CONTRIBUTING.md", signs={"hints": "Run the tests before you open a pull request."})
    shelf.put(
        "pyproject.toml",
        dependencies=needs("django", "requests", "httpx", "celery"),
        signs={
            "name": "larder",
            "target:larder": "larder.cli:main",
            "tool:Ruff": "line length 100",
            "line-length": "100",
            "tool:mypy": "strict",
        },
    )
    shelf.put(
        "web/package.json",
        dependencies=needs("react", "vite", ecosystem="npm"),
        signs={"name": "larder-web", "description": "The client", "command:dev": "vite", "command:test": "vitest"},
    )
    shelf.put("web/package-lock.json").put("web/yarn.lock")
    shelf.put("web/src/main.tsx", imports=(Import("./store", 1),))
    shelf.put("web/src/store.ts")
    shelf.put("manage.py", entries=(Entry("main", "main", 7),))
    shelf.put("larder/__init__.py").put(
        "larder/cli.py",
        entries=(Entry("cli", "count", 3), Entry("cli", "warn", 9), Entry("cli", "weigh", 12)),
        naming={"function:snake": 40},
    )
    shelf.put("larder/db.py", signs={"doc": "The only way to the database."}, naming={"function:snake": 40})
    shelf.put(
        "larder/stock/models.py",
        models=(
            Model("Shelf", "orm", 3, ("name", "owner"), ("Cook",)),
            Model("Jar", "orm", 9, ("weight",), ("Shelf",)),
            Model("Cook", "orm", 15, ("name",)),
        ),
        imports=(Import("larder.db", 1),),
    )
    for name in ("views", "api", "mail", "jobs", "reports", "feeds"):
        shelf.put(f"larder/stock/{name}.py", imports=(Import("larder.db", 1),), naming={"function:snake": 9})
    shelf.put(
        "larder/urls.py",
        entries=tuple(
            Entry("route", f"GET /api/{area}/{place}", 1) for area in ("jars", "shelves", "cooks") for place in range(4)
        ),
    )
    shelf.put("larder/tasks.py", entries=(Entry("job", "send_warnings", 4),))
    for place in range(1, 4):
        shelf.put(f"larder/stock/migrations/000{place}_step.py", models=(Model("Migration", "migration", 1),))
    for name in ("views", "models", "cli"):
        shelf.put(f"tests/test_{name}.py", entries=(Entry("main", "main", 1),))
    shelf.put("examples/demo/main.py", entries=(Entry("main", "main", 1),))
    shelf.put(
        ".github/workflows/ci.yml",
        signs={
            "pipeline": "GitHub Actions",
            "workflow": "CI",
            "jobs": "test",
            "triggers": "push",
            "runs": "pytest -q, ruff check .",
        },
    )
    shelf.put("Makefile", signs={"targets": "test, lint, run"})
    return shelf


def told(found: Study, layer: str, words: str) -> Finding:
    """The finding of a layer whose title holds the words."""
    (match,) = [one for one in found.findings if one.layer == layer and words.lower() in one.title.lower()]
    return match


def test_a_colleague_hears_what_it_is_where_it_starts_and_what_to_take_care_of() -> None:
    found = study(larder().codebase())
    product = told(found, "product", "Larder keeps the stock of small kitchens")
    assert "It warns in time." in product.content
    assert "MIT" in product.content
    start = told(found, "entryPoints", "where larder starts")
    assert start.files[0] in ("manage.py", "larder/cli.py")
    assert "examples/demo/main.py" not in start.content
    hub = told(found, "architecture", "`larder/db.py`")
    assert "imported by 7 files" in hub.content
    assert "The only way to the database" in hub.content
    models = told(found, "dataModel", "data model")
    assert "refers to `Cook`" in models.content
    assert told(found, "dataModel", "Django migrations").files == ("larder/stock/migrations/0003_step.py",)
    routes = told(found, "entryPoints", "HTTP routes")
    assert "12 HTTP routes" in routes.content
    assert "12" not in routes.title, "an exact count would change the title with every route"
    assert "`pytest -q`" in told(found, "conventions", "GitHub Actions").content
    assert "at most 100 characters" in told(found, "conventions", "linting").content
    assert "strict" in told(found, "conventions", "types are checked").title
    assert "`make test`" in told(found, "conventions", "build, test and run").content
    assert "Conventional Commits" in told(found, "conventions", "commit").title
    assert "snake_case" in told(found, "conventions", "naming").title
    assert "npm and Yarn" in told(found, "dependencies", "package managers").title
    assert "`httpx` and `requests`" in told(found, "dependencies", "one purpose").content
    assert {tech.name for tech in found.stack} >= {"Python", "Django"}


def test_doors_behind_the_first_fifteen_are_told_apart_by_kind() -> None:
    shelf = larder()
    for number in range(20):
        shelf.put(f"cmd/tool{number:02}/main.go", entries=(Entry("main", "main", 3),))
        shelf.put(f"larder/jobs{number:02}/tasks.py", entries=(Entry("job", f"tidy{number}", 9),))
    codebase = shelf.codebase()
    found = study(codebase)
    first = told(found, "entryPoints", "where larder starts")
    programs, jobs = (told(found, "entryPoints", f"more {what} of") for what in ("programs and commands", "jobs"))
    others = told(found, "entryPoints", "more doors of")
    assert len(first.files) == 15
    behind = [path for path, _ in entry_points(codebase)][15:]
    assert sorted([*programs.files, *jobs.files, *others.files]) == sorted(behind)
    assert "`cmd/tool19/main.go`" in programs.content
    assert "`larder/jobs19/tasks.py`" in jobs.content
    assert programs.importance < first.importance


def test_a_few_more_lines_change_nothing_of_what_is_told() -> None:
    """Else every commit would write anew what nobody reads anew."""
    before = study(larder().put("larder/engine.py", lines=12_100).codebase())
    after = study(larder().put("larder/engine.py", lines=12_107).codebase())
    assert (before.findings, before.nodes) == (after.findings, after.nodes)
    assert "about 12,000 lines" in told(after, "architecture", "largest source file").content


def test_findings_keep_to_their_bounds_and_name_existing_files() -> None:
    codebase = larder().codebase()
    found = study(codebase)
    assert 12 <= len(found.findings) <= 40
    assert len({(one.layer, one.title) for one in found.findings}) == len(found.findings)
    for one in found.findings:
        assert 10 < len(one.title) <= 120
        assert 30 < len(one.content) <= 1_500
        assert 1 <= one.importance <= 5
        assert set(one.files) <= set(codebase.paths)
        assert len(one.files) <= 50
        assert one.content.split("\n")[0].rstrip().endswith((".", ":")), "it opens with a whole sentence"
    assert found == study(codebase)


def test_a_change_of_one_file_leaves_the_titles_of_the_others() -> None:
    before = {(one.layer, one.title) for one in study(larder().codebase()).findings}
    shelf = larder()
    shelf.put("larder/stock/labels.py", imports=(Import("larder.db", 1),), lines=300, naming={"function:snake": 5})
    shelf.put("larder/urls.py", entries=(*shelf.files["larder/urls.py"].entries, Entry("route", "GET /api/jars/9", 1)))
    shelf.subjects.insert(0, "fix(stock): count again (#99)")
    assert {(one.layer, one.title) for one in study(shelf.codebase()).findings} == before


def test_the_tree_has_an_overview_a_page_for_each_layer_and_the_directories() -> None:
    nodes = study(larder().codebase()).nodes
    keys = [node.schema_key for node in nodes]
    assert keys[0] == "root/codebase"
    assert {"root/codebase/product", "root/codebase/data-model", "root/codebase/entry-points"} <= set(keys)
    assert "root/codebase/directories/larder" in keys
    assert len(set(keys)) == len(keys) <= 60
    assert all(schema_keys.is_valid(key) for key in keys)
    assert {node.tier for node in nodes if "/directories/" in node.schema_key} == {2}
    assert all(node.name and node.description and len(node.content) > 40 for node in nodes)


@pytest.mark.parametrize(
    ("paths", "first"),
    [
        (["cmd/larder/main.go", "internal/a.go", "tools/gen/main.go"], "cmd/larder/main.go"),
        (["crates/core/src/lib.rs", "src/main.rs", "benches/main.rs"], "src/main.rs"),
        (["src/Web/Program.cs", "tests/Web.Tests/Program.cs"], "src/Web/Program.cs"),
        (["public/index.php", "app/Http/Kernel.php", "artisan"], "public/index.php"),
        (["bin/rails", "bin/spring", "config/routes.rb", "app/models/jar.rb"], "bin/rails"),
        (
            ["src/larder/__main__.py", "src/larder/web.py", "pyproject.toml:target:larder=larder.web:run"],
            "src/larder/web.py",
        ),
        (["src/cli.ts", "lib/a.ts", "package.json:target:larder=./dist/cli.mjs"], "src/cli.ts"),
        (["src/server/go.ts", "package.json:command:start=node --inspect src/server/go.ts"], "src/server/go.ts"),
    ],
)
def test_programs_are_found_by_where_they_lie_and_what_manifests_declare(paths: list[str], first: str) -> None:
    shelf = Shelf()
    for told_path in paths:
        path, _, sign = told_path.partition(":")
        key, _, value = sign.partition("=")
        shelf.put(path, signs={key: value} if key else {})
    found = [path for path, _ in entry_points(shelf.codebase())]
    assert found[0] == first
    assert not any(path.startswith(("tests/", "benches/")) for path in found)


def test_a_codebase_of_nothing_and_one_of_nonsense_are_studied_without_complaint() -> None:
    assert study(Codebase("", (), {})).findings == ()
    shelf = Shelf(subjects=["\x00" * 500, "", "a" * 90_000] * 10)
    wild = "\u202e`\n[x](y)" * 400
    shelf.put("README.md", signs={"heading": wild, "lead": wild, "features": wild})
    shelf.put(
        "`a`/\u202eb\n.py",
        imports=(Import(wild, -1),) * 200,
        entries=(Entry("route", wild, 0), Entry("cli", wild, 0)) * 90,
    )
    shelf.put(
        "package.json",
        dependencies=needs(*[wild[:99]] * 300, ecosystem="npm"),
        signs={"target:x": "../../../etc/passwd", "command:test": wild},
    )
    shelf.put("m.py", models=tuple(Model(wild, "orm", 1, (wild,) * 40, (wild,) * 40) for _ in range(200)))
    found = study(shelf.codebase())
    for one in found.findings:
        assert len(one.title) <= 120
        assert len(one.content) <= 1_500
        assert "\n" not in one.title
        assert "\u202e" not in one.title + one.content
    assert all(schema_keys.is_valid(node.schema_key) for node in found.nodes)


def test_five_thousand_files_are_studied_in_a_moment() -> None:
    shelf = larder()
    for place in range(5_000):
        near = tuple(
            Import(f"larder.part{(place + step) % 50}.m{(place * 7 + step) % 5_000}", step) for step in range(12)
        )
        shelf.put(
            f"larder/part{place % 50}/m{place}.py",
            imports=near,
            entries=(Entry("route", f"GET /api/p{place % 50}/{place}", 1),),
            models=(Model(f"M{place}", "orm", 1, ("a", "b"), (f"M{place // 2}",)),),
            naming={"function:snake": 10, "file:snake": 1},
        )
    codebase = shelf.codebase()
    start = time.process_time()
    found = study(codebase)
    assert time.process_time() - start < 4, "about 1.2 s where it was written; a slow machine may need more"
    assert len(found.findings) <= 60
