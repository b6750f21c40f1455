"""Python and JavaScript: servers, jobs, programs, handler tables, and look-alikes."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.file_reader import read_file


def _entries(path: str, source: str) -> list[tuple[str, str]]:
    return [(entry.kind, entry.name) for entry in read_file(path, source).entries]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import asyncio\nasync def up(self):\n    return await asyncio.start_server(self.on_client, port=1)\n",
            [("server", "TCP server")],
        ),
        ("import socketserver\nwith socketserver.TCPServer(at, Handler) as s:\n    pass\n", [("server", "TCP server")]),
        (
            "from http.server import BaseHTTPRequestHandler\nclass Api(BaseHTTPRequestHandler): ...\n",
            [("server", "Api")],
        ),
        ("import socket\ns = socket.socket()\ns.bind(at)\ns.listen(5)\n", [("server", "socket server")]),
        ("import pyfuse3\nclass Jars(pyfuse3.Operations): ...\n", [("server", "Jars")]),
        ("from bank import Operations\nclass Jars(Operations): ...\n", []),
        # A socket that is bound but never listens only looks for a free port.
        ("import socket\ns = socket.socket()\ns.bind(('', 0))\nport = s.getsockname()\n", []),
        (
            "import websockets\nasync def up():\n    async with websockets.serve(f, '', 1): ...\n",
            [("server", "WebSocket server")],
        ),
        ("from websockets import connect\nasync def up():\n    await connect('ws://x')\n", []),
        ("import asyncio\nasync def get():\n    await asyncio.open_connection('x', 1)\n", []),
        (
            "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('shop')\n@mcp.tool()\ndef buy(): ...\n",
            [("server", "MCP server"), ("route", "tool buy")],
        ),
        (
            "from channels.generic.websocket import AsyncWebsocketConsumer\nclass Live(AsyncWebsocketConsumer): ...\n",
            [("route", "WS Live")],
        ),
        (
            "import tornado.web\nhandlers = [\n"
            + "".join(f'    (r"/{word}", {word.title()}),\n' for word in ("a", "b", "c", "d"))
            + "]\nclass App(tornado.web.Application): ...\n",
            [("server", "tornado app"), ("route", "/a"), ("route", "/b"), ("route", "/c"), ("route", "/d")],
        ),
    ],
)
def test_python_servers(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("shop/net.py", source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from celery import Celery\napp = Celery('shop')\n", [("job", "Celery app")]),
        ("CELERY_BEAT_SCHEDULE = {'clean': {'task': 'x', 'schedule': 1}}\n", [("job", "clean")]),
        ("import schedule\nschedule.every().day.at('10:30').do(report)\n", [("job", "report")]),
        ("jobs = [{'func': clean, 'interval': 30}, {'func': clean}]\n", [("job", "clean")]),
        (
            "import threading\nclass Sweeper(threading.Thread):\n    def run(self):\n"
            "        while not self.stop.is_set():\n            self.stop.wait(60)\n",
            [("job", "Sweeper")],
        ),
        # A thread for one download ends on its own.
        ("import threading\nclass Download(threading.Thread):\n    def run(self):\n        fetch(self.url)\n", []),
        (
            "import asyncio\nasync def sweep():\n    while True:\n        await asyncio.sleep(60)\n"
            "def up():\n    asyncio.create_task(sweep())\n",
            [("job", "sweep")],
        ),
        # A per-connection task loops only until the connection is closed.
        (
            "import asyncio\nasync def send_pings(c):\n    while True:\n        await asyncio.sleep(60)\n"
            "def up(c):\n    asyncio.create_task(send_pings(c))\n",
            [],
        ),
    ],
)
def test_python_jobs(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("shop/work.py", source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("default_commands = [list_cmd, move_cmd, Help(), write_cmd]\n", [("cli", "default_commands")]),
        ("shell_commands = ['ls', 'mv', 'cp', 'rm']\n", []),
        ("HANDLERS = {'a': on_a, 'b': on_b, 'c': on_c, 'd': on_d}\n", [("route", word) for word in "abcd"]),
        ("handlers = {'a': 1, 'b': 2, 'c': 3, 'd': 4}\n", []),
        ("import optparse\nparser = OwnOptionParser()\n", [("cli", "app")]),
        ("import click\ncli.add_command(users, 'users')\ncli.add_command(orgs)\n", [("cli", "users"), ("cli", "orgs")]),
        ("def handler(event, context): ...\n", [("main", "handler")]),
        ("def handler(request): ...\n", []),
        ("import signal\ndef up():\n    signal.signal(signal.SIGTERM, down)\n", [("main", "main")]),
        ("import signal\ndef up():\n    signal.signal(signal.SIGINT, down)\n", []),
    ],
)
def test_python_tables_and_unusual_mains(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("shop/app.py", source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import net from 'node:net'\nnet.createServer(f).listen(1)\n", [("server", "TCP server")]),
        ("import net from 'node:net'\nnet.createConnection(1)\n", []),
        (
            "import { WebSocketServer } from 'ws'\nconst wss = new WebSocketServer(a)\nwss.on('connection', f)\n",
            [("server", "WebSocket server"), ("route", "WS connection")],
        ),
        ("import WebSocket from 'ws'\nconst ws = new WebSocket(url)\nws.on('open', f)\n", []),
        (
            "export const connect = (socket) => {\n"
            + "".join(f"  socket.on('{word}', f)\n" for word in ("join", "say", "leave", "disconnect"))
            + "}\n",
            [("route", "WS join"), ("route", "WS say"), ("route", "WS leave")],
        ),
        # A browser has a single client socket.
        (
            "const socket = connect()\n" + "".join(f"socket.on('{word}', f)\n" for word in ("join", "say", "leave")),
            [],
        ),
        (
            "async function take(socket, m) {\n  switch (m.type) {\n"
            + "".join(f"    case '{word}': await on{word}(socket, m); break\n" for word in ("A", "B", "C"))
            + "  }\n  require('x')\n}\n",
            [("route", "WS A"), ("route", "WS B"), ("route", "WS C")],
        ),
        (
            "const express = require('express')\nconst app = express()\napp.use(a)\napp.use(b)\n",
            [("server", "Express app")],
        ),
    ],
)
def test_javascript_servers(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("src/net.js", source) == expected


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("src/mail.ts", "import { Worker } from 'bullmq'\nnew Worker(MAIL_QUEUE, send)\n", [("job", "MAIL_QUEUE")]),
        (
            "src/a.ts",
            "import { parentPort } from 'node:worker_threads'\nparentPort!.on('message', f)\n",
            [("job", "worker a")],
        ),
        (
            "src/pool/parse.js",
            "const workerpool = require('workerpool')\nworkerpool.worker({ parse })\n",
            [("job", "worker parse")],
        ),
        ("src/pool/use.js", "const workerpool = require('workerpool')\nworkerpool.pool('./parse.js')\n", []),
        ("src/sw.js", "self.addEventListener('install', f)\n", [("job", "service worker")]),
        ("src/services/cron.ts", "export const up = () => setInterval(run, HOUR)\n", [("job", "interval in cron")]),
        ("src/clock.ts", "setInterval(draw, 1000)\n", []),
        ("src/keep.ts", "scheduleOwnJob('retention', rule, clean)\n", [("job", "retention")]),
    ],
)
def test_javascript_jobs(path: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries(path, source) == expected


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("bin/plugins.ts", "const args = process.argv.slice(2)\n", [("cli", "plugins")]),
        ("webpack.config.js", "const isDev = process.argv.includes('--dev')\n", []),
        ("src/run.js", "if (require.main === module) up()\n", [("main", "main")]),
        ("src/run.js", "process.on('SIGTERM', down)\n", [("main", "main")]),
        ("src/run.js", "function up() { process.on('SIGTERM', down) }\n", []),
        ("src/cli.ts", "import { Command } from 'commander'\nnew Command().name('shop').parse()\n", [("cli", "shop")]),
        ("web/app.vue", "<script setup>\nuseTheme()\n</script>\n", [("page", "browser app")]),
        ("web/src/components/app.vue", "<script setup>\nuseTheme()\n</script>\n", []),
        ("web/src/app/layout.tsx", "export default function Root() { return null }\n", [("page", "browser app")]),
        ("web/src/app/shop/layout.tsx", "export default function Shop() { return null }\n", []),
        (
            "web/main.js",
            "import './a'\nimport './b'\nimport './c'\ndocument.addEventListener('DOMContentLoaded', main)\n",
            [("page", "browser app")],
        ),
        ("web/menu.js", "document.addEventListener('DOMContentLoaded', main)\n", []),
    ],
)
def test_javascript_programs(path: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries(path, source) == expected


def test_javascript_handler_tables() -> None:
    four = "abcd"
    assert _entries("src/a.ts", "".join(f"app.method('{key}', {key})\n" for key in four)) == [
        ("route", key) for key in four
    ]
    assert _entries("src/a.ts", "".join(f"handlers['{key}'] = async () => 1\n" for key in four)) == [
        ("route", key) for key in four
    ]
    assert _entries("src/a.ts", "const handlers = { a, b: 1, c: 2, d: 3, e: 4 }\n") == []
    assert _entries("src/Form.tsx", "const handlers = { a: f, b: f, c: f, d: f, e: f }\n") == []
    module = (
        "import { Module } from '@nestjs/common'\nconst given = { controllers: [A, ...(isWorker ? [] : [B, C, D])] }\n"
        "@Module(given)\nexport class All {}\n"
    )
    assert _entries("src/all.module.ts", module) == [("route", key) for key in "ABCD"]
    assert _entries("src/one.module.ts", module.replace("B, C, D", "B")) == []
    mounts = "".join(f"app.use('/{key}', {key}Router)\n" for key in "abc")
    assert _entries("src/app.js", mounts) == [("route", "/a"), ("route", "/b"), ("route", "/c")]
    assert _entries("src/app.js", mounts.replace("Router", "Middleware")) == []


def test_meteor_methods_and_scheduled_jobs() -> None:
    source = (
        "import { Meteor } from 'meteor/meteor';\nimport { WebApp } from 'meteor/webapp';\n"
        "Meteor.methods({ openJar() {}, closeJar: () => {} });\nMeteor.publish('jars', () => Jars.find());\n"
        "WebApp.handlers.get('/api/jars', async (req, res) => {});\nconst known = handlers.get('/x');\n"
        "SyncedCron.add({ name: 'sweep', job: () => {} });\n"
    )
    found = set(_entries("server/jars.js", source))
    assert found == {
        ("route", "openJar"),
        ("route", "closeJar"),
        ("route", "jars"),
        ("route", "GET /api/jars"),
        ("job", "sweep"),
    }


def test_commands_registered_for_a_module() -> None:
    line = 'RS.registerCommand(module, "{0}", new Packages.org.larder.{0}());\n'
    source = "function init() {\n" + "".join(map(line.format, ("open", "close", "fill", "empty"))) + "}\n"
    assert ("route", "fill") in _entries("module/controller.js", source)
    assert _entries("module/one.js", line.format("open")) == []


def test_script_that_reads_arguments_is_a_command() -> None:
    source = "#! /usr/bin/env python3\nimport sys\nprint(len(sys.argv))\n"
    assert _entries("jars.py", source) == [("cli", "jars")]
    assert _entries("jars.py", source.partition("\n")[2]) == []


def test_browser_router_paths_are_pages_if_there_are_many() -> None:
    six = ("a", "b", "c", "d", "e", "f")
    expected = [("page", f"/{name}") for name in six]
    tags = "".join(f'<Route path="/{name}" element={{<{name.upper()} />}} />' for name in six)
    assert _entries("ui/App.tsx", f"export const App = () => <Routes>{tags}</Routes>\n") == expected
    assert (
        _entries("ui/App.tsx", "export const App = () => <Routes>" + tags.partition("/><")[0] + "/></Routes>\n") == []
    )
    rows = ", ".join(f"{{ path: '{name}', component: {name.upper()} }}" for name in six)
    assert _entries("ui/table.ts", f"export const all = [{rows}]\n") == expected
    assert _entries("ui/table.test.ts", f"export const all = [{rows}]\n") == []
    assert _entries("ui/files.ts", f"export const all = [{rows.replace('component', 'size')}]\n") == []


def test_registered_mobile_app_is_a_program() -> None:
    source = "import { registerRootComponent } from 'expo'\nregisterRootComponent(App)\n"
    assert _entries("index.js", source) == [("main", "mobile app")]
    assert _entries("index.js", source.partition("\n")[0]) == []
    layout = "import { Stack } from 'expo-router'\nexport default () => <Stack />\n"
    assert _entries("mobile/app/_layout.tsx", layout) == [("main", "mobile app")]
    assert _entries("mobile/app/jars/_layout.tsx", layout) == []


def test_desktop_messages_are_a_table_if_there_are_many() -> None:
    rows = [f"ipcRenderer.on('main:{name}', f)\n" for name in "abcdefgh"]
    assert _entries("src/events.js", "".join(rows)) == [("route", f"main:{name}") for name in "abcdefgh"]
    assert _entries("src/TitleBar.js", "".join(rows[:4])) == []


def test_allowlisted_methods_are_routes() -> None:
    names = ("open", "close", "fill", "empty", "list", "show")
    source = f"class Server:\n    rpc_methods = {names!r}\n    def serve(self, m):\n        return getattr(self, m)()\n"
    assert _entries("jars.py", source) == [("route", name) for name in names]
    assert _entries("jars.py", source.replace("getattr(self, m)", "call")) == []
    assert _entries("jars.py", source.replace("rpc_methods", "colours")) == []
