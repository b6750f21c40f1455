"""Where a newcomer starts: the doors of a codebase, one of each kind before the second of a kind."""

from __future__ import annotations

import time
from collections.abc import Iterable

from loremark.memory.codebase.graph.graph import Graph
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.reading import read_file
from loremark.memory.codebase.records import Codebase, Dependency, Entry, FileFacts, Finding, Import
from loremark.memory.codebase.study.entry_points import entry_points
from loremark.memory.codebase.study.reaching import entry_point_findings
from loremark.memory.codebase.study.survey import Survey

FIRST = 15


def read(texts: dict[str, str], *others: str, name: str = "larder") -> Codebase:
    """A codebase from the text of its files, read as a scan reads them."""
    files = {path: read_file(path, text) for path, text in texts.items()}
    return Codebase(name, tuple(sorted([*texts, *others])), files)


def facts(paths: Iterable[str], kind: str = "", lines: int = 80, count: int = 1) -> dict[str, FileFacts]:
    entries = tuple(Entry(kind, f"e{n}", n + 2) for n in range(count)) if kind else ()  # type: ignore[arg-type]
    return {path: FileFacts(language_of(path), lines, entries=entries) for path in paths}


def doors(codebase: Codebase) -> list[str]:
    return [path for path, _ in entry_points(codebase)][:FIRST]


def of(files: dict[str, FileFacts], *others: str, name: str = "larder") -> list[str]:
    return doors(Codebase(name, tuple(sorted([*files, *others])), files))


def test_fifty_controllers_and_thirty_commands_leave_room_for_all_other_doors() -> None:
    files = facts([f"app/controllers/area{n % 5}/c{n}.py" for n in range(50)], "route", count=6)
    files |= facts([f"app/management/commands/c{n}.py" for n in range(30)], "cli")
    files |= (
        facts(["app/urls.py"], "route", count=40) | facts(["app/wsgi.py"], "server") | facts(["app/jobs.py"], "job")
    )
    files |= facts(["web/src/main.tsx", "install.sh", "Rakefile", "manage.py"])
    found = of(files, "web/package.json", "app/settings.py")
    assert set(found) >= {"manage.py", "app/wsgi.py", "app/urls.py", "app/jobs.py", "web/src/main.tsx", "install.sh"}
    assert "Rakefile" in found
    assert sum("controllers" in path for path in found) >= 2, "the crowd is told too"


def test_of_many_alike_the_largest_come_first_and_those_that_a_supervisor_runs() -> None:
    files = facts([f"shop/management/commands/c{n}.py" for n in range(20)], "cli", lines=30)
    files |= facts(["shop/management/commands/weigh.py"], "cli", lines=400)
    files["shop/management/commands/c7.py"] = FileFacts("python", 30, entries=(Entry("cli", "c7", 2),))
    files |= {
        "uwsgi.ini": read_file("uwsgi.ini", "[uwsgi]\nmodule = shop.wsgi:app\nattach-daemon = ./manage.py c7 -v\n")
    }
    files |= facts(["manage.py", "shop/wsgi.py"])
    found = of(files)
    commands = [path for path in found if "/commands/" in path]
    assert commands[:2] == ["shop/management/commands/c7.py", "shop/management/commands/weigh.py"]
    assert found.index("shop/wsgi.py") < 4


def test_inputs_of_bundlers_and_scripts_of_pages_are_followed_to_their_sources() -> None:
    texts = {
        "rollup.tracker.config.js": "import x from './src/plugin.js'\nexport default { input: 'src/tracker/go.js' }",
        "dev/build/esbuild.js": "const entries = { code: path.join(__dirname, '../../js/code/start.mjs') }",
        "ui/index.html": '<script src="https://x.example/x.js"></script><script src="/src/begin.ts"></script>',
        "package.json": '{"name": "larder", "scripts": {"start": "node dist/serve.js"}}',
    }
    sources = ("src/tracker/go.js", "js/code/start.mjs", "ui/src/begin.ts", "src/plugin.js", "src/serve.ts")
    found = doors(read(texts | dict.fromkeys(sources, "")))
    assert set(found) >= {"src/tracker/go.js", "js/code/start.mjs", "ui/src/begin.ts", "src/serve.ts"}
    assert "src/plugin.js" not in found, "what a configuration imports is no input"


def test_a_program_in_go_goes_on_where_what_it_calls_is_defined() -> None:
    texts = {
        "go.mod": "module example.org/larder\n",
        "main.go": 'package main\nimport lar "example.org/larder/src"\nfunc main() { lar.ParseOptions(); lar.Run() }\n',
        "src/core.go": "package larder\nfunc Run() {}\n",
        "src/settings.go": "package larder\nfunc ParseOptions() {}\n",
        "src/jar.go": "package larder\nfunc Jar() {}\n",
    }
    found = doors(read(texts))
    assert found[0] == "main.go"
    assert {"src/core.go", "src/settings.go"} <= set(found)
    assert "src/jar.go" not in found


def test_a_library_without_a_program_begins_at_its_root() -> None:
    texts = {"pyproject.toml": '[project]\nname = "larder"\n', "larder/__init__.py": "", "larder/_api.py": "x = 1\n"}
    assert doors(read(texts, "larder/_shelf.py", "docs/conf.py", "tests/test_a.py")) == [
        "larder/__init__.py",
        "larder/_api.py",
    ]
    rust = {"Cargo.toml": '[package]\nname = "larder"\nbuild = "make/it.rs"\n', "src/lib.rs": "", "make/it.rs": ""}
    assert doors(read(rust)) == ["src/lib.rs", "make/it.rs"]


def test_in_a_workspace_the_packages_that_others_import_come_before_the_rest() -> None:
    files = {f"packages/p{n}/package.json": FileFacts("json", 9, signs={"name": f"@l/p{n}"}) for n in range(12)}
    for n in range(12):
        files[f"packages/p{n}/package.json"].signs["target:library"] = "./src/index.ts"
    files |= facts([f"packages/p{n}/src/index.ts" for n in range(12)])
    files |= {f"packages/p0/src/a{n}.ts": FileFacts("typescript", 50, (), (Import("@l/p9/deep", 1),)) for n in range(9)}
    desktop = (Dependency("electron", "1", "npm", True, True, False),)
    files["packages/p5/package.json"] = FileFacts(
        "json", 9, (), (), (), (), (), desktop, {}, {"target:library": "src/index.ts"}
    )
    found = of(files)
    assert found[0] == "packages/p5/src/index.ts", "with Electron, the main file is a program"
    assert found[1] == "packages/p9/src/index.ts"


def test_parts_of_a_program_in_c_are_known_by_their_names_and_tests_never_are_doors() -> None:
    files = facts(["larder.c"], "main") | facts(["server.c", "server.h", "parse.y", "jar.c", "larder.h"])
    files |= facts(
        ["regress/run.sh", "fuzz/main.c", "examples/main.c", "vendor/x/main.c", "extra/sample_plugin/main.c"], "main"
    )
    found = of(files, "Makefile")
    assert found[0] == "larder.c"
    assert set(found) == {"larder.c", "larder.h", "server.c", "parse.y"}


def test_what_only_watches_over_the_code_comes_after_what_starts_it() -> None:
    files = facts(["install", "bin/serve-it", "script/lint", "script/nightly-cron", "bump_version"])
    found = of(files, "LICENSE", "gradlew", "VERSION", "Makefile")
    assert found[:3] == ["bin/serve-it", "install", "script/nightly-cron"]
    assert not {"LICENSE", "gradlew", "VERSION"} & set(found)


def test_hostile_files_are_read_in_a_moment_and_lead_nowhere() -> None:
    many = 60_000
    texts = {
        "vite.config.ts": "input: {" * many + '"' + "a/" * many + "'./" * many,
        "index.html": "<script " * many + "src=" * many,
        "uwsgi.ini": "command=" * many + "\n* * * * * ../../../etc/passwd\n" * 900,
        "package.json": '{"scripts": {"start": "node ../../../etc/passwd.js"}, "main": "/etc/passwd"}',
        "\u202e`/main.py": "", "a" * 900 + "/urls.py": "", "main.go": "package main\n" + "a.B" * many,
    }  # fmt: skip
    start = time.process_time()
    found = doors(read(texts, "..", "../x/main.go", "", "/", "bin/"))
    assert time.process_time() - start < 4
    assert set(found) <= {*texts, "..", "../x/main.go", "", "/", "bin/"}
    assert found == doors(read(texts, "..", "../x/main.go", "", "/", "bin/"))


def test_what_a_release_builds_is_a_door_even_among_examples_and_a_server_before_its_routes() -> None:
    """Also: comments and bare names in a Go literal are no reason to fail."""
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
    found = doors(read(texts))
    assert found[:2] == ["examples/base/main.go", "apis/serve.go"]
    assert "examples/other/main.go" not in found


def test_each_project_of_a_workspace_has_its_first_door_before_the_fifth_of_another() -> None:
    files = facts([f"packages/big/src/routes/r{n}.ts" for n in range(20)], "route", lines=300, count=9)
    files |= facts(["packages/big/src/main.ts"], "server", lines=200)
    for name in ("admin", "agent", "desktop", "web"):
        files |= facts([f"packages/{name}/src/main.ts"], lines=20)
    others = [f"packages/{name}/{file}" for name in ("admin", "agent", "desktop", "web") for file in PAGE]
    found = of(files, *others, "packages/big/package.json", "packages/big/components.d.ts")
    assert {f"packages/{name}/src/main.ts" for name in ("admin", "agent", "desktop", "web", "big")} <= set(found)
    assert not any(path.endswith(".d.ts") for path in found)


PAGE = ("package.json", "index.html")


def test_a_program_goes_on_in_what_it_imports_only_when_it_is_asked_to() -> None:
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
    found = doors(read(texts))
    assert found[0] == "larder/tools/main.py"
    assert {"larder/tools/dump.py", "larder/tools/console/screen.py"} <= set(found[:5])


def test_a_container_starts_a_script_that_lies_elsewhere_in_the_repository() -> None:
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
    found = doors(read(texts))
    assert "docker/shared/root/docker/entrypoint.sh" in found[:4]
    assert found.index("artisan") < 2
    assert "docker/artisan" not in found[:3]


def test_a_file_that_speaks_for_its_directory_is_a_part_of_a_compiled_program() -> None:
    files = facts(["src/core/larder.c"], "main") | facts(["src/shelf/lar_shelf.c", "src/shelf/lar_jar.c"], lines=900)
    files |= facts(["src/door/lar_door.c"], lines=20)
    found = of(files)
    assert "src/shelf/lar_shelf.c" in found
    assert not {"src/shelf/lar_jar.c", "src/door/lar_door.c"} & set(found)


def test_beside_a_program_of_classes_the_last_word_of_a_name_says_what_a_part_does() -> None:
    files = facts(["Larder/Program.cs"], "main") | facts(["Larder/CoreAppHost.cs", "Larder/Jar.cs"], lines=90)
    found = of(files, "Larder/Larder.csproj")
    assert "Larder/CoreAppHost.cs" in found
    assert "Larder/Jar.cs" not in found


def test_a_program_beside_the_stubs_of_gems_is_a_door_when_it_goes_on_in_the_own_library() -> None:
    texts = {
        "bin/larderctl": "#!/usr/bin/env ruby\nrequire_relative '../lib/larder/cli'\nLarder::CLI.start(ARGV)\n",
        "bin/rspec": "#!/usr/bin/env ruby\nload Gem.bin_path('rspec-core', 'rspec')\n",
        "config/routes.rb": "Rails.application.routes.draw do\n  root 'a#b'\nend\n",
    }
    found = doors(read(texts, "bin/rails", "bin/bundle", "lib/larder/cli.rb"))
    assert "bin/larderctl" in found
    assert "bin/rspec" not in found


def test_public_headers_boot_files_and_schemas_are_doors_and_templates_of_projects_are_none() -> None:
    files = facts(["include/larder/larder.h", "include/larder/jar.h", "core/boot.js", "web/graphql/schema.py"])
    files |= facts(["larder/project_template/shop/wsgi.py", "docker/test-images/db/start-db"], "server")
    found = of(files)
    assert {"include/larder/larder.h", "core/boot.js", "web/graphql/schema.py"} <= set(found)
    assert not {"include/larder/jar.h", "larder/project_template/shop/wsgi.py", "docker/test-images/db/start-db"} & set(
        found
    )


def test_what_a_program_only_parses_is_no_way_onward() -> None:
    texts = {
        "go.mod": "module example.org/larder\n",
        "main.go": 'package main\nimport "example.org/larder/src"\nfunc main() { src.ParseVersion(src.ParseArgs()) }\n',
        "src/version.go": "package src\nfunc ParseVersion() {}\n",
        "src/given.go": "package src\nfunc ParseArgs() {}\n",
    }
    found = doors(read(texts))
    assert "src/given.go" in found
    assert "src/version.go" not in found


def test_imports_that_are_known_already_lead_to_the_same_doors() -> None:
    texts = {
        "go.mod": "module example.org/larder\n",
        "main.go": 'package main\nimport "example.org/larder/src"\nfunc main() { src.Run() }\n',
        "src/core.go": "package src\nfunc Run() {}\n",
    }
    codebase = read(texts)
    assert entry_points(codebase, Survey(codebase).graph) == entry_points(codebase)
    assert "src/core.go" not in [path for path, _ in entry_points(codebase, Graph({}, {}))], (
        "the given imports are used"
    )


def test_every_file_with_an_ending_of_its_own_takes_no_longer() -> None:
    paths = [f"src/part{n}.of{n}" for n in range(5_000)]
    begun = time.process_time()
    assert of({}, *paths, "cmd/larder/main.go") == ["cmd/larder/main.go"]
    assert time.process_time() - begun < 3


def told(codebase: Codebase) -> list[Finding]:
    return [one for one in entry_point_findings(Survey(codebase)) if "start" in one.tags]


def test_every_door_is_told_and_those_behind_the_first_by_kind_and_place() -> None:
    files = facts([f"app/controllers/area{n % 9}/shelf{n}.py" for n in range(110)], "route", count=6)
    files |= facts([f"app/management/commands/c{n}.py" for n in range(30)], "cli")
    files |= facts([f"app/jobs/j{n}.py" for n in range(20)], "job") | facts(["manage.py", "app/wsgi.py"])
    codebase = Codebase("larder", tuple(sorted(files)), files)
    first, *further = told(codebase)
    doors_told = [path for path, _ in entry_points(codebase)]
    assert len(doors_told) == 80
    assert list(first.files) == doors_told[:FIRST]
    assert sorted(path for one in further for path in one.files) == sorted(doors_told[FIRST:])
    assert {one.title.partition(" of larder")[0] for one in further} >= {
        "More programs and commands", "More servers and routes", "More jobs",
    }  # fmt: skip
    assert len({one.title for one in further}) == len(further), "the same title twice would be one finding"
    [jobs] = [one for one in further if one.title.startswith("More jobs")]
    assert f"has {len(jobs.files)} more files with jobs:" in jobs.content
    assert "- jobs in `app/jobs`: `j" in jobs.content
    lines = [line for one in told(codebase) for line in one.content.splitlines()]
    assert max(len(one.content) for one in told(codebase)) <= 1_500
    assert max(map(len, lines)) < 900, "nothing is cut within a line"


def test_what_has_no_room_in_the_text_is_counted() -> None:
    deep = "/".join(["a_directory_with_a_long_name"] * 4)
    files = facts([f"{deep}/of{n}/handler{n}.py" for n in range(90)], "route", count=6)
    codebase = Codebase("larder", tuple(sorted(files)), files)
    _, routes, *_ = told(codebase)
    shown = routes.content.count("/handler")
    assert shown > 4
    assert f"- and {len(routes.files) - shown} more files, named with this finding" in routes.content


def test_a_few_more_doors_are_told_in_one_piece() -> None:
    files = facts([f"app/jobs/j{n}.py" for n in range(18)], "job") | facts(["manage.py", "app/wsgi.py"])
    _, more = told(Codebase("larder", tuple(sorted(files)), files))
    assert more.title.startswith("More doors of larder: ")
    assert "5 more files that one opens early:" in more.content
