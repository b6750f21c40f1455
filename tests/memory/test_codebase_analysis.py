"""Findings about a whole codebase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from loremark.memory import schema_keys
from loremark.memory.codebase.analysis.analysis import analyze_codebase
from loremark.memory.codebase.analysis.entry_points import entry_points
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import (
    Codebase,
    CodebaseAnalysis,
    Commit,
    Dependency,
    Entry,
    FileFacts,
    Finding,
    Import,
    Model,
)
from tests.growth import Work, assert_subquadratic


@dataclass
class CodebaseBuilder:
    """Builds a codebase for a test."""

    files: dict[str, FileFacts] = field(default_factory=dict)
    subjects: list[str] = field(default_factory=list)

    def put(self, path: str, **facts: object) -> CodebaseBuilder:
        fields: dict[str, Any] = {"lines": 120, **facts}
        self.files[path] = FileFacts(language_of(path), **fields)
        return self

    def codebase(self) -> Codebase:
        commits = tuple(Commit(subject, "Ada", 1) for subject in self.subjects)
        return Codebase("larder", tuple(self.files), dict(self.files), commits)


def needs(*names: str, ecosystem: str = "pypi", is_dev: bool = False) -> tuple[Dependency, ...]:
    return tuple(Dependency(name, ">=1", ecosystem, True, is_dev, False) for name in names)


def larder() -> CodebaseBuilder:
    """A Django project with a small web client."""
    builder = CodebaseBuilder(subjects=[f"feat(stock): add shelf {place} (#{place})" for place in range(20)])
    builder.put(
        "README.md",
        signs={
            "heading": "Larder",
            "lead": "Larder keeps the stock of small kitchens. It warns in time.",
            "features": "Warns by mail; Counts everything",
        },
    )
    builder.put("LICENSE", signs={"licence": "MIT"})
    builder.put("CONTRIBUTING.md", signs={"hints": "Run the tests before you open a pull request."})
    builder.put(
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
    builder.put(
        "web/package.json",
        dependencies=needs("react", "vite", ecosystem="npm"),
        signs={"name": "larder-web", "description": "The client", "command:dev": "vite", "command:test": "vitest"},
    )
    builder.put("web/package-lock.json").put("web/yarn.lock")
    builder.put("web/src/main.tsx", imports=(Import("./store", 1),))
    builder.put("web/src/store.ts")
    builder.put("manage.py", entries=(Entry("main", "main", 7),))
    builder.put("larder/__init__.py").put(
        "larder/cli.py",
        entries=(Entry("cli", "count", 3), Entry("cli", "warn", 9), Entry("cli", "weigh", 12)),
        naming={"function:snake": 40},
    )
    builder.put("larder/db.py", signs={"doc": "The only way to the database."}, naming={"function:snake": 40})
    builder.put(
        "larder/stock/models.py",
        models=(
            Model("Shelf", "orm", 3, ("name", "owner"), ("Cook",)),
            Model("Jar", "orm", 9, ("weight",), ("Shelf",)),
            Model("Cook", "orm", 15, ("name",)),
        ),
        imports=(Import("larder.db", 1),),
    )
    for name in ("views", "api", "mail", "jobs", "reports", "feeds"):
        builder.put(f"larder/stock/{name}.py", imports=(Import("larder.db", 1),), naming={"function:snake": 9})
    builder.put(
        "larder/urls.py",
        entries=tuple(
            Entry("route", f"GET /api/{area}/{place}", 1) for area in ("jars", "shelves", "cooks") for place in range(4)
        ),
    )
    builder.put("larder/tasks.py", entries=(Entry("job", "send_warnings", 4),))
    for place in range(1, 4):
        builder.put(f"larder/stock/migrations/000{place}_step.py", models=(Model("Migration", "migration", 1),))
    for name in ("views", "models", "cli"):
        builder.put(f"tests/test_{name}.py", entries=(Entry("main", "main", 1),))
    builder.put("examples/demo/main.py", entries=(Entry("main", "main", 1),))
    builder.put(
        ".github/workflows/ci.yml",
        signs={
            "pipeline": "GitHub Actions",
            "workflow": "CI",
            "jobs": "test",
            "triggers": "push",
            "runs": "pytest -q, ruff check .",
        },
    )
    builder.put("Makefile", signs={"targets": "test, lint, run"})
    return builder


def finding_with(found: CodebaseAnalysis, layer: str, words: str) -> Finding:
    """The only finding of a layer whose title contains the words."""
    (match,) = [one for one in found.findings if one.layer == layer and words.lower() in one.title.lower()]
    return match


def test_findings_cover_every_layer() -> None:
    found = analyze_codebase(larder().codebase())
    product = finding_with(found, "product", "Larder keeps the stock of small kitchens")
    assert "It warns in time." in product.content
    assert "MIT" in product.content
    start = finding_with(found, "entryPoints", "where larder starts")
    assert start.files[0] in ("manage.py", "larder/cli.py")
    assert "examples/demo/main.py" not in start.content
    hub = finding_with(found, "architecture", "`larder/db.py`")
    assert "imported by 7 files" in hub.content
    assert "The only way to the database" in hub.content
    models = finding_with(found, "dataModel", "data model")
    assert "refers to `Cook`" in models.content
    assert finding_with(found, "dataModel", "Django migrations").files == ("larder/stock/migrations/0003_step.py",)
    routes = finding_with(found, "entryPoints", "HTTP routes")
    assert "12 HTTP routes" in routes.content
    assert "12" not in routes.title, "an exact count would change the title with every route"
    assert "`pytest -q`" in finding_with(found, "conventions", "GitHub Actions").content
    assert "at most 100 characters" in finding_with(found, "conventions", "linting").content
    assert "strict" in finding_with(found, "conventions", "type checking").title
    assert "`make test`" in finding_with(found, "conventions", "build, test and run").content
    assert "Conventional Commits" in finding_with(found, "conventions", "commit").title
    assert "snake_case" in finding_with(found, "conventions", "naming").title
    assert "npm and Yarn" in finding_with(found, "dependencies", "package managers").title
    assert "`httpx` and `requests`" in finding_with(found, "dependencies", "overlapping libraries").content
    assert {tech.name for tech in found.stack} >= {"Python", "Django"}


def test_entry_points_after_the_first_fifteen_are_grouped_by_kind() -> None:
    builder = larder()
    for number in range(20):
        builder.put(f"cmd/tool{number:02}/main.go", entries=(Entry("main", "main", 3),))
        builder.put(f"larder/jobs{number:02}/tasks.py", entries=(Entry("job", f"tidy{number}", 9),))
    codebase = builder.codebase()
    found = analyze_codebase(codebase)
    first = finding_with(found, "entryPoints", "where larder starts")
    programs, jobs = (
        finding_with(found, "entryPoints", f"more {what} of") for what in ("programs and commands", "jobs")
    )
    others = finding_with(found, "entryPoints", "more entry points of")
    assert len(first.files) == 15
    remaining = [path for path, _ in entry_points(codebase)][15:]
    assert sorted([*programs.files, *jobs.files, *others.files]) == sorted(remaining)
    assert "`cmd/tool19/main.go`" in programs.content
    assert "`larder/jobs19/tasks.py`" in jobs.content
    assert programs.importance < first.importance


def test_findings_are_stable_when_a_file_grows_by_a_few_lines() -> None:
    """Otherwise every commit would rewrite findings."""
    before = analyze_codebase(larder().put("larder/engine.py", lines=12_100).codebase())
    after = analyze_codebase(larder().put("larder/engine.py", lines=12_107).codebase())
    assert (before.findings, before.nodes) == (after.findings, after.nodes)
    assert "about 12,000 lines" in finding_with(after, "architecture", "largest source file").content


def test_findings_stay_within_limits_and_name_existing_files() -> None:
    codebase = larder().codebase()
    found = analyze_codebase(codebase)
    assert 12 <= len(found.findings) <= 40
    assert len({(one.layer, one.title) for one in found.findings}) == len(found.findings)
    for one in found.findings:
        assert 10 < len(one.title) <= 120
        assert 30 < len(one.content) <= 1_500
        assert 1 <= one.importance <= 5
        assert set(one.files) <= set(codebase.paths)
        assert len(one.files) <= 50
        assert one.content.split("\n")[0].rstrip().endswith((".", ":")), "it starts with a full sentence"
    assert found == analyze_codebase(codebase)


def test_changing_one_file_keeps_other_titles() -> None:
    before = {(one.layer, one.title) for one in analyze_codebase(larder().codebase()).findings}
    builder = larder()
    builder.put("larder/stock/labels.py", imports=(Import("larder.db", 1),), lines=300, naming={"function:snake": 5})
    builder.put(
        "larder/urls.py", entries=(*builder.files["larder/urls.py"].entries, Entry("route", "GET /api/jars/9", 1))
    )
    builder.subjects.insert(0, "fix(stock): count again (#99)")
    assert {(one.layer, one.title) for one in analyze_codebase(builder.codebase()).findings} == before


def test_context_tree_has_overview_layer_and_directory_pages() -> None:
    nodes = analyze_codebase(larder().codebase()).nodes
    keys = [node.schema_key for node in nodes]
    assert keys[0] == "root/codebase"
    assert {"root/codebase/product", "root/codebase/data-model", "root/codebase/entry-points"} <= set(keys)
    assert "root/codebase/directories/larder" in keys
    assert len(set(keys)) == len(keys) <= 60
    assert all(schema_keys.is_valid(key) for key in keys)
    assert {node.tier for node in nodes if "/directories/" in node.schema_key} == {3}
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
def test_programs_are_found_by_path_and_manifest(paths: list[str], first: str) -> None:
    builder = CodebaseBuilder()
    for row in paths:
        path, _, sign = row.partition(":")
        key, _, value = sign.partition("=")
        builder.put(path, signs={key: value} if key else {})
    found = [path for path, _ in entry_points(builder.codebase())]
    assert found[0] == first
    assert not any(path.startswith(("tests/", "benches/")) for path in found)


def test_empty_and_garbage_codebases_are_analyzed() -> None:
    assert analyze_codebase(Codebase("", (), {})).findings == ()
    builder = CodebaseBuilder(subjects=["\x00" * 500, "", "a" * 90_000] * 10)
    garbage = "\u202e`\n[x](y)" * 400
    builder.put("README.md", signs={"heading": garbage, "lead": garbage, "features": garbage})
    builder.put(
        "`a`/\u202eb\n.py",
        imports=(Import(garbage, -1),) * 200,
        entries=(Entry("route", garbage, 0), Entry("cli", garbage, 0)) * 90,
    )
    builder.put(
        "package.json",
        dependencies=needs(*[garbage[:99]] * 300, ecosystem="npm"),
        signs={"target:x": "../../../etc/passwd", "command:test": garbage},
    )
    builder.put("m.py", models=tuple(Model(garbage, "orm", 1, (garbage,) * 40, (garbage,) * 40) for _ in range(200)))
    found = analyze_codebase(builder.codebase())
    for one in found.findings:
        assert len(one.title) <= 120
        assert len(one.content) <= 1_500
        assert "\n" not in one.title
        assert "\u202e" not in one.title + one.content
    assert all(schema_keys.is_valid(node.schema_key) for node in found.nodes)


def _many_files(count: int) -> Codebase:
    builder = larder()
    for place in range(count):
        imports = tuple(
            Import(f"larder.part{(place + step) % 50}.m{(place * 7 + step) % count}", step) for step in range(12)
        )
        builder.put(
            f"larder/part{place % 50}/m{place}.py",
            imports=imports,
            entries=(Entry("route", f"GET /api/p{place % 50}/{place}", 1),),
            models=(Model(f"M{place}", "orm", 1, ("a", "b"), (f"M{place // 2}",)),),
            naming={"function:snake": 10, "file:snake": 1},
        )
    return builder.codebase()


def test_analysis_of_many_files_is_subquadratic_and_bounded() -> None:
    def prepare(size: int, repetition: int) -> Work:
        codebase = _many_files(size)
        return lambda: analyze_codebase(codebase)

    assert_subquadratic(prepare, 1_250)
    assert len(analyze_codebase(_many_files(5_000)).findings) <= 60
