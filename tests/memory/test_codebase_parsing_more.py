"""Parsing C#, Ruby, PHP and C."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.parsing import c, csharp, php, ruby, syntax
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from tests.growth import Work, assert_subquadratic

_READERS = {"csharp": csharp.read, "ruby": ruby.read, "php": php.read, "c": c.read, "cpp": c.read}


def _read(language: str, path: str, source: str) -> Collector:
    into = Collector(path)
    _READERS[language](syntax.parse(language, source.encode()).root_node, into)
    return into


def _entries(into: Collector) -> list[tuple[str, str]]:
    return [(entry.kind, entry.name) for entry in into.entries]


def _models(into: Collector) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [(model.kind, model.name, model.fields, model.refers_to) for model in into.models]


_CONTROLLER = """// Copyright (c) Somebody. Licensed under the MIT license.
using System.Linq;
using Json = System.Text.Json;

namespace Shop.Api;

/// <summary>
/// Sells a <see cref="T:Shop.Order"/> to people. And more.
/// </summary>
[ApiController]
[Route("api/[controller]")]
public class OrdersController : ControllerBase
{
    public const int PageSize = 20;
    [HttpGet("{id}", Name = "one"), Authorize]
    public async Task<Order> Get(int id) { /* [HttpPut("no")] */ return app.MapGet; }
    [HttpPost]
    public void Create() { }
    [HttpDelete("/orders/all")]
    public void Clear() { var text = "app.MapGet(\\"/no\\", x)"; }
#if DEBUG
    [HttpGet("[action]")]
    public string Ping() => "";
#endif
}
public class HomeController : Controller { public IActionResult Index() => View(); int Hidden() => 1; }
public class BrandingController : OwnBase { [HttpGet("Css")] public string Css() => ""; }
"""


def test_aspnet_controller_routes() -> None:
    into = _read("csharp", "src/Api/OrdersController.cs", _CONTROLLER)
    assert _entries(into) == [
        ("route", "GET /api/Orders/{id}"),
        ("route", "POST /api/Orders"),
        ("route", "DELETE /orders/all"),
        ("route", "GET /api/Orders/Ping"),
        ("route", "/Home/Index"),
        ("route", "GET /Branding/Css"),
    ]
    assert [target.target for target in into.imports] == ["System.Linq", "System.Text.Json"]
    assert into.doc == "Sells a Order to people."
    named = {(symbol.name, symbol.kind) for symbol in into.symbols}
    assert {("OrdersController", "class"), ("PageSize", "constant"), ("Ping", "method")} <= named
    assert _entries(_read("csharp", "tests/Api.Tests/OrdersControllerTests.cs", _CONTROLLER)) == []


def test_csharp_program_and_mapped_routes() -> None:
    into = _read(
        "csharp",
        "src/Api/Program.cs",
        """var builder = WebApplication.CreateBuilder(args);
        var app = builder.Build();
        var api = app.MapGroup("/api");
        app.MapGet("/health", () => "ok"); // app.MapGet("/no")
        api.MapPost("/users", Create).WithName("x");
        app.MapHub<ChatHub>("/chat");
        new Command("import", "Imports");
        RecurringJob.AddOrUpdate("nightly", () => Run());
        class Mailer : BackgroundService { }""",
    )
    assert _entries(into) == [
        ("main", "main"),
        ("job", "Mailer"),
        ("server", "WebApplication"),
        ("route", "GET /health"),
        ("route", "POST /api/users"),
        ("route", "HUB /chat"),
        ("cli", "import"),
        ("job", "nightly"),
    ]


def test_rails_routes_include_their_scopes() -> None:
    into = _read(
        "ruby",
        "config/routes.rb",
        """Rails.application.routes.draw do
  root to: "home#index"
  get "/login" => "login#index", :as => "login"
  match "/both", to: "a#b", via: [:get, :post]
  resources :stories, except: [:index] do
    post "upvote"
    member { get :edit_tags }
    get :recent, on: :collection
    resources :comments
  end
  namespace :admin do
    resource :settings
    constraints(id: /x/) do
      delete "users/:id", to: "users#gone"
    end
  end
  # get "/no"
  mount Jobs::Engine, at: "/jobs"
end""",
    )
    assert [name for _, name in _entries(into)] == [
        "GET /",
        "GET /login",
        "GET /both",
        "POST /both",
        "resources /stories",
        "POST /stories/:story_id/upvote",
        "GET /stories/:id/edit_tags",
        "GET /stories/recent",
        "resources /stories/:story_id/comments",
        "resource /admin/settings",
        "DELETE /admin/users/:id",
        "mount /jobs",
    ]


def test_ruby_tasks_jobs_and_commands() -> None:
    tasks = (
        "namespace :db do\n  task :seed => :environment do\n  end\n  task({wipe: [:x]}) { }\nend\ntask default: :spec"
    )
    assert _entries(_read("ruby", "lib/tasks/db.rake", tasks)) == [("cli", "db:seed"), ("cli", "db:wipe")]
    job = "class Mail\n include Sidekiq::Job\nend\nclass SendJob < ApplicationJob\nend\nclass BaseJob < X::Job\nend"
    assert _entries(_read("ruby", "app/jobs/mail.rb", job)) == [("job", "Mail"), ("job", "SendJob")]
    script = (
        "#!/usr/bin/env ruby\nrequire_relative 'lib/x'\nclass Tool < Thor\n  desc 'a B', 'c'\n  def hello; end\nend"
    )
    tool = _read("ruby", "bin/tool", script)
    assert _entries(tool) == [("cli", "hello"), ("cli", "tool")]
    assert [target.target for target in tool.imports] == ["./lib/x"]
    stub = "#!/usr/bin/env ruby\n# This file was generated by Bundler.\nload Gem.bin_path('x', 'x')"
    assert _entries(_read("ruby", "bin/x", stub)) == []
    sinatra = "require 'sinatra'\nget '/hi' do\n  params.get('/no')\nend\nget '/not-a-route'"
    assert _entries(_read("ruby", "app.rb", sinatra)) == [("route", "GET /hi")]


def test_laravel_routes_have_group_prefixes() -> None:
    into = _read(
        "php",
        "routes/web.php",
        """<?php
/** Routes of the shop. They are public. */
use App\\Http\\{HomeController, Admin as A};
require __DIR__ . '/auth.php';
Route::get('/', [HomeController::class, 'index'])->name('home');
Route::middleware('auth')->prefix('admin')->group(function () {
    Route::match(['get', 'post'], 'users', 'x');
    Route::group(['prefix' => 'deep'], function () { Route::apiResource('photos', X::class); });
    // Route::get('/no', 'x');
});
Route::any('/hook', fn () => 1);
""",
    )
    names = ["GET /", "GET /admin/users", "POST /admin/users", "resource /admin/deep/photos", "/hook"]
    assert [name for _, name in _entries(into)] == names
    targets = ["App\\Http\\HomeController", "App\\Http\\Admin", "./auth.php"]
    assert [target.target for target in into.imports] == targets
    assert into.doc == "Routes of the shop."


def test_symfony_and_doctrine_attributes_and_annotations() -> None:
    into = _read(
        "php",
        "src/Controller/BlogController.php",
        """<?php
#[Route('/blog', name: 'blog_')]
class BlogController {
    #[Route('/{slug}', name: 'show', methods: ['GET', 'HEAD'])]
    public function show() {}
    /** @Route("/old", methods={"POST"}) */
    public function old() {}
}
#[AsCommand(name: 'app:tidy')] class Tidy extends Command {}
class Prune extends Command { protected $signature = 'books:prune {--all}'; }
class SendMail implements ShouldQueue {}
#[ORM\\Entity(repositoryClass: X::class)] class Post {
    #[ORM\\Column] private string $title;
    #[ORM\\ManyToOne(targetEntity: User::class)] private $author;
}""",
    )
    assert _entries(into) == [
        ("route", "GET /blog/{slug}"),
        ("route", "HEAD /blog/{slug}"),
        ("route", "POST /blog/old"),
        ("cli", "app:tidy"),
        ("cli", "books:prune"),
        ("job", "SendMail"),
    ]
    assert _models(into) == [("orm", "Post", ("title", "author"), ("User",))]


def test_c_programs_differ_from_test_programs() -> None:
    source = """/* Copyright (C) 2020 Somebody
 *
 * ring.c - A ring of buffers. Fast.
 */
#include <stdio.h>
#include "ring.h"
#define SIZE 64
typedef struct ring { int head; } ring_t;
int forward(int a);
static int (*callback)(int);
SYSCALL_DEFINE3(read, unsigned int, fd)
{
}
static int __init ring_init(void)
{
#ifdef FAST
    if (a) {
#else
    if (b) {
#endif
    }
    return 0;
}
"""
    into = _read("c", "src/ring.c", source + "int main(int argc, char **argv) { return 0; }")
    assert _entries(into) == [("main", "main")]
    assert into.doc == "A ring of buffers."
    assert [target.target for target in into.imports] == ["stdio.h", "ring.h"]
    named = {symbol.name for symbol in into.symbols}
    assert {"SIZE", "ring", "ring_t", "ring_init", "main"} <= named
    assert not named & {"forward", "callback", "read", "SYSCALL_DEFINE3"}
    guarded = _read("c", "src/ring.c", "#ifdef RING_TEST\nint main(void) { return 0; }\n#endif")
    assert _entries(guarded) == []


def test_header_functions_and_class_methods() -> None:
    into = _read(
        "cpp",
        "include/shape.hpp",
        """#ifndef SHAPE
#define SHAPE
namespace geo { class Shape : public Base { public: Shape(); virtual double area() const; struct Point { int x; }; };
template <typename T> class Box {}; using Name = int; enum class Kind { A }; }
extern "C" { void draw(Shape *); }
#endif""",
    )
    symbols = " ".join(f"{symbol.name}:{symbol.kind}" for symbol in into.symbols)
    assert symbols == "Shape:class area:method Point:class Box:class Name:type Kind:type draw:function"


_HOSTILE = {
    "nested brackets": "(" * 20_000,
    "nested blocks": "class A {" * 3_000,
    "nested groups": "<?php " + "Route::prefix('abcdefgh')->group(function () { Route::get('/a', 1); " * 300,
    "nested resources": "draw do\n" + "resources :stories do\n" * 3_000,
    "nested tasks": "namespace :abcdefgh do\n" * 3_000,
    "one line": "function a(){return b.c('x')};" * 4_000,
    "nothing readable": "\x00\x01\ufffd\x7f" * 2_000,
    "an open string": 'class A { x = "' + "a" * 100_000,
    "an open comment": "/* " + "* " * 50_000,
    "many mappings": 'app.MapGet("/x", ' * 3_000,
    "spaces": "/*" + " " * 100_000 + "*/\n#define" + " " * 50_000,
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_sources_are_parsed_quickly_and_within_limits(name: str) -> None:
    source = _HOSTILE[name].encode()
    for language, path in (
        ("csharp", "Program.cs"),
        ("ruby", "config/routes.rb"),
        ("ruby", "Rakefile"),
        ("php", "routes/api.php"),
        ("c", "a.c"),
        ("cpp", "a.hpp"),
    ):

        def prepare(size: int, repetition: int, language: str = language, path: str = path) -> Work:
            root = syntax.parse(language, source[:size]).root_node
            return lambda: _READERS[language](root, Collector(path))

        assert_subquadratic(prepare, len(source) // 4)
        into = Collector(path)
        _READERS[language](syntax.parse(language, source).root_node, into)
        assert len(into.entries) <= MAX_FACTS_PER_KIND
        assert all(len(entry.name) <= 400 for entry in into.entries)
        assert len(into.doc) <= 250
