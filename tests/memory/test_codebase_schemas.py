"""Schemas: tables, models, messages, types and their relations."""

from __future__ import annotations

from functools import partial

import pytest

from loremark.memory.codebase.parsing import csharp, php, ruby, syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.records import Model
from loremark.memory.codebase.schemas.schema_reader import LANGUAGES, read_schema
from tests.growth import assert_subquadratic_on


def _models(language: str, path: str, source: str) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    into = Collector(path)
    {"csharp": csharp.read, "php": php.read, "ruby": ruby.read}[language](
        syntax.parse(language, source.encode()).root_node, into
    )
    return [(model.kind, model.name, model.fields, model.refers_to) for model in into.models]


def test_sql_tables_differ_from_mentions() -> None:
    script = """
-- CREATE TABLE no (a int);
/* CREATE TABLE no2 (a int) */
INSERT INTO x VALUES ('CREATE TABLE no3 (a int);
');
create table if not exists "public"."users" (
  id serial primary key, `name` varchar(20) default 'a, b (', key text not null,
  team_id int references teams (id) on delete cascade, -- , no int
  amount numeric(10, 2) check (amount > 0),
  KEY idx (name), constraint fk foreign key (a) references [dbo].[Other Things](id)
) engine=InnoDB; CREATE UNIQUE INDEX foo ON users (a);
CREATE TABLE part PARTITION OF users FOR VALUES IN (1);
CREATE FUNCTION f() AS $$ BEGIN CREATE TABLE inner_no (a int); END $$;
CREATE TEMPORARY TABLE passing (a int);
CREATE TABLE [dbo].[Orders] ([Id] INT, [CustomerId] INT REFERENCES [dbo].[Customers]([Id]))
GO
CREATE TABLE unclosed (a int, b text"""
    assert read_schema("db/schema.sql", "sql", script) == (
        Model("users", "table", 6, ("id", "name", "key", "team_id", "amount"), ("teams", "Other Things")),
        Model("Orders", "table", 15, ("Id", "CustomerId"), ("Customers",)),
        Model("unclosed", "table", 17, ("a", "b")),
    )


@pytest.mark.parametrize(
    ("path", "script", "expected"),
    [
        ("prisma/migrations/03_tags/migration.sql", "ALTER TABLE a ADD b int;", ["migration 03_tags"]),
        ("db/migrations/0004_index.up.sql", "CREATE INDEX a ON b (c);", ["migration 0004_index"]),
        ("db/migrations/0004_index.down.sql", "DROP INDEX a;", []),
        ("db/migrations/5.sql", "CREATE TABLE a_new (b int); ALTER TABLE a_new RENAME TO a;", ["migration 5"]),
        ("db/migrations/6.sql", "CREATE TABLE a (b int);", ["table a"]),
        ("src/main/resources/V1__init.sql", "SELECT 1;", ["migration V1__init"]),
        ("queries/report.sql", "SELECT 1;", []),
        ("tests/fixtures/a.sql", "CREATE TABLE a (b int);", []),
    ],
)
def test_migration_without_tables_is_recorded_by_name(path: str, script: str, expected: list[str]) -> None:
    assert [f"{model.kind} {model.name}" for model in read_schema(path, "sql", script)] == expected


def test_prisma_models_have_relations() -> None:
    schema = """generator client { provider = "prisma-client-js" }
// model No { id Int }
enum Role { USER ADMIN }
model User {
  id    String @id @default("model Fake {") // id
  role  Role
  posts Post[] @relation("a")
  /// words about it
  @@index([role, id])
}
model Post { id Int
  author User? @relation(fields: [authorId], references: [id])
}"""
    assert read_schema("prisma/schema.prisma", "prisma", schema) == (
        Model("User", "orm", 4, ("id", "role", "posts"), ("Post",)),
        Model("Post", "orm", 11, ("id", "author"), ("User",)),
    )


def test_protobuf_nested_messages_and_services() -> None:
    schema = """syntax = "proto3"; // message No {
option text = "message No {";
message Outer { /* message No {} */
  string name = 1 [(a.b) = "x"];
  repeated Item items = 2;
  map<string, Other.Thing> things = 3;
  oneof kind { A a = 4; int32 b = 5; }
  enum E { X = 0; }
  message Inner { .foo.Bar bar = 1; google.protobuf.Timestamp at = 2; }
  reserved 5, 6;
}
service Greeter {
  rpc Hi (stream HiRequest) returns (HiReply) { option (google.api.http) = { get: "/x" }; }
  rpc Bye(A) returns (stream B);
}"""
    assert read_schema("api/a.proto", "protobuf", schema) == (
        Model("Outer", "message", 3, ("name", "items", "things", "a", "b"), ("Item", "Other.Thing", "A")),
        Model("Outer.Inner", "message", 9, ("bar", "at"), ("foo.Bar",)),
        Model("Greeter", "message", 12, ("Hi", "Bye"), ("HiRequest", "HiReply", "A", "B")),
    )


def test_graphql_types_differ_from_queries() -> None:
    schema = '''"""type No { a: Int }"""
scalar Url
enum Color { RED type }
type User implements Node & Entity @key(fields: "id { x }") {
  id: ID!
  "words: type X {"
  posts(first: Int = 10, filter: F = {a: {b: 1}}): [Post!]! @deprecated(reason: "x")
  color: Color
  url: Url
}
extend type Query { me: User }
type Query { users: [User] }
input F { a: Int = 3, b: G }
query Mine { type { input } }
'''
    assert read_schema("schema.graphql", "graphql", schema) == (
        Model("User", "schema", 4, ("id", "posts", "color", "url"), ("Node", "Entity", "Post")),
        Model("Query", "schema", 11, ("me", "users"), ("User",)),
        Model("F", "schema", 13, ("a", "b"), ("G",)),
    )


def test_entity_framework_models_by_context_and_attributes() -> None:
    found = _models(
        "csharp",
        "src/Data/Context.cs",
        """public class ShopContext : IdentityDbContext<User> { public DbSet<Order> Orders => Set<Order>(); }
        [Table("lines")] public class Line {
          [Key] public int Id { get; set; }
          public int OrderId { get; set; } public Order? Order { get; set; }
          public Status Status { get; set; } public ICollection<Tag> Tags { get; set; } }
        public partial class AddLines : Migration { }""",
    )
    assert found == [
        ("orm", "Order", (), ()),
        ("orm", "Line", ("Id", "OrderId", "Order", "Status", "Tags"), ("Order", "Tag")),
        ("migration", "AddLines", (), ()),
    ]


def test_eloquent_models_and_migrations() -> None:
    model = """<?php
class Book extends Entity {
    protected $fillable = ['name', 'slug'];
    public function pages() { return $this->hasMany(\\App\\Page::class, 'id'); }
}"""
    assert _models("php", "app/Models/Book.php", model) == [("orm", "Book", ("name", "slug"), ("Page",))]
    migration = """<?php
return new class extends Migration {
    public function up() { Schema::create('books', function (Blueprint $table) {
        $table->id(); $table->string('name')->nullable(); $table->foreignId('user_id')->constrained();
        $table->index('name'); $table->timestamps(); }); }
    public function down() { Schema::create('old', function ($t) { $t->id(); }); }
};"""
    columns = ("id", "name", "user_id", "created_at", "updated_at")
    assert _models("php", "database/migrations/2024_01_01_books.php", migration) == [
        ("migration", "2024_01_01_books", (), ()),
        ("table", "books", columns, ("users",)),
    ]


def test_active_record_relations() -> None:
    source = """class User < ApplicationRecord
  LIMIT = 3
  belongs_to :invited_by, class_name: "User"
  belongs_to :owner, polymorphic: true
  has_many :saved_stories, -> { order(:id) }
  has_many :voted, through: :votes, source: :story
  def self.find_one; end
end"""
    assert _models("ruby", "app/models/user.rb", source) == [("orm", "User", (), ("User", "SavedStory", "Story"))]
    assert _models("ruby", "spec/models/user_spec.rb", source) == []
    assert _models("ruby", "app/models/search_parser.rb", "class SearchParser < Parslet::Parser; end") == []


def test_rails_schema_tables() -> None:
    schema = """ActiveRecord::Schema[8.0].define(version: 1) do
  create_table "users", force: :cascade do |t|
    t.string "name", null: false
    t.references :team
    t.timestamps
    t.index ["name"], name: "i"
  end
  add_foreign_key "users", "rooms"
end"""
    columns = ("name", "team_id", "created_at", "updated_at")
    assert _models("ruby", "db/schema.rb", schema) == [("table", "users", columns, ("team", "rooms"))]


@pytest.mark.parametrize(
    "content",
    [
        "(" * 100_000,
        "{" * 100_000,
        "create table a (b int, " * 10_000,
        "create " * 40_000,
        "message A {" * 20_000,
        "type A { b(" * 20_000,
        'model A {\nb C @x("' * 10_000,
        "".join(f"$a{count}$" for count in range(30_000)),
        "'" * 200_001,
        '"' * 200_001,
        '"""\\' * 40_000,
        "/* " + "* " * 100_000,
        "x" * 1_000_000,
        "\x00\ufffd;" * 50_000,
    ],
)
def test_hostile_schemas_are_read_quickly_and_within_limits(content: str) -> None:
    for language in sorted(LANGUAGES):
        assert_subquadratic_on(content, partial(read_schema, "db/a", language))
        models = read_schema("db/a", language, content)
        assert len(models) <= 200
        assert all(len(model.name) <= 200 and len(model.fields) <= 40 for model in models)
    assert read_schema("db/a", "python", content) == ()
