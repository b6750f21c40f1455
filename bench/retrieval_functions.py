"""Functions of installed packages, searched with typical queries: 296 questions about 4,000 functions.

The set names functions but contains no code, which is read from the installed packages without importing them. A
function that is missing or has moved is left out with its question.
"""

from __future__ import annotations

import ast
import json
import sysconfig
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS

_SET = CHECKOUT_SETS / "functions.jsonl"
_ROOTS = tuple(Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib"))


def functions() -> tuple[dict[str, str], dict[str, str]]:
    """The code of each available function, and the questions about some of them."""
    lines = [json.loads(line) for line in _SET.read_text(encoding="utf-8").splitlines()]
    wanted: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        module, _, name = line["id"].partition(":")
        wanted[module].add(name)
    found = {f"{module}:{name}": code for module in wanted for name, code in _read(module) if name in wanted[module]}
    code = {line["id"]: found[line["id"]] for line in lines if line["id"] in found}
    return code, {line["id"]: line["question"] for line in lines if line["id"] in code and "question" in line}


def _read(module: str) -> Iterator[tuple[str, str]]:
    """Yield each function of a module by its qualified name."""
    for root in _ROOTS:
        folder = root.joinpath(*module.split("."))
        for path in (folder.with_suffix(".py"), folder / "__init__.py"):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                yield from _walk(ast.parse(text).body, text.splitlines(keepends=True))
                return


def _walk(body: list[ast.stmt], lines: list[str], within: str = "") -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield within + node.name, textwrap.dedent("".join(lines[first - 1 : node.end_lineno])).rstrip() + "\n"
        elif isinstance(node, ast.ClassDef):
            yield from _walk(node.body, lines, f"{within}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _walk(node.body, lines, within)
