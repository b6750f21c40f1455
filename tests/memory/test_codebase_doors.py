"""Doors by what frameworks and names say: plugins, jobs, sockets, settings, main parts; no crowd takes all the room."""

from __future__ import annotations

from collections.abc import Iterable

from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.reading import read_file
from loremark.memory.codebase.records import Codebase, Entry, FileFacts, Import, Symbol
from loremark.memory.codebase.study.door_places import placed_doors
from loremark.memory.codebase.study.door_roles import own_scripts, role_doors
from loremark.memory.codebase.study.door_sources import source_doors
from loremark.memory.codebase.study.doors import Door, Doors
from loremark.memory.codebase.study.entry_points import entry_points
from loremark.memory.codebase.study.reaching import entry_point_findings
from loremark.memory.codebase.study.survey import Survey


def facts(
    paths: Iterable[str], lines: int = 80, entries: tuple[Entry, ...] = (), symbols: int = 0
) -> dict[str, FileFacts]:
    named = tuple(Symbol(f"part{n}", "function", n + 1) for n in range(symbols))
    return {path: FileFacts(language_of(path), lines, entries=entries, symbols=named) for path in paths}


def told(files: dict[str, FileFacts], *others: str, name: str = "larder") -> list[str]:
    return [path for path, _ in entry_points(Codebase(name, tuple(sorted([*files, *others])), files))]


def test_who_loads_plugins_runs_jobs_and_takes_messages_is_a_door_wherever_it_lies() -> None:
    doors = {
        "core/Plugin/Manager.php",
        "server/utils/PluginManager.ts",
        "Larder.Server/ScheduledTasks/TaskManager.cs",
        "src/Api/Jobs/JobsHostedService.cs",
        "application/src/main/java/org/larder/web/LarderWebSocketHandler.java",
        "application/src/main/java/org/larder/infra/WebFluxConfig.java",
        "collector/kafka/src/main/java/org/larder/KafkaCollector.java",
    }
    others = {
        "Larder.Server/ScheduledTasks/ITaskManager.cs",
        "core/Garden/StatsCollector.php",
        "scripts/plugin_loader.py",
        "tests/PluginManagerTests.cs",
    }
    found = set(told(facts(doors | others)))
    assert doors <= found
    assert not others & found


def test_who_serves_works_and_answers_by_name_is_a_door_and_clients_and_headers_are_none() -> None:
    doors = {
        "lib/rpc-server.cc",
        "lib/rpcimpl.cc",
        "core/hooks/workerpool.go",
        "crates/larder/src/mcp.rs",
        "app/ServiceProvider/RouteProvider.php",
        "src/node/handler/ShelfMessageHandler.ts",
        "admin/src/main/java/org/larder/scheduler/ShelfBootstrap.java",
    }
    others = {
        "lib/rpc-server.h",
        "Larder.Client/HttpMessageHandler.cs",
        "src/testserver.ts",
        "app/models/shelf_worker.rb",
    }
    found = set(told(facts(doors | others)))
    assert doors <= found
    assert not others & found


def test_programs_beside_stubs_pages_at_the_root_and_crontabs_are_doors_and_data_beside_them_is_none() -> None:
    begun = facts(["bin/runner.rb", "bin/rake"], entries=(Entry("cli", "runner", 1),))
    paths = ("bin/rails", "jsonrpc.php", "config.default.php", "docker/etc/crontabs/larder", "bin/package.json")
    found = told(begun, *paths)
    assert {"bin/rails", "bin/runner.rb", "jsonrpc.php", "docker/etc/crontabs/larder"} <= set(found)
    assert not {"bin/rake", "config.default.php", "bin/package.json"} & set(found)


def test_what_is_called_like_the_project_comes_before_other_scripts_and_tools_after_programs() -> None:
    found = told({}, "utils/larder.sh", "utils/asset.sh", "Larder/Program.cs", "Tools/Tuner/Program.cs")
    assert found.index("Larder/Program.cs") < found.index("Tools/Tuner/Program.cs")
    scripts = told(facts(["utils/larder.sh", "utils/asset.sh"]))
    assert scripts.index("utils/larder.sh") < scripts.index("utils/asset.sh")


def test_the_settings_and_the_schema_of_the_whole_project_come_before_those_of_its_parts() -> None:
    files = facts(["larder/wsgi.py", "larder/settings.py", "larder/graphql/schema.py", "jars/settings.py"])
    files |= facts([f"{app}/graphql/schema.py" for app in ("apples", "bread", "cheese")])
    found = told(files, "manage.py", "conf/larder.conf", "shop/src/main/resources/application.yml")
    assert {"larder/settings.py", "conf/larder.conf", "shop/src/main/resources/application.yml"} <= set(found)
    assert "jars/settings.py" not in found
    assert found.index("larder/graphql/schema.py") < found.index("apples/graphql/schema.py")


def test_frameworks_are_known_by_where_they_keep_their_routes_and_starts() -> None:
    doors = (
        *("lib/larder_web/router.ex", "lib/larder_web/endpoint.ex", "lib/larder/application.ex", "conf/routes"),
        *("src/server/api/root.ts", "src/Kernel.php", "cmd/root.go", "app/src/main/java/org/larder/MainActivity.kt"),
        *("client/src/entrypoints/admin/shelf.js", "api/src/schedules/sweep.ts", "Larder/LarderApp.swift"),
    )
    assert set(doors) <= set(told({}, *doors, "api/openapi.yml"))


def test_a_file_beside_processes_is_a_process() -> None:
    beside = ["server/services/web.ts", "server/services/worker.ts", "server/services/together.ts"]
    assert set(beside) <= set(told({}, *beside, "server/services/index.ts"))
    alone = told({}, "server/services/web.ts", *(f"server/services/jar{n}.ts" for n in range(6)))
    assert "server/services/jar1.ts" not in alone


def test_main_parts_of_a_program_are_large_and_no_mere_helpers_data_or_written_by_a_tool() -> None:
    files = facts(["src/main.c"], entries=(Entry("main", "main", 3),))
    files |= facts(["src/http/larder_request.c", "src/parser.c", "src/http/utils.c"], lines=2_000, symbols=60)
    files |= facts(["src/http/names.c"], lines=4_000, symbols=2) | facts(["src/parser.y"], lines=300)
    files |= facts(["lib/easy.c"], lines=90)
    found = told(files, "include/larder/easy.h")
    assert {"src/main.c", "src/http/larder_request.c", "lib/easy.c", "src/parser.y"} <= set(found)
    assert not {"src/http/utils.c", "src/http/names.c"} & set(found)


def test_a_server_that_is_started_goes_on_in_what_it_boots() -> None:
    texts = {
        "package.json": '{"name": "larder", "scripts": {"start": "node index.js"}}',
        "index.js": "const run = require('./core/cli/command');\nrequire('./core/boot')();\n",
        "core/cli/command.js": "module.exports = () => {};\n",
        "core/boot.js": "module.exports = () => {};\n",
        "core/jars.js": "module.exports = () => {};\n",
    }
    found = told({path: read_file(path, text) for path, text in texts.items()})
    assert found[0] == "index.js"
    assert {"core/boot.js", "core/cli/command.js"} <= set(found)
    assert "core/jars.js" not in found


def test_in_php_a_class_that_sets_a_name_is_no_command() -> None:
    named = (Entry("cli", "jars", 4),)
    files = facts(["plugins/Jars/Jars.php", "plugins/Jars/Commands/Fill.php", "console"], entries=named)
    found = told(files, "index.php")
    assert "plugins/Jars/Commands/Fill.php" in found
    assert "plugins/Jars/Jars.php" not in found


def test_packages_of_types_and_tools_come_after_those_that_do_something() -> None:
    names = ("editor", "types", "eslint-config")
    files = {
        f"packages/{one}/package.json": read_file(
            f"packages/{one}/package.json", f'{{"name": "@larder/{one}", "main": "src/index.ts"}}'
        )
        for one in names
    }
    files |= facts(f"packages/{one}/src/index.ts" for one in names)
    asking = tuple(Import(f"@larder/{one}", 1) for one in names)
    files["web/app.ts"] = FileFacts("typescript", 30, imports=asking)
    found = told(files)
    assert found.index("packages/editor/src/index.ts") < found.index("packages/types/src/index.ts")
    assert found.index("packages/editor/src/index.ts") < found.index("packages/eslint-config/src/index.ts")


def test_a_crowd_is_put_behind_but_what_is_a_door_by_itself_is_not_dropped() -> None:
    doors = Doors({"": 1.0})
    for number in range(30):
        doors.offer(f"api/area{number:02}.rs", Entry("route", "8 routes", 1), "table", 80)
    for number in range(30):
        doors.offer(f"contrib/s{number:02}.sh", Entry("cli", "s", 1), "script", 30)
    doors.offer("src/jobs.rs", Entry("job", "jobs", 1), "job", 56)
    rows: list[Door] = doors.ranked(40)
    assert [door.path for door in rows].index("src/jobs.rs") < 15
    assert sum(door.group == "table" for door in rows) == 30
    assert sum(door.group == "script" for door in rows) < 8, (
        "what is light by itself is left out when it comes in crowds"
    )


def test_the_app_of_the_workers_and_the_whole_schema_are_told_by_what_they_import() -> None:
    files = facts(["larder/wsgi.py", "larder/jars/model.py"])
    files["larder/queues.py"] = FileFacts("python", 60, imports=(Import("celery", 1, ("Celery",)),))
    parts = tuple(Import(f".{one}.schema", 1) for one in ("apples", "bread", "cheese", "dates"))
    files["larder/gate.py"] = FileFacts("python", 90, imports=parts)
    files["larder/apples/gate.py"] = FileFacts("python", 90, imports=parts[:1])
    found = told(files)
    assert {"larder/queues.py", "larder/gate.py"} <= set(found)
    assert "larder/apples/gate.py" not in found


def test_a_library_in_c_is_entered_by_its_header_and_the_core_of_each_platform() -> None:
    files = facts(
        ["include/jar.h", "include/jar/lid.h", "src/mac/core.c", "src/win/loop.c", "src/lid.c", "src/mac/odd.c"]
    )
    found = told(files, name="libjar")
    assert found[0] == "include/jar.h"
    assert {"src/mac/core.c", "src/win/loop.c", "src/lid.c"} <= set(found)
    assert "src/mac/odd.c" not in found


def test_programs_that_write_sources_come_after_those_that_are_the_project() -> None:
    start = (Entry("main", "main", 3),)
    files = facts(["cmd/larder/larder.go", "generate.go", "internal/gen/main.go", "commands/server.go"], entries=start)
    found = told(files | facts(["commands/commands.go"]))
    assert found[:2] == ["cmd/larder/larder.go", "commands/server.go"]
    assert found.index("commands/commands.go") < found.index("generate.go")


def test_what_adds_to_a_program_comes_after_the_program() -> None:
    homes = ("src/Web", "src/Plugins/Apples", "src/Plugins/Bread")
    files = {f"{home}/Its.csproj": FileFacts("xml", 9, signs={"name": home}) for home in homes}
    routes = tuple(Entry("route", f"GET /{number}", number) for number in range(1, 10))
    files |= facts([f"{home}/Controllers/{number}Controller.cs" for home in homes for number in range(3)], 400, routes)
    files |= facts(["src/Web/Infrastructure/RouteProvider.cs", "src/Plugins/Apples/PluginStartup.cs"], 300)
    found = told(files, "src/Web/Program.cs")
    assert found[0] == "src/Web/Program.cs"
    assert max(map(found.index, (one for one in found if "/Web/" in one))) < found.index(
        "src/Plugins/Apples/Controllers/0Controller.cs"
    )
    assert "src/Plugins/Apples/PluginStartup.cs" not in found


def test_tables_of_routes_applications_and_who_ties_requests_to_handlers_are_doors_by_their_names() -> None:
    doors = (
        *("core/src/Jars/routes.php", "core/js/src/shelf/ShelfApplication.tsx", "src/background_jobs.rs"),
        *("core/src/Queue/QueueServiceProvider.php", "core/src/remote/RequestHandlerRegistry.java"),
        *("core/src/ws/GuestConnectListener.java", "lib/larder/winsvc.rb"),
    )
    others = (
        *("app/views/layouts/application.html.erb", "web/utils/routes.ts", "web/store/routes.ts"),
        *("web/settings/Application.tsx", "web/reducers/server.ts", "src/remote/Handler.java"),
    )
    files = facts([*doors, *others], 40)
    assert {path for path, *_ in role_doors(Codebase("larder", tuple(files), files))} == set(doors)
    assert set(doors) <= set(told(files))
    short = facts(["core/src/Jars/routes.php", "core/src/Jars/ShelfApplication.tsx"], 14)
    assert [path for path, *_ in role_doors(Codebase("larder", tuple(short), short))] == ["core/src/Jars/routes.php"]


def test_pages_beside_the_front_controller_and_the_layout_of_a_mobile_app_are_doors() -> None:
    paths = ("web/public/install.php", "apps/mobile/app/_layout.tsx", "web/public/config.php", "web/src/tools.php")
    assert {path for path, *_ in placed_doors(paths)} == set(paths[:2])


def test_scripts_with_the_name_of_the_project_are_installed_beside_it() -> None:
    doors = ("admin/cli/larder-reload", "small/larder-setup.sh.in")
    others = ("completions/larder-zsh", "small/other-setup.sh", "debian/larder-setup.sh", "tests/larder-check.sh")
    files = {path: FileFacts("shell", 60) for path in (*doors, *others)}
    assert {path for path, *_ in own_scripts(Codebase("larder", tuple(files), files))} == set(doors)
    assert set(doors) <= set(told(files))


def test_a_file_that_ties_many_pages_to_addresses_is_a_door_and_no_page_made_from_a_file() -> None:
    many = tuple(Entry("page", f"/{name}", 9) for name in ("jars", "lids", "shelves", "rooms", "keys", "guests"))
    files = facts(["web/src/layout/Layout.tsx"], 90, many) | facts(["web/src/parts/Few.tsx"], 90, many[:5])
    files |= facts(["web/pages/a.tsx", "web/pages/b.tsx"], 90, many[:1])
    offered = {path: entry.name for path, entry, *_ in source_doors(Codebase("larder", tuple(files), files))}
    assert offered.get("web/src/layout/Layout.tsx") == "6 pages"
    assert "web/src/parts/Few.tsx" not in offered
    [pages] = [
        one for one in entry_point_findings(Survey(Codebase("larder", tuple(files), files))) if "pages" in one.tags
    ]
    assert "web/src/layout/Layout.tsx" not in pages.files
    assert "web/pages/a.tsx" in pages.files
