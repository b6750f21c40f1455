"""Import resolution in every language, and the import graph."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.graph.import_graph import ImportGraph, import_counts, import_graph
from loremark.memory.codebase.records import Import
from tests.growth import Work, assert_subquadratic


def _edges(imports: dict[str, list[str | Import]], *others: str, names: dict[str, str] | None = None) -> ImportGraph:
    made = {path: [x if isinstance(x, Import) else Import(x, 1) for x in found] for path, found in imports.items()}
    return import_graph(made, [*imports, *others], names or {})


@pytest.mark.parametrize(
    ("importer", "target", "expected", "others"),
    [
        ("src/shop/api/views.py", "shop.models", "src/shop/models.py", "src/shop/__init__.py src/shop/api/__init__.py"),
        ("shop/api/views.py", "..models", "shop/models.py", "shop/__init__.py shop/api/__init__.py"),
        ("tools/run.py", "helper", "tools/helper.py", "other/helper.py"),
        ("src/a.ts", "./b.js", "src/b.ts", "src/b/index.ts"),
        ("web/src/a.tsx", "@/lib/x", "web/src/lib/x.ts", "web/package.json src/lib/x.ts"),
        ("web/src/a.tsx", "~/ui", "web/src/ui/index.tsx", "web/package.json"),
        ("src/a/b.rs", "super::c::D", "src/a/c.rs", "src/lib.rs Cargo.toml"),
        ("src/a/b.rs", "crate::x::y::Z", "src/x/y.rs", "src/x/mod.rs src/lib.rs Cargo.toml"),
        ("src/lib.rs", "mod x", "src/x/mod.rs", "Cargo.toml"),
        ("m/src/main/java/a/B.java", "a.c.D", "m/src/main/java/a/c/D.java", "n/src/main/java/z/c/D.java"),
        ("m/src/main/java/a/B.java", "a.c.D.inner", "m/src/main/java/a/c/D.java", ""),
        ("lib/shop/a.rb", "shop/b", "lib/shop/b.rb", "spec/other/shop/b.rb"),
        ("lib/shop/a.rb", "./c", "lib/shop/c.rb", ""),
        ("src/net/a.c", "b.h", "src/net/b.h", "src/b.h"),
        ("src/net/a.c", "core/x.h", "include/core/x.h", ""),
    ],
)
def test_import_resolves_to_a_file(importer: str, target: str, expected: str, others: str) -> None:
    graph = _edges({importer: [target]}, expected, *others.split())
    assert graph.edges == {importer: (expected,)}


def test_package_names_resolve_to_directories() -> None:
    names = {
        "go.mod": "example.org/shop/v2",
        "packages/ui/package.json": "@shop/ui",
        "crates/core/Cargo.toml": "shop-core",
    }
    graph = _edges(
        {
            "cmd/shop/main.go": ["example.org/shop/v2/internal/mail", "net/mail"],
            "apps/web/a.ts": ["@shop/ui", "@shop/ui/button", "react"],
            "crates/cli/src/main.rs": ["shop_core::order::Order", "serde::Serialize"],
        },
        *["internal/mail/a.go", "internal/mail/b.go", "packages/ui/src/index.ts", "packages/ui/src/button.tsx"],
        *["crates/core/src/order.rs", "crates/core/src/lib.rs", "crates/cli/Cargo.toml"],
        *names,
        names=names,
    )
    assert graph.edges == {
        "apps/web/a.ts": ("packages/ui/src/index.ts", "packages/ui/src/button.tsx"),
        "cmd/shop/main.go": ("internal/mail/",),
        "crates/cli/src/main.rs": ("crates/core/src/order.rs",),
    }


def test_namespace_root_is_chosen_by_majority_and_not_used_for_foreign_namespaces() -> None:
    cs = ["Acme.Shop.Core.Entities", "Acme.Shop.Web.Text", "System.Text", "System", "Microsoft.Extensions.Logging"]
    php = ["Acme\\Models\\User", "Acme\\Http\\Request", "Illuminate\\Http\\Request", "Illuminate\\Support\\Str"]
    graph = _edges(
        {"src/Web/Program.cs": list(cs), "app/Kernel.php": list(php)},
        *["src/Core/Entities/Order.cs", "src/Web/Text/A.cs", "src/Web/System/B.cs", "src/Core/Logging/L.cs"],
        *["app/Models/User.php", "app/Http/Request.php"],
    )
    assert graph.edges["src/Web/Program.cs"] == ("src/Core/Entities/", "src/Web/Text/")
    assert graph.edges["app/Kernel.php"] == ("app/Models/User.php", "app/Http/Request.php")


def test_hub_is_the_defining_file_not_the_reexporting_one() -> None:
    graph = _edges(
        {
            "shop/__init__.py": [Import(".core", 1, ("Order",))],
            "shop/a.py": [Import("shop", 1, ("Order",))],
            "shop/b.py": [Import("shop", 1, ("core",))],
            "shop/c.py": [Import("shop.core", 1, ("Order",))],
            "tests/test_a.py": [Import("shop.a", 1)],
            "tests/test_b.py": [Import("shop.a", 1)],
        },
        "shop/core.py",
    )
    assert graph.hubs(5) == [("shop/core.py", 3)]
    assert graph.edges["tests/test_a.py"] == ("shop/a.py",)


def test_directory_imports_and_cycles() -> None:
    graph = _edges(
        {
            "app/web/a.py": ["app.db.b", "app.mail.c"],
            "app/db/b.py": ["app.web.a"],
            "app/mail/c.py": ["app.db.b"],
            "app/tests/test_a.py": ["app.web.a"],
        },
        "app/__init__.py",
    )
    between = {
        ("app/db", "app/web"): 1,
        ("app/mail", "app/db"): 1,
        ("app/web", "app/db"): 1,
        ("app/web", "app/mail"): 1,
    }
    assert graph.between_directories(2) == between
    assert graph.cycles(3) == [("app/web/a.py", "app/db/b.py")]
    assert graph.cycles(3, "directories") == [("app/web", "app/db")]


def test_quick_import_counts_split_a_package_among_its_files() -> None:
    imports: dict[str, tuple[str, ...]] = {f"cmd/c{n}/main.go": ("example.org/shop/store",) for n in range(6)}
    imports |= {"x/a.py": ("x", "x.util"), "x/b.py": ("x", "x.util")}
    found = import_counts(
        imports, [*imports, "store/a.go", "store/b.go", "store/a_test.go", "x/__init__.py", "x/util.py"]
    )
    assert found == {"store/a.go": 3, "store/b.go": 3, "x/util.py": 2}


def test_graph_is_subquadratic_and_long_chains_do_not_recurse() -> None:
    def analyze(imports: dict[str, list[Import]]) -> None:
        graph = import_graph(imports, list(imports), {})
        assert graph.hubs(10)
        assert len(graph.cycles(5)) == 1

    def prepare(size: int, repetition: int) -> Work:
        imports = {
            f"pkg{n % 50}/m{n}.py": [Import(f"pkg{k % 50}.m{k}", 1) for k in ((n + 1) % size, n // 2, n // 3)]
            for n in range(size)
        }
        return lambda: analyze(imports)

    assert_subquadratic(prepare, 1_250)


@pytest.mark.parametrize("ending", ["py", "ts", "go", "rs", "java", "cs", "rb", "php", "c"])
def test_hostile_targets_resolve_to_nothing(ending: str) -> None:
    targets = [
        "",
        ".",
        "..",
        "." * 5000,
        "../" * 5000,
        "a." * 5000,
        "::" * 900,
        "\\" * 900,
        "/",
        "@",
        "mod ",
        "<",
        "*",
        "#",
    ]
    path = f"src/a.{ending}"
    assert _edges({path: [*targets], f"src/b.{ending}": []}).edges.get(path, ()) in ((), ("src/",))
