"""Reads ``setup.py`` (parsed, never executed) and ``setup.cfg``."""

from __future__ import annotations

import ast
import configparser

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.python import add_requirements, is_for_development

_MAX_CHARS = 100_000
_MAX_NODES = 50_000
_SIGNS = {
    "name": "name",
    "description": "description",
    "version": "version",
    "license": "licence",
    "python_requires": "language-version",
}


def read_setup_py(path: str, content: str) -> ManifestFacts:
    """``setup.py``: the literal arguments of ``setup(…)``."""
    draft = Draft("pypi")
    try:
        tree = ast.parse(content[:_MAX_CHARS])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return draft.facts()
    known: dict[str, ast.expr] = {}
    call: ast.Call | None = None
    for count, node in enumerate(ast.walk(tree)):
        if count > _MAX_NODES:
            break
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = node.value
        elif isinstance(node, ast.Call) and call is None and _name(node.func) == "setup":
            call = node
    if call is None:
        return draft.facts()
    for keyword in call.keywords:
        value = known.get(keyword.value.id, keyword.value) if isinstance(keyword.value, ast.Name) else keyword.value
        _keyword(draft, keyword.arg or "", value, known)
    return draft.facts()


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _keyword(draft: Draft, name: str, value: ast.expr, known: dict[str, ast.expr]) -> None:
    if name in _SIGNS:
        draft.add_sign(_SIGNS[name], value.value if isinstance(value, ast.Constant) else None)
    elif name in ("install_requires", "tests_require", "setup_requires"):
        add_requirements(draft, _words(value, known), is_dev=name != "install_requires")
    elif name == "extras_require" and isinstance(value, ast.Dict):
        for key, rows in zip(value.keys, value.values, strict=False):
            extra = str(key.value) if isinstance(key, ast.Constant) else ""
            add_requirements(draft, _words(rows, known), is_dev=not extra or is_for_development(extra))
    elif name == "entry_points" and isinstance(value, ast.Dict):
        for key, rows in zip(value.keys, value.values, strict=False):
            if isinstance(key, ast.Constant) and key.value in ("console_scripts", "gui_scripts"):
                for row in _words(rows, known):
                    draft.add_entry("cli", str(row).partition("=")[0], rows.lineno)
    elif name == "scripts":
        for row in _words(value, known):
            draft.add_entry("cli", str(row).rpartition("/")[2], value.lineno)


def _words(value: ast.expr, known: dict[str, ast.expr]) -> list[object]:
    """The strings of a list, of a variable with a list, or of a sum of lists, without computed values."""
    waiting, words = [value], list[object]()
    for _ in range(1_000):
        if not waiting:
            break
        node = waiting.pop(0)
        if isinstance(node, ast.Name) and node.id in known:
            waiting.insert(0, known[node.id])
        elif isinstance(node, ast.BinOp):
            waiting[:0] = [node.left, node.right]
        elif isinstance(node, ast.List | ast.Tuple):
            waiting[:0] = node.elts[:500]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.extend(line for line in node.value.splitlines()[:500] if line.strip())
    return words


def read_setup_cfg(path: str, content: str) -> ManifestFacts:
    """``setup.cfg``: metadata, requirements and the settings of tools."""
    draft = Draft("pypi")
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(content[:_MAX_CHARS])
    except configparser.Error:
        return draft.facts()
    for key in ("name", "description", "version", "license"):
        draft.add_sign(_SIGNS[key], parser.get("metadata", key, fallback=""))
    draft.add_sign("language-version", parser.get("options", "python_requires", fallback=""))
    add_requirements(draft, _lines(parser.get("options", "install_requires", fallback="")), is_dev=False)
    add_requirements(draft, _lines(parser.get("options", "tests_require", fallback="")), is_dev=True)
    for section in parser.sections():
        if section == "options.extras_require":
            for extra, rows in parser.items(section):
                add_requirements(draft, _lines(rows), is_dev=is_for_development(extra))
    for row in _lines(parser.get("options.entry_points", "console_scripts", fallback="")):
        draft.add_entry("cli", str(row).partition("=")[0])
    draft.add_sign("tools", [section.removeprefix("tool:") for section in parser.sections() if "." not in section])
    for section in ("flake8", "pycodestyle"):
        draft.add_sign("line-length", parser.get(section, "max-line-length", fallback=""))
    return draft.facts()


def _lines(text: str) -> list[object]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
