"""Java, C#, PHP and Ruby: servers, background work, route tables, and look-alikes."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.parsing import csharp, java, php, ruby, syntax
from loremark.memory.codebase.parsing.collector import Collector
from tests.growth import Work, assert_subquadratic

_READERS = {"java": java.read, "csharp": csharp.read, "php": php.read, "ruby": ruby.read}


def _entries(language: str, path: str, source: str) -> list[tuple[str, str]]:
    into = Collector(path)
    _READERS[language](syntax.parse(language, source.encode()).root_node, into)
    return [(entry.kind, entry.name) for entry in into.entries]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "import io.netty.bootstrap.ServerBootstrap;\n"
            "class Gate { void open() { ServerBootstrap b = new ServerBootstrap(); b.bind(1); } }",
            [("server", "Netty server")],
        ),
        (
            "import io.netty.bootstrap.Bootstrap;\n"
            "class Caller { Object b = new Bootstrap(); /* new ServerBootstrap() */ }",
            [],
        ),
        (
            "import java.net.*;\nclass Ear { void run() { var s = new ServerSocket(7); s.accept(); } }",
            [("server", "TCP server")],
        ),
        ("import java.net.*;\nclass Ports { int free() { return new ServerSocket(0).getLocalPort(); } }", []),
        ("class Desk extends OrdersGrpc.OrdersImplBase { }", [("route", "gRPC Orders")]),
        (
            "import org.springframework.web.reactive.function.server.RouterFunction;\n"
            'class Posts { RouterFunction<R> all() { return route().GET("posts/{id}", this::one).build(); } }',
            [("route", "GET /posts/{id}")],
        ),
        ('class Caller { void call() { client.GET("posts"); } }', []),
        ("class Chat extends TextWebSocketHandler { }", [("route", "WS Chat")]),
        ("import okhttp3.WebSocket;\nclass Chat implements WebSocketHandler { }", []),
        (
            "class Desk { Map<String, RequestHandler<?>> all = new HashMap<>();"
            " void add(RequestHandler<?> h) { all.put(h.name(), h); } }",
            [("route", "Desk")],
        ),
        ("class Desk { void go() { Map<String, RequestHandler> all = new HashMap<>(); all.put(n, h); } }", []),
        (
            'import io.dropwizard.core.cli.Command;\nclass Keys extends Command { Keys() { super("keys", "Makes"); } }',
            [("cli", "keys")],
        ),
        ('class Undo extends Command { Undo() { super("undo"); } }', []),
        (
            "import io.dropwizard.core.cli.ServerCommand;\nclass Pump extends ServerCommand<Conf> {"
            " void run() { environment.lifecycle().manage(pump); } }",
            [("job", "Pump")],
        ),
        ('@ServerEndpoint("/chat") class Chat { }', [("route", "WS /chat")]),
    ],
)
def test_java_servers_and_functional_routes(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("java", "src/A.java", source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import org.quartz.Job;\nclass Mails implements Job { }", [("job", "Mails")]),
        ("class Mails implements Job { }", []),
        (
            "import java.util.concurrent.*;\nclass Scanner { @PostConstruct void go() {"
            " pool.scheduleWithFixedDelay(this::scan, 1, 1, SECONDS); } }",
            [("job", "Scanner")],
        ),
        (
            "import java.util.concurrent.*;\nclass Link { void connected() {"
            " pool.scheduleWithFixedDelay(this::ping, 1, 1, SECONDS); } }",
            [],
        ),
        (
            "import java.util.concurrent.*;\nclass KeyCache { void init() { pool.scheduleAtFixedRate(r, 1, 1, S); } }",
            [],
        ),
        (
            "abstract class Dumps { void go() { Tasks.scheduleDump(a, 1, 9, TimeUnit.SECONDS);"
            " Tasks.scheduleClean(b, 1, 9, TimeUnit.SECONDS); } }",
            [("job", "Dumps")],
        ),
        (
            "class Sender { void go() { Tasks.scheduleRetry(a, 9, TimeUnit.SECONDS);"
            " Tasks.scheduleRetry(b, 9, TimeUnit.SECONDS); } }",
            [],
        ),
        (
            "class Ring { void start() { t = new Thread(new Runnable() {"
            " public void run() { while (!stopped) { tick(); } } }); } }",
            [("job", "Ring")],
        ),
        ("class Loader { void load() { new Thread(() -> { while (in.hasNext()) { in.next(); } }).start(); } }", []),
        (
            "class Boot implements InitializingBean { public void afterPropertiesSet() { monitor.start(); } }",
            [("job", "Boot")],
        ),
        (
            "class Check implements InitializingBean { public void afterPropertiesSet() {"
            ' url.startsWith("/"); watch.start(); } }',
            [],
        ),
        ('@RabbitListener(queues = "orders") class Receiver { }', [("job", "Receiver")]),
    ],
)
def test_java_background_work(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("java", "src/A.java", source) == expected


def test_java_controller_dispatching_by_name() -> None:
    source = """@Controller class Api {
        @PostMapping("/api/{what}") Object call(String what) {
            switch (what) { case "add": { return a(); }
            case "drop": return b(); case "list": return c(); default: return d(); }
        }
        @GetMapping("/size/{unit}") Object size(String unit) {
            switch (unit) { case "kb": return 1; default: return 2; } }
    }"""
    assert _entries("java", "src/Api.java", source) == [
        ("route", "POST /api/{what}"),
        ("route", "POST /api/add"),
        ("route", "POST /api/drop"),
        ("route", "POST /api/list"),
        ("route", "GET /size/{unit}"),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A { void Go() { var l = new TcpListener(ip, 7); l.AcceptTcpClient(); } }", [("server", "TCP server")]),
        ("class A { TcpListener kept; int Port() => Port(new TcpListener(ip, 0)); }", []),
        ('\ufeff\n\nclass A { void M() { api.MapPut("/cancel", Cancel); } }', [("route", "PUT /cancel")]),
        ("class Slugs : DynamicRouteValueTransformer { }", [("route", "Slugs")]),
        ("using Microsoft.AspNetCore.SignalR;\nclass Chat : Hub<IChat> { }", [("route", "HUB Chat")]),
        ("class Chat : Hub { }", []),
        ("class Desk(IStore store) : Basket.BasketBase { }", [("route", "gRPC Basket")]),
        ("class Cleaner : OwnHostedService { }", [("job", "Cleaner")]),
        (
            "class R { void M() { e.MapControllerRoute(name: N.Login,"
            ' pattern: $"{lang}/login/{{id?}}", new { action = "No" }); } }',
            [("route", "/{lang}/login/{id?}")],
        ),
        ('class R { void M() { e.MapControllerRoute("login", Pattern, new { action = "No" }); } }', []),
        (
            "using Microsoft.Azure.Functions.Worker;\nclass F {"
            ' [Function("Nightly")] public void Run([TimerTrigger("0 0 3 * * *")] TimerInfo t) { }'
            ' [Function("Ask")] public void Ask('
            '[HttpTrigger(Level.Anonymous, "get", Route = "ask/{id}")] Request r) { } }',
            [("job", "Nightly"), ("route", "GET /api/ask/{id}")],
        ),
        ("class TaskThread { void Init() { _t = new Timer(Run, null, 0, 5); } }", [("job", "TaskThread")]),
        (
            "class Parts { void Add() { s.AddHostedService<Mails>(); s.AddSingleton<IHostedService, Rates>(); } }",
            [("job", "Parts")],
        ),
        ("class Parts { void Add() { s.AddHostedService<Mails>(); t.AddHostedService<Mails>(); } }", []),
        ("class Player { void Init() { _t = new Timer(Blink, null, 0, 5); } }", []),
        ("class Reader { void Go() { c = new AsyncEventingBasicConsumer(ch); } }", [("job", "Reader")]),
        ("class Bus { Processor CreateProcessor(string q) => _client.CreateProcessor(q); }", []),
    ],
)
def test_csharp_services(source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("csharp", "src/A.cs", source) == expected


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("rpc.php", "<?php require 'app/common.php'; echo $c['api']->execute();", [("server", "rpc.php")]),
        ("app/helpers.php", "<?php require 'x.php'; function f($a) { return $a->execute(); }", []),
        ("config/app.php", "<?php require 'x.php'; $loader->run();", []),
        ("cron.php", "<?php require 'app/common.php'; clean();", [("job", "cron.php")]),
        (
            "src/Api.php",
            "<?php use JsonRPC\\Server; class Api { function go() {"
            "$s->withObject(new Tasks($c))->withCallback('ping', $f); } }",
            [("route", "RPC Tasks"), ("route", "RPC ping")],
        ),
        ("src/Api.php", "<?php class Api { function go() { $s->withObject(new Tasks($c)); } }", []),
        (
            "src/Routes.php",
            "<?php class Routes { function go() { $r->addRoute('GET', '/a', 'h');"
            " $r->addRoute('b/:id', 'BController', 'show'); } }",
            [("route", "GET /a"), ("route", "/b/:id")],
        ),
        (
            "src/JobProvider.php",
            "<?php class JobProvider { function go() { "
            + " ".join(f"$c['{k}'] = new {k}Job($c);" for k in "ABCDE")
            + " } }",
            [("job", "JobProvider")],
        ),
        (
            "src/Queue.php",
            "<?php class Queue { function go() { " + " ".join(f"$c['{k}'] = new {k}Job($c);" for k in "ABCDE") + " } }",
            [],
        ),
        (
            "src/Work.php",
            "<?php class Work extends Command { function configure() { $this->setName('queue:worker'); } }",
            [("cli", "queue:worker"), ("job", "queue:worker")],
        ),
        (
            "src/Ws.php",
            "<?php class Ws { function go() { $s = new Swoole\\WebSocket\\Server('0.0.0.0', 1); } }",
            [("server", "WebSocket server")],
        ),
        ("public/tools.php", "<?php require 'a.php'; if ($_POST['x']) { clean(); }", [("server", "public/tools.php")]),
        ("src/tools.php", "<?php require 'a.php'; if ($_POST['x']) { clean(); }", []),
        ("server.php", "<?php if (is_file($_SERVER['REQUEST_URI'])) { return false; } require 'public/index.php';", []),
        (
            "src/routes.php",
            "<?php return function (RouteCollection $map) { $map->get('/a', 'a', $h); $cache->get('/b', 1); };",
            [("route", "GET /a")],
        ),
        (
            "src/QueueProvider.php",
            "<?php use Illuminate\\Queue\\Worker; class QueueProvider { function go() { return new Worker($q); } }",
            [("job", "QueueProvider")],
        ),
        ("src/QueueProvider.php", "<?php class QueueProvider { function go() { return new Worker($q); } }", []),
        ("src/Ws.php", "<?php class Ws { function go() { return new Server('db'); } }", []),
    ],
)
def test_php_services(path: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("php", path, source) == expected


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("bin/jobs_all", "r = My::Runner.new\nr.run\n", [("job", "jobs_all")]),
        ("lib/use.rb", "r = My::Runner.new\nr.run\n", []),
        ("script/delayed_job", "Delayed::Command.new(ARGV).daemonize\n", [("job", "delayed_job")]),
        (
            "lib/clock.rb",
            "require 'rufus-scheduler'\nclass Clock\n def go\n"
            "  @scheduler.cron '0 5 * * *' do\n   a\n  end\n end\nend\n",
            [("job", "cron 0 5 * * *")],
        ),
        ("lib/clock.rb", "class Clock\n def go\n  @scheduler.every 5 do\n   a\n  end\n end\nend\n", []),
        (
            "clock.rb",
            "module Clockwork\n every(1.hour, 'mails.send') { Mails.go }\nend\n",
            [("job", "mails.send")],
        ),
        (
            "lib/pump.rb",
            "class Pump\n def start\n  Thread.new do\n   loop do\n    a\n   end\n  end\n end\nend\n",
            [("job", "Pump")],
        ),
        ("lib/pump.rb", "class Pump\n def start\n  Thread.new { fetch_one }\n end\nend\n", []),
        ("lib/s.rb", "class S\n def go\n  TCPServer.new(80) # UNIXServer.new\n end\nend\n", [("server", "TCP server")]),
        ("lib/s.rb", "class S\n def go\n  TCPSocket.new(h, 80)\n end\nend\n", []),
        (
            "lib/s.rb",
            "http('x') do |serv|\n serv.get('/api/x') { |req| a(req) }\nend\nrpc.mount_proc('/stop') { |a, b| c }\n",
            [("route", "GET /api/x"), ("route", "/stop")],
        ),
        ("lib/s.rb", "conn.get('/api/x') { |req| req.body = 1 }\napp.get('/x')\n", []),
        ("lib/svc.rb", "require 'win32/daemon'\nclass Svc < Daemon\nend\n", [("server", "Svc")]),
        ("lib/svc.rb", "class Svc < Daemon\nend\n", []),
        ("lib/w.rb", "class Long < Background::Worker\nend\n", [("job", "Long")]),
        ("app/mailers/m.rb", "class DeliveryJob < ActionMailer::MailDeliveryJob\nend\n", []),
        ("lib/g.rb", "require 'desk_services_pb'\nclass D < Shop::Desk::Service\nend\n", [("route", "gRPC Desk")]),
        ("lib/g.rb", "class D < Shop::Desk::Service\nend\n", []),
        ("app/channels/room.rb", "class Room < ApplicationCable::Channel\nend\n", [("route", "WS Room")]),
    ],
)
def test_ruby_services(path: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert _entries("ruby", path, source) == expected


@pytest.mark.parametrize(
    ("language", "before", "unit", "count", "after", "end"),
    [
        (
            "java",
            "import java.util.concurrent.*;\nclass A { void init() {",
            "x.execute(() -> { while (true) {",
            900,
            "",
            "}",
        ),
        (
            "java",
            "import java.net.*;\n",
            "class A extends Thread { ",
            400,
            "void run() { while (true) { } }",
            "}",
        ),
        (
            "java",
            "class A { TimeUnit t; void go() {",
            "x.scheduleAll(Map<String, ",
            3000,
            "h.put(RequestHandler> } }",
            "",
        ),
        ("php", "<?php function f(RouteCollection $a, ", "RouteCollection $a, $a->get('/", 1000, "", ""),
        ("csharp", "class A { void M() {", "e.MapRoute(new PeriodicTimer(", 2000, "} }", ""),
        ("php", "<?php require 'a.php';", "$routes->add('a', $s->addRoute(['GET'", 1000, "", ""),
        ("ruby", "Rufus\n", "Thread.new do\nscheduler.every 5 do\n", 3000, "", ""),
    ],
)
def test_pathological_sources_are_parsed_in_time(
    language: str, before: str, unit: str, count: int, after: str, end: str
) -> None:
    def prepare(size: int, repetition: int) -> Work:
        source = before + unit * size + after + end * size
        return lambda: _entries(language, "lib/a", source)

    assert_subquadratic(prepare, count // 4)
