"""Architecture rules that import contracts cannot express, checked on the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "loremark"
MODULE_LINES = 600
HANDLER_STATEMENTS = 15

# Where any fault is caught so that one request, job, event or check cannot take the others down;
# in storage/group_commit.py, one submission of a group that shares a transaction.
MAY_CATCH_ALL = {"web/app.py", "jobs/runner.py", "jobs/outbox.py", "storage/group_commit.py", "hook/hook.py"}
# The caller is identified before there is a team to scope by.
UNSCOPED_STORES = {"features/identity/store.py"}


def _modules() -> Iterator[tuple[str, ast.Module, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path.relative_to(SOURCE).as_posix(), ast.parse(text), text


MODULES = list(_modules())


def test_modules_are_small() -> None:
    too_long = {
        name: text.count("\n")
        for name, _, text in MODULES
        if text.count("\n") > MODULE_LINES and "migrations/versions" not in name
    }
    assert too_long == {}


def test_every_module_says_what_it_is() -> None:
    silent = [name for name, tree, _ in MODULES if not ast.get_docstring(tree) and "versions/__init__" not in name]
    assert silent == []


def test_a_feature_says_what_it_owns_and_holds_nothing_else() -> None:
    for name, tree, _ in MODULES:
        parts = name.split("/")
        if parts[0] == "features" and len(parts) == 3 and parts[2] == "__init__.py":
            assert len(tree.body) == 1, f"{name} holds more than its docstring"
            assert "Owns" in (ast.get_docstring(tree) or ""), f"{name} does not say what it owns"


def test_only_a_few_places_catch_everything() -> None:
    found = {
        name
        for name, tree, _ in MODULES
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and _catches_all(node)
    }
    assert found == MAY_CATCH_ALL


def _catches_all(handler: ast.ExceptHandler) -> bool:
    """Alone or among others; what only tidies up and raises it again does not catch it."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    is_wide = handler.type is None or not names.isdisjoint(("Exception", "BaseException"))
    last = handler.body[-1]
    return is_wide and not (isinstance(last, ast.Raise) and last.exc is None)


def test_services_and_stores_never_commit() -> None:
    """Only the edge opens write transactions, but for work that must not hold one while it waits (passwords, mail)."""
    openers = {
        name
        for name, tree, _ in MODULES
        if name.startswith("features/") and name.endswith("store.py")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("write", "commit")
    }
    assert openers == set()


@pytest.mark.parametrize(
    ("name", "tree"),
    [(name, tree) for name, tree, _ in MODULES if name.startswith("features/") and name.endswith("/store.py")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_query_says_whose_data_it_reads(name: str, tree: ast.Module) -> None:
    if name in UNSCOPED_STORES:
        return
    for node in tree.body:
        if not isinstance(node, ast.AsyncFunctionDef):
            continue
        parameters = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        scoped = "scope" in parameters or "caller" in parameters
        explained = "Unscoped" in (ast.get_docstring(node) or "")
        assert scoped or explained, f"{name}: {node.name} takes neither scope nor caller and does not say why"


def test_every_statement_on_a_scoped_table_filters_by_team() -> None:
    """A scoped store function passes its scope on: it appears in the body, not only in the signature."""
    for name, tree, _ in MODULES:
        if not (name.startswith("features/") and name.endswith("/store.py")):
            continue
        for node in tree.body:
            if isinstance(node, ast.AsyncFunctionDef) and "scope" in [argument.arg for argument in node.args.args]:
                used = any(isinstance(part, ast.Name) and part.id == "scope" for part in ast.walk(node))
                assert used, f"{name}: {node.name} ignores its scope"


def test_handlers_only_translate() -> None:
    """A handler reads the call, asks a service or store, and shapes the answer."""
    for name, tree, _ in MODULES:
        if not name.endswith("/routes.py"):
            continue
        for node in tree.body:
            if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
                statements = sum(isinstance(part, ast.stmt) for part in ast.walk(node)) - 1
                assert statements <= HANDLER_STATEMENTS, f"{name}: {node.name} has {statements} statements"


def test_no_drawer_for_everything() -> None:
    forbidden = {"utils", "util", "helpers", "helper", "common", "misc", "lib"}
    found = [name for name, _, _ in MODULES if forbidden & set(Path(name).with_suffix("").parts)]
    assert found == []
