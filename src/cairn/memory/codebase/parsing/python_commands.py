"""Commands and jobs in Python."""

from __future__ import annotations

import re

from tree_sitter import Node

from cairn.memory.codebase.parsing.collecting import Collector
from cairn.memory.codebase.parsing.literals import plain, stem
from cairn.memory.codebase.parsing.python_calls import (
    Found,
    arguments,
    decorators,
    defined,
    first_string,
    receiver,
)
from cairn.memory.codebase.parsing.syntax import text

_MANAGEMENT = re.compile(r"(?:^|/)management/commands/([a-z]\w{0,80})\.py$")
_COMMAND_LIBRARIES = ("click", "typer", "flask", "asyncclick", "rich_click", "cyclopts", "cloup", "quart")
_JOBS = {
    "shared_task": "",
    "task": "celery huey procrastinate arq taskiq prefect airflow",
    "periodic_task": "celery huey",
    "db_task": "huey",
    "db_periodic_task": "huey",
    "actor": "dramatiq",
    "job": "rq django_rq redis_rq",
    "scheduled_job": "",
    "periodic": "procrastinate",
    "flow": "prefect",
    "dag": "airflow",
    "repeat_every": "",
}
# An application object of Celery is often imported from the project itself.
_TASK_OWNERS = frozenset(("celery", "celery_app", "huey", "dramatiq", "app", "broker", "worker"))


def read(found: Found, into: Collector) -> None:
    """Commands first, then jobs."""
    management = _MANAGEMENT.search(into.path)
    if management is not None:
        if found.imports:
            into.entry("cli", management.group(1), found.imports[0])
    else:
        _argparse(found, into)
    groups = _groups(found)
    for decorated in found.decorated:
        name, definition = defined(decorated)
        for owner, decorator, call, node in decorators(decorated):
            if decorator == "command" and _is_command(owner, found, groups):
                given = first_string(call, "name") if call is not None else None
                command = given or name.replace("_", "-")
                into.entry("cli", f"{groups.get(owner, '')} {command}".strip(), node)
            elif _is_job(owner, decorator, found) and definition.type == "function_definition":
                _job(call, name, node, into)
    _scheduled(found, into)


def _is_command(owner: str, found: Found, groups: dict[str, str]) -> bool:
    if found.uses("discord", "telegram", "aiogram"):
        return False
    return found.uses(*_COMMAND_LIBRARIES) or owner in groups or owner in ("cli", "click")


def _groups(found: Found) -> dict[str, str]:
    """The words before a command, by the variable of its group."""
    groups: dict[str, str] = {}
    for decorated in found.decorated:
        name, _ = defined(decorated)
        for owner, decorator, call, _ in decorators(decorated):
            if decorator == "group":
                given = first_string(call, "name") if call is not None else None
                is_root = owner in ("", *_COMMAND_LIBRARIES)
                groups[name] = "" if is_root else f"{groups.get(owner, '')} {given or name}".strip()
    for name, call in found.calls:
        if name in ("add_typer", "add_command"):
            plainly, named = arguments(call)
            given = plain(named.get("name"))
            if plainly and given:
                groups[text(plainly[0])] = given
    return groups


def _argparse(found: Found, into: Collector) -> None:
    parsers: list[Node] = []
    before = len(into.entries)
    for name, call in found.calls:
        if name == "ArgumentParser" and found.uses("argparse"):
            parsers.append(call)
        elif name == "add_parser" and receiver(call):
            into.entry("cli", first_string(call, "name") or "", call)
        elif name in ("Fire", "docopt") and found.uses("fire", "docopt"):
            into.entry("cli", stem(into.path), call)
    if parsers and len(into.entries) == before:
        into.entry("cli", plain(arguments(parsers[0])[1].get("prog")) or stem(into.path), parsers[0])


def _is_job(owner: str, decorator: str, found: Found) -> bool:
    if decorator not in _JOBS:
        return False
    packages = _JOBS[decorator].split()
    return not packages or found.uses(*packages) or (owner in _TASK_OWNERS and decorator == "task")


def _job(call: Node | None, name: str, node: Node, into: Collector) -> None:
    named = arguments(call)[1] if call is not None else {}
    into.entry("job", plain(named.get("name")) or plain(named.get("actor_name")) or name, node)


def _scheduled(found: Found, into: Collector) -> None:
    """Functions that are given to a scheduler."""
    if not found.uses("apscheduler", "flask_apscheduler", "celery", "rq_scheduler"):
        return
    for name, call in found.calls:
        if name in ("add_job", "add_periodic_task"):
            plainly, named = arguments(call)
            function = named.get("func") or (plainly[0] if plainly else None)
            if name == "add_periodic_task":
                function = named.get("sig") or (plainly[1] if len(plainly) > 1 else None)
            into.entry("job", plain(named.get("id")) or plain(function) or text(function).partition("(")[0], call)
