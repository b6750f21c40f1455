"""Entry points of a codebase: ranking, grouping and limits."""

from __future__ import annotations

from collections.abc import Iterable

from loremark.memory.codebase.analysis.entry_point_findings import entry_point_findings
from loremark.memory.codebase.analysis.entry_points import entry_points
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.graph.import_graph import ImportGraph
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import Codebase, Dependency, Entry, FileFacts, Finding, Import
from tests.growth import Work, assert_subquadratic

FIRST = 15


def read(texts: dict[str, str], *others: str, name: str = "larder") -> Codebase:
    """A codebase from the text of its files, read as a scan reads them."""
    files = {path: read_file(path, text) for path, text in texts.items()}
    return Codebase(name, tuple(sorted([*texts, *others])), files)


def facts(paths: Iterable[str], kind: str = "", lines: int = 80, count: int = 1) -> dict[str, FileFacts]:
    entries = tuple(Entry(kind, f"e{n}", n + 2) for n in range(count)) if kind else ()  # type: ignore[arg-type]
    return {path: FileFacts(language_of(path), lines, entries=entries) for path in paths}


def first_entry_points(codebase: Codebase) -> list[str]:
    return [path for path, _ in entry_points(codebase)][:FIRST]


def first_paths(files: dict[str, FileFacts], *others: str, name: str = "larder") -> list[str]:
    return first_entry_points(Codebase(name, tuple(sorted([*files, *others])), files))


def test_many_controllers_and_commands_leave_room_for_other_entry_points() -> None:
    files = facts([f"app/controllers/area{n % 5}/c{n}.py" for n in range(50)], "route", count=6)
    files |= facts([f"app/management/commands/c{n}.py" for n in range(30)], "cli")
    files |= (
        facts(["app/urls.py"], "route", count=40) | facts(["app/wsgi.py"], "server") | facts(["app/jobs.py"], "job")
    )
    files |= facts(["web/src/main.tsx", "install.sh", "Rakefile", "manage.py"])
    found = first_paths(files, "web/package.json", "app/settings.py")
    assert set(found) >= {"manage.py", "app/wsgi.py", "app/urls.py", "app/jobs.py", "web/src/main.tsx", "install.sh"}
    assert "Rakefile" in found
    assert sum("controllers" in path for path in found) >= 2, "the large group is listed too"


def test_similar_files_rank_by_size_and_supervisor_use() -> None:
    files = facts([f"shop/management/commands/c{n}.py" for n in range(20)], "cli", lines=30)
    files |= facts(["shop/management/commands/weigh.py"], "cli", lines=400)
    files["shop/management/commands/c7.py"] = FileFacts("python", 30, entries=(Entry("cli", "c7", 2),))
    files |= {
        "uwsgi.ini": read_file("uwsgi.ini", "[uwsgi]\nmodule = shop.wsgi:app\nattach-daemon = ./manage.py c7 -v\n")
    }
    files |= facts(["manage.py", "shop/wsgi.py"])
    found = first_paths(files)
    commands = [path for path in found if "/commands/" in path]
    assert commands[:2] == ["shop/management/commands/c7.py", "shop/management/commands/weigh.py"]
    assert found.index("shop/wsgi.py") < 4


def test_bundler_inputs_and_page_scripts_resolve_to_sources() -> None:
    texts = {
        "rollup.tracker.config.js": "import x from './src/plugin.js'\nexport default { input: 'src/tracker/go.js' }",
        "dev/build/esbuild.js": "const entries = { code: path.join(__dirname, '../../js/code/start.mjs') }",
        "ui/index.html": '<script src="https://x.example/x.js"></script><script src="/src/begin.ts"></script>',
        "package.json": '{"name": "larder", "scripts": {"start": "node dist/serve.js"}}',
    }
    sources = ("src/tracker/go.js", "js/code/start.mjs", "ui/src/begin.ts", "src/plugin.js", "src/serve.ts")
    found = first_entry_points(read(texts | dict.fromkeys(sources, "")))
    assert set(found) >= {"src/tracker/go.js", "js/code/start.mjs", "ui/src/begin.ts", "src/serve.ts"}
    assert "src/plugin.js" not in found, "a file that a configuration imports is not an input"


def test_go_program_leads_to_the_definitions_it_calls() -> None:
    texts = {
        "go.mod": "module example.org/larder\n",
        "main.go": 'package main\nimport lar "example.org/larder/src"\nfunc main() { lar.ParseOptions(); lar.Run() }\n',
        "src/core.go": "package larder\nfunc Run() {}\n",
        "src/settings.go": "package larder\nfunc ParseOptions() {}\n",
        "src/jar.go": "package larder\nfunc Jar() {}\n",
    }
    found = first_entry_points(read(texts))
    assert found[0] == "main.go"
    assert {"src/core.go", "src/settings.go"} <= set(found)
    assert "src/jar.go" not in found


def test_library_without_a_program_starts_at_its_root() -> None:
    texts = {"pyproject.toml": '[project]\nname = "larder"\n', "larder/__init__.py": "", "larder/_api.py": "x = 1\n"}
    assert first_entry_points(read(texts, "larder/_shelf.py", "docs/conf.py", "tests/test_a.py")) == [
        "larder/__init__.py",
        "larder/_api.py",
    ]
    rust = {"Cargo.toml": '[package]\nname = "larder"\nbuild = "make/it.rs"\n', "src/lib.rs": "", "make/it.rs": ""}
    assert first_entry_points(read(rust)) == ["src/lib.rs", "make/it.rs"]


def test_imported_workspace_packages_rank_first() -> None:
    files = {f"packages/p{n}/package.json": FileFacts("json", 9, signs={"name": f"@l/p{n}"}) for n in range(12)}
    for n in range(12):
        files[f"packages/p{n}/package.json"].signs["target:library"] = "./src/index.ts"
    files |= facts([f"packages/p{n}/src/index.ts" for n in range(12)])
    files |= {f"packages/p0/src/a{n}.ts": FileFacts("typescript", 50, (), (Import("@l/p9/deep", 1),)) for n in range(9)}
    desktop = (Dependency("electron", "1", "npm", True, True, False),)
    files["packages/p5/package.json"] = FileFacts(
        "json", 9, (), (), (), (), (), desktop, {}, {"target:library": "src/index.ts"}
    )
    found = first_paths(files)
    assert found[0] == "packages/p5/src/index.ts", "with Electron, the main file is a program"
    assert found[1] == "packages/p9/src/index.ts"


def test_c_modules_are_found_by_name_and_tests_never_are() -> None:
    files = facts(["larder.c"], "main") | facts(["server.c", "server.h", "parse.y", "jar.c", "larder.h"])
    files |= facts(
        ["regress/run.sh", "fuzz/main.c", "examples/main.c", "vendor/x/main.c", "extra/sample_plugin/main.c"], "main"
    )
    found = first_paths(files, "Makefile")
    assert found[0] == "larder.c"
    assert set(found) == {"larder.c", "larder.h", "server.c", "parse.y"}


def test_checkers_rank_after_programs() -> None:
    files = facts(["install", "bin/serve-it", "script/lint", "script/nightly-cron", "bump_version"])
    found = first_paths(files, "LICENSE", "gradlew", "VERSION", "Makefile")
    assert found[:3] == ["bin/serve-it", "install", "script/nightly-cron"]
    assert not {"LICENSE", "gradlew", "VERSION"} & set(found)


def _hostile_texts(count: int) -> dict[str, str]:
    return {
        "vite.config.ts": "input: {" * count + '"' + "a/" * count + "'./" * count,
        "index.html": "<script " * count + "src=" * count,
        "uwsgi.ini": "command=" * count + "\n* * * * * ../../../etc/passwd\n" * 900,
        "package.json": '{"scripts": {"start": "node ../../../etc/passwd.js"}, "main": "/etc/passwd"}',
        "\u202e`/main.py": "", "a" * 900 + "/urls.py": "", "main.go": "package main\n" + "a.B" * count,
    }  # fmt: skip


def test_hostile_files_are_subquadratic_and_resolve_to_nothing() -> None:
    paths = ("..", "../x/main.go", "", "/", "bin/")

    def prepare(size: int, repetition: int) -> Work:
        codebase = read(_hostile_texts(size), *paths)
        return lambda: first_entry_points(codebase)

    assert_subquadratic(prepare, 15_000)
    texts = _hostile_texts(60_000)
    found = first_entry_points(read(texts, *paths))
    assert set(found) <= {*texts, *paths}
    assert found == first_entry_points(read(texts, *paths))


def test_released_programs_are_entry_points_and_servers_rank_before_routes() -> None:
    """Comments and bare names in a Go literal must not cause a failure either."""
    serve = (
        'package apis\n\nimport "net/http"\n\nfunc Serve() error {\n'
        "\tserver := &http.Server{\n\t\t// bare\n\t\tHandler,\n\t}\n"
        '\tcmd := &cobra.Command{\n\t\t// how it is called\n\t\tUse: "serve",\n\t}\n\treturn server.Serve(nil)\n}\n'
    )
    texts = {
        ".goreleaser.yaml": "builds:\n  - id: larder\n    main: ./examples/base\n    binary: larder\n",
        "go.mod": "module example.org/larder\n",
        "examples/base/main.go": "package main\n\nfunc main() {}\n",
        "examples/other/main.go": "package main\n\nfunc main() {}\n",
        "apis/serve.go": serve,
    }
    found = first_entry_points(read(texts))
    assert found[:2] == ["examples/base/main.go", "apis/serve.go"]
    assert "examples/other/main.go" not in found


def test_every_workspace_project_gets_an_early_entry_point() -> None:
    files = facts([f"packages/big/src/routes/r{n}.ts" for n in range(20)], "route", lines=300, count=9)
    files |= facts(["packages/big/src/main.ts"], "server", lines=200)
    for name in ("admin", "agent", "desktop", "web"):
        files |= facts([f"packages/{name}/src/main.ts"], lines=20)
    others = [f"packages/{name}/{file}" for name in ("admin", "agent", "desktop", "web") for file in PAGE]
    found = first_paths(files, *others, "packages/big/package.json", "packages/big/components.d.ts")
    assert {f"packages/{name}/src/main.ts" for name in ("admin", "agent", "desktop", "web", "big")} <= set(found)
    assert not any(path.endswith(".d.ts") for path in found)


PAGE = ("package.json", "index.html")


def test_program_leads_to_imports_only_when_it_calls_them() -> None:
    main = (
        "import sys\n\ndef dump():\n    from larder.tools import dump\n    dump.go()\n\n"
        "def console():\n    from larder.tools import console\n    console.go()\n"
    )
    texts = {
        "pyproject.toml": '[project]\nname = "larder"\n[project.scripts]\nlarder = "larder.tools.main:console"\n',
        "larder/__init__.py": "",
        "larder/tools/__init__.py": "",
        "larder/tools/main.py": main,
        "larder/tools/dump.py": "def go():\n    pass\n",
        "larder/tools/console/__init__.py": "from larder.tools.console import screen\n",
        "larder/tools/console/screen.py": "class Screen:\n    pass\n",
        **{f"gen/g{n}.py": "if __name__ == '__main__':\n    print(1)\n" for n in range(12)},
    }
    found = first_entry_points(read(texts))
    assert found[0] == "larder/tools/main.py"
    assert {"larder/tools/dump.py", "larder/tools/console/screen.py"} <= set(found[:5])


def test_container_starts_a_script_from_another_directory() -> None:
    docker = (
        'FROM php:8 AS shared\nENTRYPOINT ["/docker/entrypoint.sh"]\nFROM shared AS web\nCMD ["php-fpm"]\n'
        "FROM shared AS last\n"
    )
    texts = {
        "Dockerfile": docker,
        "docker/shared/root/docker/entrypoint.sh": "#!/bin/sh\nexec $@\n",
        "public/index.php": "<?php\n",
        "artisan": "#!/usr/bin/env php\n<?php\n",
        "docker/artisan": "#!/bin/sh\n",
    }
    found = first_entry_points(read(texts))
    assert "docker/shared/root/docker/entrypoint.sh" in found[:4]
    assert found.index("artisan") < 2
    assert "docker/artisan" not in found[:3]


def test_file_named_after_its_directory_is_a_module_of_a_compiled_program() -> None:
    files = facts(["src/core/larder.c"], "main") | facts(["src/shelf/lar_shelf.c", "src/shelf/lar_jar.c"], lines=900)
    files |= facts(["src/door/lar_door.c"], lines=20)
    found = first_paths(files)
    assert "src/shelf/lar_shelf.c" in found
    assert not {"src/shelf/lar_jar.c", "src/door/lar_door.c"} & set(found)


def test_last_word_of_a_class_name_determines_its_role() -> None:
    files = facts(["Larder/Program.cs"], "main") | facts(["Larder/CoreAppHost.cs", "Larder/Jar.cs"], lines=90)
    found = first_paths(files, "Larder/Larder.csproj")
    assert "Larder/CoreAppHost.cs" in found
    assert "Larder/Jar.cs" not in found


def test_program_next_to_binstubs_is_an_entry_point_if_it_uses_own_code() -> None:
    texts = {
        "bin/larderctl": "#!/usr/bin/env ruby\nrequire_relative '../lib/larder/cli'\nLarder::CLI.start(ARGV)\n",
        "bin/rspec": "#!/usr/bin/env ruby\nload Gem.bin_path('rspec-core', 'rspec')\n",
        "config/routes.rb": "Rails.application.routes.draw do\n  root 'a#b'\nend\n",
    }
    found = first_entry_points(read(texts, "bin/rails", "bin/bundle", "lib/larder/cli.rb"))
    assert "bin/larderctl" in found
    assert "bin/rspec" not in found


def test_headers_boot_files_and_schemas_are_entry_points_but_templates_are_not() -> None:
    files = facts(["include/larder/larder.h", "include/larder/jar.h", "core/boot.js", "web/graphql/schema.py"])
    files |= facts(["larder/project_template/shop/wsgi.py", "docker/test-images/db/start-db"], "server")
    found = first_paths(files)
    assert {"include/larder/larder.h", "core/boot.js", "web/graphql/schema.py"} <= set(found)
    assert not {"include/larder/jar.h", "larder/project_template/shop/wsgi.py", "docker/test-images/db/start-db"} & set(
        found
    )


def test_parsed_values_do_not_lead_to_more_entry_points() -> None:
    texts = {
        "go.mod": "module example.org/larder\n",
        "main.go": 'package main\nimport "example.org/larder/src"\nfunc main() { src.ParseVersion(src.ParseArgs()) }\n',
        "src/version.go": "package src\nfunc ParseVersion() {}\n",
        "src/given.go": "package src\nfunc ParseArgs() {}\n",
    }
    found = first_entry_points(read(texts))
    assert "src/given.go" in found
    assert "src/version.go" not in found


def test_precomputed_imports_give_the_same_entry_points() -> None:
    texts = {
        "go.mod": "module example.org/larder\n",
        "main.go": 'package main\nimport "example.org/larder/src"\nfunc main() { src.Run() }\n',
        "src/core.go": "package src\nfunc Run() {}\n",
    }
    codebase = read(texts)
    assert entry_points(codebase, Survey(codebase).graph) == entry_points(codebase)
    assert "src/core.go" not in [path for path, _ in entry_points(codebase, ImportGraph({}, {}))], (
        "the given imports are used"
    )


def test_many_different_extensions_are_subquadratic() -> None:
    def prepare(size: int, repetition: int) -> Work:
        paths = [f"src/part{n}.of{n}" for n in range(size)]
        return lambda: first_paths({}, *paths, "cmd/larder/main.go")

    assert_subquadratic(prepare, 1_250)
    assert first_paths({}, *(f"src/part{n}.of{n}" for n in range(5_000)), "cmd/larder/main.go") == [
        "cmd/larder/main.go"
    ]


def start_findings(codebase: Codebase) -> list[Finding]:
    return [one for one in entry_point_findings(Survey(codebase)) if "start" in one.tags]


def test_every_entry_point_is_listed_by_kind_and_directory() -> None:
    files = facts([f"app/controllers/area{n % 9}/shelf{n}.py" for n in range(110)], "route", count=6)
    files |= facts([f"app/management/commands/c{n}.py" for n in range(30)], "cli")
    files |= facts([f"app/jobs/j{n}.py" for n in range(20)], "job") | facts(["manage.py", "app/wsgi.py"])
    codebase = Codebase("larder", tuple(sorted(files)), files)
    first, *further = start_findings(codebase)
    listed = [path for path, _ in entry_points(codebase)]
    assert len(listed) == 80
    assert list(first.files) == listed[:FIRST]
    assert sorted(path for one in further for path in one.files) == sorted(listed[FIRST:])
    assert {one.title.partition(" of larder")[0] for one in further} >= {
        "More programs and commands", "More servers and routes", "More jobs",
    }  # fmt: skip
    assert len({one.title for one in further}) == len(further), "findings with the same title would become one"
    [jobs] = [one for one in further if one.title.startswith("More jobs")]
    assert f"has {len(jobs.files)} more files with jobs:" in jobs.content
    assert "- jobs in `app/jobs`: `j" in jobs.content
    lines = [line for one in start_findings(codebase) for line in one.content.splitlines()]
    assert max(len(one.content) for one in start_findings(codebase)) <= 1_500
    assert max(map(len, lines)) < 900, "no line is truncated"


def test_files_that_do_not_fit_are_counted() -> None:
    deep = "/".join(["a_directory_with_a_long_name"] * 4)
    files = facts([f"{deep}/of{n}/handler{n}.py" for n in range(90)], "route", count=6)
    codebase = Codebase("larder", tuple(sorted(files)), files)
    _, routes, *_ = start_findings(codebase)
    shown = routes.content.count("/handler")
    assert shown > 4
    assert f"- and {len(routes.files) - shown} more files attached to this finding" in routes.content


def test_few_more_entry_points_share_one_finding() -> None:
    files = facts([f"app/jobs/j{n}.py" for n in range(18)], "job") | facts(["manage.py", "app/wsgi.py"])
    _, more = start_findings(Codebase("larder", tuple(sorted(files)), files))
    assert more.title.startswith("More entry points of larder: ")
    assert "5 more files worth reading early:" in more.content
