"""Parsing JavaScript, Go, Rust and Java."""

from __future__ import annotations

import pytest

from tests.memory.test_codebase_parsing import entry_labels, models_by_name, read


def test_express_routes_differ_from_client_calls() -> None:
    into = read(
        "src/server.ts",
        "typescript",
        """/** Serves the shop. */
import express, { Router as R, type Request } from "express";
export * from "./types";
const { join } = require("path");
const app = express();
const router = express.Router();
app.use("/api", router);
router.get("/users/:id", auth, async (req, res) => res.json(await axios.get("/upstream", options)));
router.route("/items").get(list).post(create);
api.post("/not-ours", body);
app.get("env");
export const handler = async () => (await import("./late")).run();
export interface Shape { a: string }
export class Cart { total() {} }
app.listen(3000);
""",
    )
    assert into.doc == "Serves the shop."
    assert entry_labels(into) == {
        "route: GET /api/users/:id",
        "route: GET /api/items",
        "route: POST /api/items",
        "server: Express server",
    }
    assert {each.target: each.names for each in into.imports} == {
        "express": ("default", "Router", "Request"),
        "./types": ("*",),
        "path": ("join",),
        "./late": (),
    }
    assert [(each.name, each.kind) for each in into.symbols] == [
        ("handler", "function"),
        ("Shape", "type"),
        ("Cart", "class"),
        ("total", "method"),
    ]


@pytest.mark.parametrize(
    ("path", "language", "source", "expected"),
    [
        (
            "src/app/(main)/teams/[id]/page.tsx",
            "tsx",
            "export default function Page() { return <p/>; }",
            {"page: /teams/[id]"},
        ),
        (
            "src/app/api/teams/route.ts",
            "typescript",
            "export async function GET() {}\nexport const POST = async () => 1;\nexport const x = 1;",
            {"route: GET /api/teams", "route: POST /api/teams"},
        ),
        ("src/pages/Home.tsx", "tsx", "export default function Home() { return <p/>; }", set()),
        ("src/routes/blog/+page.svelte", "svelte", "<h1>Blog</h1>", {"page: /blog"}),
        (
            "src/cats.controller.ts",
            "typescript",
            '@Controller("cats")\nexport class Cats {\n  @Get(":id")\n  find() {}\n  @Post()\n  make() {}\n}',
            {"route: GET /cats/:id", "route: POST /cats"},
        ),
        (
            "src/main.tsx",
            "tsx",
            'import { createRoot } from "react-dom/client";\ncreateRoot(x).render(<App />);',
            {"page: browser app"},
        ),
        (
            "bin/tool.js",
            "javascript",
            '#!/usr/bin/env node\nconst { program } = require("commander");\nprogram.command("build <dir>").action(f);',
            {"cli: build"},
        ),
        (
            "src/work.ts",
            "typescript",
            'import { Worker } from "bullmq";\nnew Worker("mails", async job => {});',
            {"job: mails"},
        ),
        (
            "src/h.ts",
            "typescript",
            'import { Hono } from "hono";\nconst app = new Hono().basePath("/v1");\napp.get("/x", c => c.text("x"));',
            {"route: GET /v1/x"},
        ),
    ],
)
def test_javascript_entry_points(path: str, language: str, source: str, expected: set[str]) -> None:
    assert entry_labels(read(path, language, source)) == expected


def test_javascript_models() -> None:
    source = """
import { Entity, Column, ManyToOne } from "typeorm";
import { pgTable } from "drizzle-orm/pg-core";
import mongoose from "mongoose";
@Entity()
export class Photo {
  @Column() title: string;
  @ManyToOne(() => User, user => user.photos) user: User;
}
export const posts = pgTable("posts", { id: serial("id"), author: integer("a").references(() => users.id) });
const petSchema = new mongoose.Schema({ name: String, owner: { type: Id, ref: "Person" } });
mongoose.model("Pet", petSchema);
"""
    assert models_by_name(read("src/schema.ts", "typescript", source)) == {
        "Photo": ("orm", ("title", "user"), ("User",)),
        "posts": ("table", ("id", "author"), ("users",)),
        "Pet": ("orm", ("name", "owner"), ("Person",)),
    }


def test_component_script_keeps_its_line_numbers() -> None:
    source = '<template>\n  <p>a {{ b }}</p>\n</template>\n<script setup lang="ts">\n'
    source += 'import x from "./x";\nconst f = () => 1;\n</script>\n'
    into = read("src/Foo.vue", "vue", source)
    assert (into.imports[0].target, into.imports[0].line) == ("./x", 5)
    assert (into.symbols[0].name, into.symbols[0].line) == ("f", 6)


def test_go() -> None:
    into = read(
        "cmd/shop/main.go",
        "go",
        """// Copyright 2020 The Shop Authors. All rights reserved.

// Package main runs the shop. It listens.
package main

import (
	"net/http"
	"github.com/go-chi/chi/v5"
)

const MaxItems = 3

type User struct {
	gorm.Model
	Name  string
	Posts []Post
}
type Post struct {
	Title string `db:"title"`
	Body  string `db:"body"`
}

func (u *User) Greet() {}

func main() {
	r := chi.NewRouter()
	r.Route("/api", func(r chi.Router) { r.Get("/users/{id}", getUser) })
	http.HandleFunc("GET /health", health)
	m.HandleFunc("/items", items).Methods("POST")
	g := e.Group("/v2")
	g.DELETE("/x", del)
	resp, err := http.Get("/nothing", nil)
	cmd := &cobra.Command{Use: "serve [port]"}
	http.ListenAndServe(":80", r)
}
""",
    )
    assert into.doc == "Package main runs the shop."
    assert entry_labels(into) == {
        "main: main",
        "cli: serve",
        "route: GET /api/users/{id}",
        "route: GET /health",
        "route: POST /items",
        "route: DELETE /v2/x",
        "server: HTTP server",
    }
    assert models_by_name(into) == {
        "User": ("orm", ("Name", "Posts"), ("Post",)),
        "Post": ("orm", ("Title", "Body"), ()),
    }


def test_rust() -> None:
    into = read(
        "src/main.rs",
        "rust",
        """//! Serves the shop. And more.
use axum::{routing::{get, post as p}, Router};
use crate::db::Pool;
mod handlers;

#[derive(clap::Parser)]
#[command(name = "shop", version)]
struct Arguments { port: u16 }

#[derive(Debug, Subcommand)]
enum Command { RunAll, #[command(name = "stop")] Halt { now: bool } }

#[get("/hello/<name>")]
async fn hello() {}

#[derive(Queryable, Selectable)]
#[diesel(belongs_to(Author))]
pub struct Book { pub id: i32, title: String }

table! { books (id) { id -> Integer, title -> Text, } }

#[tokio::main]
async fn main() {
    let app = Router::new()
        .route("/users/{id}", get(show).post(update))
        .nest("/api", Router::new().route("/x", axum::routing::delete(x)));
    App::new().service(web::scope("/v1").service(web::resource("/y").route(web::put().to(y))));
    axum::serve(listener, app).await;
}

#[cfg(test)]
mod tests { fn unseen() {} }
""",
    )
    assert into.doc == "Serves the shop."
    assert {(each.target, each.names) for each in into.imports} == {
        ("axum::routing", ("get", "post")),
        ("axum", ("Router",)),
        ("crate::db", ("Pool",)),
        ("self::handlers", ()),
    }
    assert entry_labels(into) == {
        "main: main",
        "cli: shop",
        "cli: run-all",
        "cli: stop",
        "route: GET /hello/<name>",
        "route: GET /users/{id}",
        "route: POST /users/{id}",
        "route: DELETE /api/x",
        "route: PUT /v1/y",
        "server: Axum server",
    }
    assert models_by_name(into) == {
        "Book": ("orm", ("id", "title"), ("Author",)),
        "books": ("table", ("id", "title"), ()),
    }
    assert "unseen" not in {symbol.name for symbol in into.symbols}


def test_java() -> None:
    into = read(
        "src/main/java/shop/OwnerController.java",
        "java",
        """/* Copyright 2012 the authors. Licensed under the Apache License. */
package shop;
import java.util.Set;
import static org.x.Y.*;
/** Shows {@link Owner owners}. More. */
@RestController
@RequestMapping("/owners")
public class OwnerController {
  static final int MAX = 3;
  @GetMapping({"/{id}", "/by-id/{id}"}) public String show() { return ""; }
  @RequestMapping(value = "/new", method = RequestMethod.POST) String create() { return ""; }
  @Scheduled(fixedRate = 5) void tidy() {}
  public static void main(String[] args) {}
}
@Path("/hello") class Hello { @GET @Path("{name}") String hi() { return ""; } }
@FeignClient("x") interface Client { @GetMapping("/not-ours") String a(); }
@Entity class Owner { @Id Integer id; @OneToMany(mappedBy = "owner") private Set<Pet> pets; @Transient int t; }
""",
    )
    assert into.doc == "Shows Owner owners."
    assert [each.target for each in into.imports] == ["java.util.Set", "org.x.Y.*"]
    assert entry_labels(into) == {
        "route: GET /owners/{id}",
        "route: GET /owners/by-id/{id}",
        "route: POST /owners/new",
        "route: GET /hello/{name}",
        "job: tidy",
        "main: main",
    }
    assert models_by_name(into) == {"Owner": ("orm", ("id", "pets"), ("Pet",))}
