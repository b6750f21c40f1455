"""Architecture rules that import contracts cannot express, checked on the source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "loremark"
MODULE_LINES = 600
HANDLER_STATEMENTS = 15

# These catch every exception so that one failed request, job, event or check does not affect the others;
# storage/group_commit.py does so for each submission in a shared transaction.
MAY_CATCH_ALL = {
    "web/app.py",
    "jobs/runner.py",
    "jobs/outbox.py",
    "storage/group_commit.py",
    "hook/hook.py",
    "features/enrichment/enrich.py",
}
# The caller is identified before there is a team to scope by.
UNSCOPED_STORES = {"features/identity/store.py"}


@cache
def _modules() -> list[tuple[str, ast.Module, str]]:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return [(path.relative_to(SOURCE).as_posix(), ast.parse(text), text) for path, text in texts.items()]


def test_modules_are_small() -> None:
    too_long = {
        name: text.count("\n")
        for name, _, text in _modules()
        if text.count("\n") > MODULE_LINES and "migrations/versions" not in name
    }
    assert too_long == {}


def test_every_module_has_a_docstring() -> None:
    undocumented = [
        name for name, tree, _ in _modules() if not ast.get_docstring(tree) and "versions/__init__" not in name
    ]
    assert undocumented == []


def test_feature_packages_only_document_what_they_own() -> None:
    for name, tree, _ in _modules():
        parts = name.split("/")
        if parts[0] == "features" and len(parts) == 3 and parts[2] == "__init__.py":
            assert len(tree.body) == 1, f"{name} contains more than its docstring"
            assert "Owns" in (ast.get_docstring(tree) or ""), f"{name} does not say what it owns"


def test_only_known_modules_catch_every_exception() -> None:
    found = {
        name
        for name, tree, _ in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and _catches_all(node)
    }
    assert found == MAY_CATCH_ALL


def _catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether the handler catches every exception; cleaning up and re-raising does not count."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    is_broad = handler.type is None or not names.isdisjoint(("Exception", "BaseException"))
    last = handler.body[-1]
    return is_broad and not (isinstance(last, ast.Raise) and last.exc is None)


def test_services_and_stores_never_commit() -> None:
    """Only the outermost layer opens write transactions, except for work that waits (passwords, mail)."""
    openers = {
        name
        for name, tree, _ in _modules()
        if name.startswith("features/") and name.endswith("store.py")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("write", "commit")
    }
    assert openers == set()


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SOURCE.glob("features/*/store.py")))
def test_every_store_function_takes_a_scope_or_caller(name: str) -> None:
    path = f"features/{name}/store.py"
    if path in UNSCOPED_STORES:
        return
    for node in ast.parse((SOURCE / path).read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.AsyncFunctionDef):
            continue
        parameters = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        scoped = "scope" in parameters or "caller" in parameters
        explained = "Unscoped" in (ast.get_docstring(node) or "")
        assert scoped or explained, f"{path}: {node.name} takes neither scope nor caller and does not say why"


def test_scoped_store_functions_use_their_scope() -> None:
    """The scope must be used in the body, not only accepted in the signature."""
    for name, tree, _ in _modules():
        if not (name.startswith("features/") and name.endswith("/store.py")):
            continue
        for node in tree.body:
            if isinstance(node, ast.AsyncFunctionDef) and "scope" in [argument.arg for argument in node.args.args]:
                used = any(isinstance(part, ast.Name) and part.id == "scope" for part in ast.walk(node))
                assert used, f"{name}: {node.name} ignores its scope"


def test_handlers_are_short() -> None:
    """A handler only parses the request, calls a service or store, and builds the response."""
    for name, tree, _ in _modules():
        if not name.endswith("/routes.py"):
            continue
        for node in tree.body:
            if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
                statements = sum(isinstance(part, ast.stmt) for part in ast.walk(node)) - 1
                assert statements <= HANDLER_STATEMENTS, f"{name}: {node.name} has {statements} statements"


def test_no_catch_all_modules() -> None:
    forbidden = {"utils", "util", "helpers", "helper", "common", "misc", "lib"}
    found = [name for name, _, _ in _modules() if forbidden & set(Path(name).with_suffix("").parts)]
    assert found == []
