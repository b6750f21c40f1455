"""Parsing source files, mainly Python: definitions, imports, entry points and models."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.source_reader import read_source
from loremark.memory.codebase.parsing.test_detection import is_test
from tests.growth import assert_subquadratic_on
from tests.support.selection import NIGHTLY

LANGUAGES = ("python", "javascript", "typescript", "tsx", "go", "rust", "java", "vue", "svelte")


def read(path: str, language: str, source: str) -> Collector:
    into, has_errors = read_source(path, language, source)
    assert not has_errors, source
    return into


def entry_labels(into: Collector) -> set[str]:
    return {f"{entry.kind}: {entry.name}" for entry in into.entries}


def models_by_name(into: Collector) -> dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return {model.name: (model.kind, model.fields, model.refers_to) for model in into.models}


def test_fastapi_routes_with_prefix_and_commands() -> None:
    into = read(
        "shop/api.py",
        "python",
        '''#!/usr/bin/env python
# Copyright 2024 Somebody. Licensed under the Apache License.
"""The shop's HTTP interface. And more.

Details.
"""
import typer
from fastapi import APIRouter, FastAPI
from .store import Item as Stored, find
app = FastAPI()
router = APIRouter(prefix="/items")
cli = typer.Typer()
MAX_ITEMS = 3

@router.get("/{item_id}")
async def get_item(item_id: int): ...

@router.post("")
async def create_item(): ...

@app.websocket("/live")
async def live(): ...

app.include_router(router, prefix="/api")

@cli.command()
def import_items():
    from shop.importing import run
    client.get("/not/a/route", timeout=3)

class Cart:
    def add_item(self): ...

if __name__ == "__main__":
    cli()
''',
    )
    assert into.doc == "The shop's HTTP interface."
    assert entry_labels(into) == {
        "server: FastAPI app",
        "route: GET /api/items/{item_id}",
        "route: POST /api/items",
        "route: WS /live",
        "cli: import-items",
        "main: main",
    }
    assert [(each.target, each.names) for each in into.imports[2:]] == [
        (".store", ("Item", "find")),
        ("shop.importing", ("run",)),
    ]
    kinds = {symbol.name: symbol.kind for symbol in into.symbols}
    assert (kinds["Cart"], kinds["add_item"], kinds["MAX_ITEMS"]) == ("class", "method", "constant")
    assert into.naming["function:snake"] == 4


def test_django_urls_have_the_prefix_of_their_include() -> None:
    source = """
from django.urls import include, path, re_path
from rest_framework import routers
router = routers.DefaultRouter()
router.register(r"users", UserViewSet)
check_urls = [path("name/", views.name), path("", views.details)]
urlpatterns = [
    path("checks/<uuid:code>/", include(check_urls)),
    re_path(r"^old/(?P<pk>[0-9]+)$", views.old),
    path("api/", include(router.urls)),
    path("accounts/", include("accounts.urls")),
]
"""
    assert entry_labels(read("hc/urls.py", "python", source)) == {
        "route: /checks/<uuid:code>/name/",
        "route: /checks/<uuid:code>/",
        "route: /old/(?P<pk>[0-9]+)",
        "route: /api/users",
    }
    command = "from django.core.management.base import BaseCommand\nclass Command(BaseCommand): ...\n"
    assert entry_labels(read("hc/management/commands/prune_users.py", "python", command)) == {"cli: prune_users"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            'from flask import Blueprint\nbp = Blueprint("a", __name__, url_prefix="/a")\n'
            '@bp.route("/b", methods=["GET", "POST"])\ndef b(): ...\n',
            {"route: GET /a/b", "route: POST /a/b"},
        ),
        (
            "from starlette.routing import Mount, Route\n"
            'routes = [Mount("/v1", routes=[Route("/x", x, methods=["PUT"])]), Route("/", home)]\n',
            {"route: PUT /v1/x", "route: /"},
        ),
        (
            'from aiohttp import web\napp = web.Application()\napp.router.add_get("/a", a)\n'
            'app.add_routes([web.post("/b", b)])\n',
            {"server: aiohttp app", "route: GET /a", "route: POST /b"},
        ),
        (
            'import argparse\np = argparse.ArgumentParser()\ns = p.add_subparsers()\ns.add_parser("sync")\n',
            {"cli: sync"},
        ),
        (
            "import click\n@click.group()\ndef cli(): ...\n"
            "@cli.group()\ndef db(): ...\n@db.command('up')\ndef u(): ...\n",
            {"cli: db up"},
        ),
        (
            "from celery import shared_task\n@shared_task(bind=True)\ndef send_invoices(self): ...\n",
            {"job: send_invoices"},
        ),
        ("from apscheduler.x import S\ns = S()\ns.add_job(tidy, 'interval')\n", {"job: tidy"}),
        ("def view(client):\n    return client.get('/x', headers=h)\n", set()),
    ],
)
def test_other_python_frameworks(source: str, expected: set[str]) -> None:
    assert entry_labels(read("app/module.py", "python", source)) == expected


def test_python_models_with_their_relations() -> None:
    django = """
from django.db import models
from django import forms
class Check(models.Model):
    name = models.CharField(max_length=100)
    project = models.ForeignKey("accounts.Project", models.CASCADE)
    parent = models.ForeignKey("self", models.CASCADE)
    LIMIT = 3
class CheckForm(forms.Form):
    name = forms.CharField()
"""
    assert models_by_name(read("api/models.py", "python", django)) == {
        "Check": ("orm", ("name", "project", "parent"), ("Project", "Check"))
    }
    alchemy = """
from sqlalchemy.orm import Mapped, mapped_column, relationship
class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    posts: Mapped[list["Post"]] = relationship(back_populates="author")
class Post(Base):
    __tablename__ = "posts"
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
class Plain:
    x: int = 3
"""
    assert models_by_name(read("db.py", "python", alchemy)) == {
        "User": ("orm", ("id", "posts"), ("Post",)),
        "Post": ("orm", ("author_id",), ("User",)),
    }
    migration = 'from alembic import op\ndef upgrade():\n    op.create_table("users")\n    op.add_column("posts", c)\n'
    assert models_by_name(read("alembic/versions/1_users.py", "python", migration)) == {
        "1_users": ("migration", (), ("users", "posts"))
    }


def test_tests_have_definitions_and_imports_but_no_entries_or_models() -> None:
    source = 'from flask import Flask\napp = Flask("x")\n@app.route("/x")\ndef x(): ...\n'
    assert entry_labels(read("shop/views.py", "python", source))
    into = read("shop/tests/test_views.py", "python", source)
    assert entry_labels(into) == set()
    assert into.symbols
    assert into.imports
    for path in (
        "a/x_test.go",
        "src/a.test.ts",
        "src/__tests__/a.js",
        "A.Tests/B.cs",
        "spec/a_spec.rb",
        "UserTest.java",
    ):
        assert is_test(path), path
    for path in ("src/latest/a.py", "src/contest.ts", "attest.go", "src/testimonials/page.tsx", "Manifest.java"):
        assert not is_test(path), path


@pytest.mark.parametrize("language", LANGUAGES)
def test_garbage_is_parsed_quickly_and_within_limits(language: str) -> None:
    size = 100_000 if NIGHTLY else 20_000
    samples = {
        "open": "(" * size,
        "nested": "[" * size + "]" * size,
        "lines": "{\n" * size,
        "calls": "a(\n" * size,
        "dots": "a" + ".b()\n" * (size // 2),
        "minified": "var a=function(b){return b+1};" * (size // 3),
        "strings": 'x = "\n' * (size // 2),
        "quotes": "x = '" * (size // 2),
        "binary": "".join(chr((i * 7919) % 256) for i in range(2 * size)),
        "nothing": "\0" * (2 * size),
        "halves": "\ud800\udfff" * 1_000,
        "comment": "/*" * (size // 2) + "\n//" * (size // 5) + "#" * (size // 2),
        "tags": "<script>" * (size // 5),
        "many": "@app.get('/x')\ndef f(): ...\nconst A = 1;\n" * (size // 20),
    }
    for name, source in samples.items():
        into, _ = read_source("src/x", language, source)
        assert max(len(into.symbols), len(into.imports), len(into.entries), len(into.models)) <= 200, name
        assert all(len(symbol.name) <= 120 for symbol in into.symbols), name
        # Error recovery in tree-sitter is slower than linear, so anything short of quadratic passes.
        assert_subquadratic_on(source[:80_000], lambda text: read_source("src/x", language, text), max_ratio=16.0)


def test_parsing_is_deterministic() -> None:
    source = "import b from 'b';\nexport function GET() {}\nexport function POST() {}\nexport function DELETE() {}\n"
    first, second = (read("app/api/x/route.ts", "typescript", source) for _ in range(2))
    assert (first.entries, first.symbols, first.imports) == (second.entries, second.symbols, second.imports)


def test_main_excluded_from_tests_is_a_program_and_test_main_is_not() -> None:
    body = "int main(void) { return 0; }\n"
    assert entry_labels(read("src/ring.c", "c", f"#ifndef UNITTESTS\n{body}#endif\n")) == {"main: main"}
    assert entry_labels(read("src/ring.c", "c", f"#ifdef RING_TEST\nint x;\n#else\n{body}#endif\n")) == {"main: main"}
    assert entry_labels(read("src/ring.c", "c", f"#ifdef RING_TEST\n{body}#endif\n")) == set()


def test_armeria_routes_need_no_controller() -> None:
    body = 'class Query {\n  @Get("/api/spans") public String spans() { return ""; }\n}\n'
    source = f"import com.linecorp.armeria.server.annotation.Get;\n{body}"
    assert entry_labels(read("src/main/java/shop/Query.java", "java", source)) == {"route: GET /api/spans"}
    other = f"import retrofit.Get;\n{body}"
    assert entry_labels(read("src/main/java/shop/Query.java", "java", other)) == set(), (
        "this is the annotation of an HTTP client"
    )
