"""The main directories of a codebase and their roles."""

from __future__ import annotations

from loremark.memory.codebase.layout import main_directories
from loremark.memory.codebase.records import Codebase, Entry, FileFacts, Import, Model


def _codebase(files: dict[str, FileFacts], *others: str) -> Codebase:
    return Codebase("shop", tuple(sorted([*files, *others])), files)


def test_django_project_lists_its_apps() -> None:
    orm = FileFacts("python", 200, models=(Model("Order", "orm", 3),))
    routes = FileFacts("python", 60, entries=tuple(Entry("route", f"GET /{n}", n) for n in range(4)))
    files = {f"shop/{app}/{name}": orm for app in ("orders", "users") for name in ("models.py", "views.py")}
    files |= {"shop/orders/urls.py": routes, "shop/settings.py": FileFacts("python", 90), "manage.py": orm}
    others = ["tests/test_a.py", "tests/test_b.py", "docs/a.md", "docs/b.md", ".github/workflows/ci.yml"]
    others += ["shop/__init__.py", "templates/a.html", "templates/b.html", "node_modules/x/index.js"]
    found = {directory.path: directory.role for directory in main_directories(_codebase(files, *others))}
    assert found["shop/orders"] == "Django app: HTTP routes, database models"
    assert found["shop/users"] == "Django app: database models"
    assert found["tests"] == "tests"
    assert found["docs"] == "documentation"
    assert found["templates"] == "templates"
    assert not any("node_modules" in path for path in found)


def test_workspace_lists_its_packages_and_code_overrides_names() -> None:
    rust, react = FileFacts("rust", 500), FileFacts("tsx", 100, imports=(Import("react", 1),))
    files = {f"crates/{name}/src/{file}.rs": rust for name in ("core", "views") for file in ("lib", "a", "b")}
    files |= {f"web/src/components/C{n}.tsx": react for n in range(6)} | {
        f"web/src/lib/{n}.ts": react for n in range(2)
    }
    found = main_directories(_codebase(files, "crates/core/Cargo.toml", "crates/views/Cargo.toml", "web/package.json"))
    roles = {directory.path: directory.role for directory in found}
    assert roles["crates/core"] == "Rust crate"
    assert roles["crates/views"] == "Rust crate: views"
    assert roles["web/src/components"] == "React components"
    core = next(directory for directory in found if directory.path == "crates/core")
    assert (core.files, core.lines, core.languages) == (4, 1500, ("rust", "toml"))


def test_empty_and_garbage_input() -> None:
    assert main_directories(_codebase({})) == []
    deep = "/".join("d" * 39) + "/x.py"
    found = main_directories(_codebase({}, deep, "a\nb/x.py", "../x.py", *(f"d{n}/x.py" for n in range(500))))
    assert len(found) == 24


def test_small_and_container_directories_are_listed_if_there_is_room() -> None:
    files = {f"src/{area}/{n}.py": FileFacts("python", 900) for area in ("stock", "mail") for n in range(4)}
    files |= {"src/routes/web.py": FileFacts("python", 3), "plugin/larder.vim": FileFacts(None, 40)}
    found = [directory.path for directory in main_directories(_codebase(files, "man/larder.1", "src/stock/deep/a.txt"))]
    assert {"src", "src/stock", "src/mail", "src/routes", "plugin", "man"} <= set(found)
    assert found == sorted(found)
