"""C, C++, Go and Rust: servers, background work, unusual mains, command tables, and look-alikes."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.manifests.c_cpp import read_automake, read_cmake, read_meson


def _entries(path: str, source: str) -> list[tuple[str, str]]:
    return [(entry.kind, entry.name) for entry in read_file(path, source).entries]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("int x_main(int argc, char* argv[])", [("main", "x_main")]),
        ("int appMain(int argc, char const* const* argv)", [("main", "appMain")]),
        ("static int x_main(int argc, char** argv)", []),
        ("int x_main(struct state* state)", []),
        ("int remain(int argc, char** argv)", []),
    ],
)
def test_renamed_main_has_main_arguments(head: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("utils/show.cc", f"{head} {{ return 0; }}\n") == expected


def test_main_that_calls_another_main_is_the_only_entry() -> None:
    source = (
        "int real_main(int argc, char **argv) { return 0; }\nint main(int c, char **v) { return real_main(c, v); }\n"
    )
    assert _entries("src/tool.c", source) == [("main", "main")]
    assert _entries("tests/tool.c", source.partition("int main")[0]) == []


def test_objective_c_main() -> None:
    head = "#import <Cocoa/Cocoa.h>\n\nint main(int argc, char** argv) {\n"
    source = head + "  @autoreleasepool { [App run]; }\n  return NSApplicationMain(argc, argv);\n}\n"
    assert _entries("mac/main.mm", source) == [("main", "main")]
    assert _entries("matlab/main.m", "function y = main(x)\n  y = x';\nend\n") == []


_LISTENS = """#include <sys/socket.h>
int start(int fd, struct sockaddr *a) {
    bind(fd, a, 16);
    if (listen(fd, 128) == -1) perror("listen()");
    return accept(fd, 0, 0);
}
"""


def test_c_listening_sockets_are_a_server() -> None:
    assert _entries("server.c", _LISTENS) == [("server", "network listener")]
    assert _entries("pair.c", _LISTENS.replace("return", "connect(fd, a, 16); return")) == []
    assert _entries("words.c", '/* bind(1); listen(1, 2); accept(1); */ char *x = "listen(1)";\n') == []


def test_c_and_cpp_library_servers() -> None:
    assert _entries("rpc.c", "void f(void) { h = evhttp_new(base); l = evconnlistener_new(b); }\n") == [
        ("server", "HTTP server")
    ]
    assert _entries("ws.cc", "void f() { grpc::ServerBuilder builder; }\n") == [("server", "gRPC server")]
    assert _entries("use.cc", "// QTcpServer server;\nvoid f(httplib::Server& s) { s.listen(1); }\n") == []


def test_c_worker_threads_are_jobs() -> None:
    source = "static void *%s(void *a) { %s }\nvoid go(void) { pthread_create(&t, NULL, work, 0); }\n"
    assert _entries("w.c", source % ("work", "while (1) { pthread_cond_wait(&c, &m); run(); }")) == [("job", "work")]
    assert _entries("w.c", source % ("work", "download(a);")) == []
    assert _entries("w.c", source % ("other", "while (1) { sleep(1); }")) == []


def test_c_command_table() -> None:
    names = ["add", "remove", "list", "show", "stop", "start"]
    functions = "".join(f"static int do_it_{name}(void) {{ return 0; }}\n" for name in names)
    rows = ", ".join(f'{{ "{name}", do_it_{name}, 1 }}' for name in names)
    assert _entries("t.c", f"{functions}static struct command commands[] = {{ {rows} }};\n") == [
        ("route", name) for name in names
    ]
    assert _entries("t.c", f"{functions}static struct layout layouts[] = {{ {rows} }};\n") == []
    constants = ", ".join(f'{{ "{name}", {name.upper()} }}' for name in names)
    assert _entries("t.c", f"static struct command commands[] = {{ {constants} }};\n") == []
    keyed = ", ".join(f"{{ KEY_{name}, {{ do_it_{name}, true }} }}" for name in names)
    source = f"{functions}namespace {{ auto const handlers = map<int, F>{{ {{ {keyed} }} }}; }}\n"
    assert _entries("t.cc", source) == [("route", f"KEY_{name}") for name in names]


def _targets(signs: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in signs.items() if key.startswith("target:")}


def test_cmake_programs_resolve_to_sources() -> None:
    content = """project(tool)
add_executable(${PROJECT_NAME} WIN32
    src/main.c src/other.c)
foreach(P show edit)
    add_executable(${NAME}-${P})
    target_sources(${NAME}-${P} PRIVATE ${P}.cc)
endforeach()
add_executable(unit-test test.c)
add_executable(many a.c b.c)
add_executable(Other::tool IMPORTED)
"""
    assert _targets(read_cmake("CMakeLists.txt", content).signs) == {
        "target:tool": "src/main.c",
        "target:show": "./show.cc",
        "target:edit": "./edit.cc",
    }


def test_meson_and_automake_programs() -> None:
    meson = "executable('hello', 'hello.c', 'util.c',\n  dependencies: [dep], install: true)\nexecutable('x', files)\n"
    assert _targets(read_meson("meson.build", meson).signs) == {"target:hello": "./hello.c"}
    automake = "bin_PROGRAMS = a b-c\nnoinst_PROGRAMS = none\nb_c_SOURCES = main.c \\\n  more.c\n"
    assert _targets(read_automake("Makefile.am", automake).signs) == {"target:a": "./a.c", "target:b-c": "./main.c"}


_POOL = """package work
func Start(n int) {
    for i := 0; i < n; i++ { go worker(queue) }
    %s
}
func worker(queue chan Job) { for job := range queue { job.Do() } }
"""


def test_go_worker_pool() -> None:
    assert _entries("work/pool.go", _POOL % "") == [("job", "Start")]
    assert _entries("work/pool.go", _POOL % "wg.Wait()") == [("job", "worker")]
    assert _entries("work/pool_test.go", _POOL % "") == []
    assert _entries("a.go", "package a\nfunc all(xs []X) { for _, x := range xs { go x.Load() } }\n") == []


def test_go_service_tickers_are_jobs() -> None:
    source = "package a\nfunc Run() { go cleanup(1) }\nfunc cleanup(d int) { for range time.Tick(%s) { prune() } }\n"
    assert _entries("a.go", source % "d") == [("job", "cleanup")]
    assert _entries("a.go", source % "pingPeriod") == []
    assert _entries("a.go", source % "200 * time.Millisecond") == []
    assert _entries("a.go", (source % "d").replace("cleanup", "other")) == []


def test_more_go_servers_and_consumers() -> None:
    body = 'package a\nimport "%s"\nfunc f() { %s }\n'
    assert _entries("a.go", body % ("github.com/gorilla/websocket", "upgrader.Upgrade(w, r, nil)")) == [
        ("server", "WebSocket server")
    ]
    assert _entries("a.go", body % ("example.org/other", "upgrader.Upgrade(w, r, nil)")) == []
    assert _entries("a.go", body % ("github.com/mark3labs/mcp-go/server", 'server.NewMCPServer("a", "1")')) == [
        ("server", "MCP server")
    ]
    assert _entries("a.go", body % ("x/y", 'app.Cron().MustAdd("id", "0 */6 * * *", f)')) == [
        ("job", "cron 0 */6 * * *")
    ]
    assert _entries("a.go", body % ("x/y", 'set.Add("a b c d e", f)')) == []
    assert _entries("a.go", body % ("x/pb", "pb.RegisterUsersServer(s, users)")) == [("route", "gRPC Users")]


def test_go_handler_tables_and_interface_assertions() -> None:
    rows = ", ".join(f'"{name}": {name}' for name in "abcdef")
    table = "package a\nvar %s = map[string]func(int) error{" + rows + "}\n"
    assert _entries("a.go", table % "handlers") == [("route", name) for name in "abcdef"]
    assert _entries("a.go", table % "formats") == []
    assert _entries("a.go", "package a\nvar _ gen.ServerInterface = &Server{}\n") == [
        ("route", "OpenAPI ServerInterface")
    ]
    assert _entries("cmd/main.go", "package cmd\nfunc Main() { run() }\n") == [("main", "Main")]


def test_tokio_loops_are_jobs() -> None:
    source = "async fn sync_loop(s: S) { let mut t = time::interval(%s); loop { t.tick().await; sync().await; } }\n"
    assert _entries("src/sync.rs", source % "Duration::from_secs(s.frequency)") == [("job", "sync_loop")]
    assert _entries("src/sync.rs", source % "Duration::from_secs(5)") == []
    assert _entries("src/sync.rs", source % "HEARTBEAT") == []
    assert _entries("src/sync.rs", f"#[cfg(test)]\nmod tests {{ {source % 'd'} }}\n") == []


def test_named_long_running_threads_are_jobs() -> None:
    source = 'fn f() { thread::Builder::new().name("cleaner".into()).spawn(move || %s).unwrap(); }\n'
    assert _entries("src/a.rs", source % "loop { clean(); }") == [("job", "cleaner")]
    assert _entries("src/a.rs", source % "clean()") == []


def test_more_rust_servers() -> None:
    mcp = "use rmcp::{%s, ServiceExt};\nasync fn f() { H {}.serve(%s).await; }\n"
    assert _entries("src/mcp.rs", mcp % ("ServerHandler", "stdio()")) == [("server", "MCP server")]
    assert _entries("src/mcp.rs", mcp % ("ClientHandler", "child")) == []
    listens = "async fn f() { let l = tokio::net::TcpListener::bind(a).await; %s }\n"
    assert _entries("src/a.rs", listens % "l.accept().await;") == [("server", "network listener")]
    assert _entries("src/a.rs", listens % "l.local_addr();") == []
    assert _entries("src/a.rs", f"#[cfg(test)]\nmod tests {{ {listens % 'l.accept().await;'} }}\n") == []


def test_rust_mains_in_unusual_places() -> None:
    assert _entries("crates/core/main.rs", "fn main() {}\n") == [("main", "main")]
    assert _entries("tools/sync.rs", "#[tokio::main]\nasync fn main() {}\n") == [("main", "main")]
    assert _entries("examples/sync.rs", "#[tokio::main]\nasync fn main() {}\n") == []
    assert _entries("tools/sync.rs", "fn main() {}\n") == []
    tauri = "#[cfg_attr(mobile, tauri::mobile_entry_point)]\n"
    tauri += "pub fn run() { b.invoke_handler(tauri::generate_handler![a::open, close]); }\n"
    assert _entries("src/lib.rs", tauri) == [("main", "run"), ("route", "open"), ("route", "close")]


def test_routes_registered_by_own_functions_differ_from_requests() -> None:
    source = (
        'package jars\nimport "net/http"\nfunc (j *Jars) register() {\n'
        '\tregisterHTTP(http.MethodGet, "/control/jars", j.list)\n'
        '\tj.web.Register(http.MethodPost, "/control/fill", j.fill)\n'
        '\thttp.NewRequest(http.MethodGet, "/control/else", nil)\n}\n'
    )
    assert _entries("internal/jars/http.go", source) == [
        ("route", "GET /control/jars"),
        ("route", "POST /control/fill"),
    ]


def test_leading_blank_lines_keep_positions() -> None:
    source = "int up(void) { int s = socket(); bind(s, a, n); listen(s, 5); return accept(s, 0, 0); }\n"
    assert _entries("src/up.c", source) == _entries("src/up.c", f"\n\n\n\n{source}") == [("server", "network listener")]


def test_rust_grpc_methods_are_routes() -> None:
    answer = "Result<Response<Self::Out>, Status>"
    source = "use tonic::{Response, Status};\n#[tonic::async_trait]\nimpl api::Jars for Api {\n%s}\n"
    methods = "".join(f"    async fn {name}(&self, r: R) -> {answer} {{ todo!() }}\n" for name in ("open", "close"))
    assert _entries("src/api.rs", source % methods) == [("route", "gRPC open"), ("route", "gRPC close")]
    # Other traits are async too, and tests define their own services.
    assert _entries("src/api.rs", source % methods.replace(answer, "Result<Jar, Error>")) == []
    assert _entries("tests/api.rs", source % methods) == []
    assert _entries("src/api.rs", f"mod tests {{ {source % methods} }}\n") == []


def test_channel_loop_is_a_job_in_a_job_file() -> None:
    source = "pub fn run(bus: Bus<Job>) { %s { let job = bus.recv()?; job.run(); } }\n"
    assert _entries("src/background_jobs.rs", source % "loop") == [("job", "run")]
    assert _entries("src/background_jobs.rs", source % "if is_open") == []
    assert _entries("src/screen.rs", source % "loop") == []


def test_rust_windows_service_is_a_server() -> None:
    source = "use windows_service::service_dispatcher;\nfn run() { service_dispatcher::%s; }\n"
    assert _entries("src/win.rs", source % "start(NAME, main)") == [("server", "Windows service")]
    assert _entries("src/win.rs", "fn run() { service_dispatcher::start(NAME, main); }\n") == []


def test_go_route_rows_of_a_local_function() -> None:
    rows = "".join(f'\th(r, "{name}", api.{name.title()})\n' for name in ("add", "drop", "list", "show", "stop", "up"))
    source = 'package a\nimport "net/http"\nfunc (api *Api) routes() {\n' + rows + "}\n%s"
    helper = "func h(r chi.Router, path string, f handler) { r.HandleFunc(path, f) }\n"
    assert [name for kind, name in _entries("a.go", source % helper)] == [
        "/add",
        "/drop",
        "/list",
        "/show",
        "/stop",
        "/up",
    ]
    other = source.replace("h(r, ", "set(values, ") % "func set(v url.Values, key string, f Field) {}\n"
    assert _entries("a.go", other) == []
