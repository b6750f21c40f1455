"""Entry points by framework, file name and role; no group crowds out the others."""

from __future__ import annotations

from collections.abc import Iterable

from loremark.memory.codebase.analysis.entry_candidates import EntryCandidate, EntryCandidates
from loremark.memory.codebase.analysis.entry_paths import path_entries
from loremark.memory.codebase.analysis.entry_point_findings import entry_point_findings
from loremark.memory.codebase.analysis.entry_points import entry_points
from loremark.memory.codebase.analysis.entry_roles import own_scripts, role_entries
from loremark.memory.codebase.analysis.entry_sources import source_entries
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import Codebase, Entry, FileFacts, Import, Symbol


def facts(
    paths: Iterable[str], lines: int = 80, entries: tuple[Entry, ...] = (), symbols: int = 0
) -> dict[str, FileFacts]:
    named = tuple(Symbol(f"part{n}", "function", n + 1) for n in range(symbols))
    return {path: FileFacts(language_of(path), lines, entries=entries, symbols=named) for path in paths}


def ranked_paths(files: dict[str, FileFacts], *others: str, name: str = "larder") -> list[str]:
    return [path for path, _ in entry_points(Codebase(name, tuple(sorted([*files, *others])), files))]


def test_plugin_loaders_job_runners_and_message_handlers_are_entry_points() -> None:
    candidates = {
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
    found = set(ranked_paths(facts(candidates | others)))
    assert candidates <= found
    assert not others & found


def test_servers_and_workers_are_entry_points_but_clients_and_headers_are_not() -> None:
    candidates = {
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
    found = set(ranked_paths(facts(candidates | others)))
    assert candidates <= found
    assert not others & found


def test_programs_root_pages_and_crontabs_are_entry_points_but_data_is_not() -> None:
    programs = facts(["bin/runner.rb", "bin/rake"], entries=(Entry("cli", "runner", 1),))
    paths = ("bin/rails", "jsonrpc.php", "config.default.php", "docker/etc/crontabs/larder", "bin/package.json")
    found = ranked_paths(programs, *paths)
    assert {"bin/rails", "bin/runner.rb", "jsonrpc.php", "docker/etc/crontabs/larder"} <= set(found)
    assert not {"bin/rake", "config.default.php", "bin/package.json"} & set(found)


def test_project_named_scripts_rank_first_and_tools_last() -> None:
    found = ranked_paths({}, "utils/larder.sh", "utils/asset.sh", "Larder/Program.cs", "Tools/Tuner/Program.cs")
    assert found.index("Larder/Program.cs") < found.index("Tools/Tuner/Program.cs")
    scripts = ranked_paths(facts(["utils/larder.sh", "utils/asset.sh"]))
    assert scripts.index("utils/larder.sh") < scripts.index("utils/asset.sh")


def test_project_settings_and_schema_rank_before_those_of_parts() -> None:
    files = facts(["larder/wsgi.py", "larder/settings.py", "larder/graphql/schema.py", "jars/settings.py"])
    files |= facts([f"{app}/graphql/schema.py" for app in ("apples", "bread", "cheese")])
    found = ranked_paths(files, "manage.py", "conf/larder.conf", "shop/src/main/resources/application.yml")
    assert {"larder/settings.py", "conf/larder.conf", "shop/src/main/resources/application.yml"} <= set(found)
    assert "jars/settings.py" not in found
    assert found.index("larder/graphql/schema.py") < found.index("apples/graphql/schema.py")


def test_framework_entry_points_are_found_by_path() -> None:
    candidates = (
        *("lib/larder_web/router.ex", "lib/larder_web/endpoint.ex", "lib/larder/application.ex", "conf/routes"),
        *("src/server/api/root.ts", "src/Kernel.php", "cmd/root.go", "app/src/main/java/org/larder/MainActivity.kt"),
        *("client/src/entrypoints/admin/shelf.js", "api/src/schedules/sweep.ts", "Larder/LarderApp.swift"),
    )
    assert set(candidates) <= set(ranked_paths({}, *candidates, "api/openapi.yml"))


def test_file_next_to_processes_is_a_process() -> None:
    beside = ["server/services/web.ts", "server/services/worker.ts", "server/services/together.ts"]
    assert set(beside) <= set(ranked_paths({}, *beside, "server/services/index.ts"))
    alone = ranked_paths({}, "server/services/web.ts", *(f"server/services/jar{n}.ts" for n in range(6)))
    assert "server/services/jar1.ts" not in alone


def test_core_modules_are_large_and_not_helpers_data_or_generated() -> None:
    files = facts(["src/main.c"], entries=(Entry("main", "main", 3),))
    files |= facts(["src/http/larder_request.c", "src/parser.c", "src/http/utils.c"], lines=2_000, symbols=60)
    files |= facts(["src/http/names.c"], lines=4_000, symbols=2) | facts(["src/parser.y"], lines=300)
    files |= facts(["lib/easy.c"], lines=90)
    found = ranked_paths(files, "include/larder/easy.h")
    assert {"src/main.c", "src/http/larder_request.c", "lib/easy.c", "src/parser.y"} <= set(found)
    assert not {"src/http/utils.c", "src/http/names.c"} & set(found)


def test_started_server_leads_to_what_it_boots() -> None:
    texts = {
        "package.json": '{"name": "larder", "scripts": {"start": "node index.js"}}',
        "index.js": "const run = require('./core/cli/command');\nrequire('./core/boot')();\n",
        "core/cli/command.js": "module.exports = () => {};\n",
        "core/boot.js": "module.exports = () => {};\n",
        "core/jars.js": "module.exports = () => {};\n",
    }
    found = ranked_paths({path: read_file(path, text) for path, text in texts.items()})
    assert found[0] == "index.js"
    assert {"core/boot.js", "core/cli/command.js"} <= set(found)
    assert "core/jars.js" not in found


def test_php_class_that_sets_a_name_is_not_a_command() -> None:
    named = (Entry("cli", "jars", 4),)
    files = facts(["plugins/Jars/Jars.php", "plugins/Jars/Commands/Fill.php", "console"], entries=named)
    found = ranked_paths(files, "index.php")
    assert "plugins/Jars/Commands/Fill.php" in found
    assert "plugins/Jars/Jars.php" not in found


def test_type_and_tool_packages_rank_last() -> None:
    names = ("editor", "types", "eslint-config")
    files = {
        f"packages/{one}/package.json": read_file(
            f"packages/{one}/package.json", f'{{"name": "@larder/{one}", "main": "src/index.ts"}}'
        )
        for one in names
    }
    files |= facts(f"packages/{one}/src/index.ts" for one in names)
    imports = tuple(Import(f"@larder/{one}", 1) for one in names)
    files["web/app.ts"] = FileFacts("typescript", 30, imports=imports)
    found = ranked_paths(files)
    assert found.index("packages/editor/src/index.ts") < found.index("packages/types/src/index.ts")
    assert found.index("packages/editor/src/index.ts") < found.index("packages/eslint-config/src/index.ts")


def test_large_groups_are_demoted_but_strong_entry_points_stay() -> None:
    candidates = EntryCandidates({"": 1.0})
    for number in range(30):
        candidates.add(f"api/area{number:02}.rs", Entry("route", "8 routes", 1), "table", 80)
    for number in range(30):
        candidates.add(f"contrib/s{number:02}.sh", Entry("cli", "s", 1), "script", 30)
    candidates.add("src/jobs.rs", Entry("job", "jobs", 1), "job", 56)
    rows: list[EntryCandidate] = candidates.ranked(40)
    assert [candidate.path for candidate in rows].index("src/jobs.rs") < 15
    assert sum(candidate.group == "table" for candidate in rows) == 30
    assert sum(candidate.group == "script" for candidate in rows) < 8, (
        "low-weight candidates are left out when there are many"
    )


def test_worker_app_and_root_schema_are_found_by_imports() -> None:
    files = facts(["larder/wsgi.py", "larder/jars/model.py"])
    files["larder/queues.py"] = FileFacts("python", 60, imports=(Import("celery", 1, ("Celery",)),))
    parts = tuple(Import(f".{one}.schema", 1) for one in ("apples", "bread", "cheese", "dates"))
    files["larder/gate.py"] = FileFacts("python", 90, imports=parts)
    files["larder/apples/gate.py"] = FileFacts("python", 90, imports=parts[:1])
    found = ranked_paths(files)
    assert {"larder/queues.py", "larder/gate.py"} <= set(found)
    assert "larder/apples/gate.py" not in found


def test_c_library_starts_at_its_header_and_platform_cores() -> None:
    files = facts(
        ["include/jar.h", "include/jar/lid.h", "src/mac/core.c", "src/win/loop.c", "src/lid.c", "src/mac/odd.c"]
    )
    found = ranked_paths(files, name="libjar")
    assert found[0] == "include/jar.h"
    assert {"src/mac/core.c", "src/win/loop.c", "src/lid.c"} <= set(found)
    assert "src/mac/odd.c" not in found


def test_code_generators_rank_after_project_programs() -> None:
    start = (Entry("main", "main", 3),)
    files = facts(["cmd/larder/larder.go", "generate.go", "internal/gen/main.go", "commands/server.go"], entries=start)
    found = ranked_paths(files | facts(["commands/commands.go"]))
    assert found[:2] == ["cmd/larder/larder.go", "commands/server.go"]
    assert found.index("commands/commands.go") < found.index("generate.go")


def test_plugins_rank_after_the_program() -> None:
    folders = ("src/Web", "src/Plugins/Apples", "src/Plugins/Bread")
    files = {f"{folder}/Its.csproj": FileFacts("xml", 9, signs={"name": folder}) for folder in folders}
    routes = tuple(Entry("route", f"GET /{number}", number) for number in range(1, 10))
    files |= facts(
        [f"{folder}/Controllers/{number}Controller.cs" for folder in folders for number in range(3)], 400, routes
    )
    files |= facts(["src/Web/Infrastructure/RouteProvider.cs", "src/Plugins/Apples/PluginStartup.cs"], 300)
    found = ranked_paths(files, "src/Web/Program.cs")
    assert found[0] == "src/Web/Program.cs"
    assert max(map(found.index, (one for one in found if "/Web/" in one))) < found.index(
        "src/Plugins/Apples/Controllers/0Controller.cs"
    )
    assert "src/Plugins/Apples/PluginStartup.cs" not in found


def test_route_tables_applications_and_dispatchers_are_entry_points_by_name() -> None:
    candidates = (
        *("core/src/Jars/routes.php", "core/js/src/shelf/ShelfApplication.tsx", "src/background_jobs.rs"),
        *("core/src/Queue/QueueServiceProvider.php", "core/src/remote/RequestHandlerRegistry.java"),
        *("core/src/ws/GuestConnectListener.java", "lib/larder/winsvc.rb"),
    )
    others = (
        *("app/views/layouts/application.html.erb", "web/utils/routes.ts", "web/store/routes.ts"),
        *("web/settings/Application.tsx", "web/reducers/server.ts", "src/remote/Handler.java"),
    )
    files = facts([*candidates, *others], 40)
    assert {path for path, *_ in role_entries(Codebase("larder", tuple(files), files))} == set(candidates)
    assert set(candidates) <= set(ranked_paths(files))
    short = facts(["core/src/Jars/routes.php", "core/src/Jars/ShelfApplication.tsx"], 14)
    assert [path for path, *_ in role_entries(Codebase("larder", tuple(short), short))] == ["core/src/Jars/routes.php"]


def test_front_controller_pages_and_mobile_layout_are_entry_points() -> None:
    paths = ("web/public/install.php", "apps/mobile/app/_layout.tsx", "web/public/config.php", "web/src/tools.php")
    assert {path for path, *_ in path_entries(paths)} == set(paths[:2])


def test_project_prefixed_scripts_are_entry_points() -> None:
    candidates = ("admin/cli/larder-reload", "small/larder-setup.sh.in")
    others = ("completions/larder-zsh", "small/other-setup.sh", "debian/larder-setup.sh", "tests/larder-check.sh")
    files = {path: FileFacts("shell", 60) for path in (*candidates, *others)}
    assert {path for path, *_ in own_scripts(Codebase("larder", tuple(files), files))} == set(candidates)
    assert set(candidates) <= set(ranked_paths(files))


def test_page_table_is_an_entry_point_and_not_a_file_based_page() -> None:
    many = tuple(Entry("page", f"/{name}", 9) for name in ("jars", "lids", "shelves", "rooms", "keys", "guests"))
    files = facts(["web/src/layout/Layout.tsx"], 90, many) | facts(["web/src/parts/Few.tsx"], 90, many[:5])
    files |= facts(["web/pages/a.tsx", "web/pages/b.tsx"], 90, many[:1])
    names_by_path = {path: entry.name for path, entry, *_ in source_entries(Codebase("larder", tuple(files), files))}
    assert names_by_path.get("web/src/layout/Layout.tsx") == "6 pages"
    assert "web/src/parts/Few.tsx" not in names_by_path
    [pages] = [
        one for one in entry_point_findings(Survey(Codebase("larder", tuple(files), files))) if "pages" in one.tags
    ]
    assert "web/src/layout/Layout.tsx" not in pages.files
    assert "web/pages/a.tsx" in pages.files
