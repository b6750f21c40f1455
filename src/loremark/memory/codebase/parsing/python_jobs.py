"""Finds Python background jobs: queue tasks, schedules, consumers, worker threads."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain, stem
from loremark.memory.codebase.parsing.python_calls import (
    PythonNodes,
    arguments,
    called,
    decorators,
    defined,
    first_string,
    receiver,
)
from loremark.memory.codebase.parsing.syntax import text, walk

_JOBS = {
    "shared_task": "",
    "task": "celery huey procrastinate arq taskiq prefect airflow django_tasks",
    "periodic_task": "celery huey",
    "db_task": "huey",
    "db_periodic_task": "huey",
    "actor": "dramatiq",
    "job": "rq django_rq redis_rq dagster",
    "sensor": "dagster",
    "scheduled_job": "",
    "periodic": "procrastinate",
    "flow": "prefect",
    "dag": "airflow",
    "repeat_every": "",
    "loop": "discord nextcord disnake",
    "agent": "faust",
    "timer": "faust nameko",
    "crontab": "faust",
    "event_handler": "nameko",
}
# The Celery application object is often imported from the project itself.
_TASK_OWNERS = frozenset(("celery", "celery_app", "huey", "dramatiq", "app", "broker", "worker"))
_MADE = {
    "Celery": (("celery",), "Celery app"),
    "SimpleWorker": (("rq",), "RQ worker"),
    "KafkaConsumer": (("kafka",), "Kafka consumer"),
    "AIOKafkaConsumer": (("aiokafka",), "Kafka consumer"),
    "Consumer": (("confluent_kafka",), "Kafka consumer"),
    "loop_forever": (("paho",), "MQTT consumer"),
    "Observer": (("watchdog",), "file watcher"),
}
_WORKERS = {"rq": "RQ worker", "arq": "arq worker", "temporalio": "Temporal worker", "saq": "SAQ worker"}
_REPEATING = {"PeriodicCallback": ("tornado",), "LoopingCall": ("twisted",)}
_SCHEDULING = frozenset(("add_job", "add_periodic_task", "schedule", "cron", "do", *_REPEATING))
_BASES = {
    "ConsumerMixin": ("kombu",),
    "ConsumerProducerMixin": ("kombu",),
    "FileSystemEventHandler": ("watchdog",),
}
_WHEN = frozenset(("interval", "cron", "crontab", "schedule", "trigger", "seconds", "minutes", "hours", "every"))
_STARTING = frozenset(("Thread", "Process", "create_task", "ensure_future"))
# Tasks for a connection or request loop as well, until it is over.
_FOR_ONE = ("wait", "ping", "alive", "heartbeat", "timeout", "send", "recv", "receive", "read", "write", "handle")
_TASK_PAUSES = ("sleep(", ".get(")
_PAUSES = ("sleep(", ".wait(", ".get(", ".accept(", ".poll(", ".recv", "wait_for(")
_ENDLESS = ("True", "1", "not self.", "self.", "not stop", "running")
_MAX_BODY_CHARS = 20_000


def read(root: Node, classes: list[Node], found: PythonNodes, into: Collector) -> None:
    """Finds declared jobs, then scheduled jobs, then background threads."""
    is_django = any(each.target == "django.tasks" for each in into.imports)
    for decorated in found.decorated:
        name, definition = defined(decorated)
        for owner, decorator, call, node in decorators(decorated):
            is_job = _is_job(owner, decorator, call, found) or (is_django and decorator == "task")
            if is_job and definition.type == "function_definition":
                _job(call, name, node, into)
    _scheduled(found, into)
    _beat(found, into)
    _listed(found, into)
    for name, call in found.calls:
        _consumer(name, call, found, into)
    for node in classes:
        if any(base in _BASES and found.uses(*_BASES[base]) for base in bases(node)):
            into.entry("job", text(node.child_by_field_name("name")), node)
    if found.uses("threading", "multiprocessing", "asyncio", "_thread"):
        _endless(root, classes, found, into)


def bases(node: Node) -> Iterator[str]:
    """The unqualified base class names."""
    given = node.child_by_field_name("superclasses")
    for child in given.named_children[:20] if given is not None else ():
        if child.type in ("identifier", "attribute"):
            yield text(child).rpartition(".")[2]


def _is_job(owner: str, decorator: str, call: Node | None, found: PythonNodes) -> bool:
    if decorator not in _JOBS:
        return False
    packages = _JOBS[decorator].split()
    if not packages or found.uses(*packages) or (owner in _TASK_OWNERS and decorator == "task"):
        return True
    # ``@job("queue")`` with the project's own decorator based on that of a library.
    return decorator == "job" and not owner and call is not None and first_string(call) is not None


def _job(call: Node | None, name: str, node: Node, into: Collector) -> None:
    named = arguments(call)[1] if call is not None else {}
    into.entry("job", plain(named.get("name")) or plain(named.get("actor_name")) or name, node)


def _scheduled(found: PythonNodes, into: Collector) -> None:
    """Functions passed to a scheduler."""
    knows = found.uses("apscheduler", "flask_apscheduler", "celery", "rq_scheduler")
    for name, call in found.calls:
        if name not in _SCHEDULING:
            continue
        plainly, named = arguments(call)
        function = named.get("func") or named.get("sig") or (plainly[0] if plainly else None)
        if name == "add_periodic_task" and "sig" not in named:
            function = plainly[1] if len(plainly) > 1 else None
        is_one = name in ("add_job", "add_periodic_task") and (knows or _is_timed(call, named))
        is_one = is_one or (name in ("schedule", "cron") and _is_scheduler(call) and "func" in named)
        is_one = is_one or (name == "do" and found.uses("schedule") and "every(" in text(call))
        is_one = is_one or (name in _REPEATING and found.uses(*_REPEATING[name]))
        if is_one:
            into.entry("job", plain(named.get("id")) or plain(function) or _function(function), call)


def _function(node: Node | None) -> str:
    if node is not None and node.type == "lambda":
        node = node.child_by_field_name("body")
    return text(node).partition("(")[0].removeprefix("self.")


def _is_scheduler(call: Node) -> bool:
    return receiver(call).lower().endswith(("scheduler", "sched"))


def _is_timed(call: Node, named: dict[str, Node]) -> bool:
    return _is_scheduler(call) and not named.keys().isdisjoint(("trigger", "seconds", "minutes", "hours", "cron"))


def _beat(found: PythonNodes, into: Collector) -> None:
    """``app.conf.beat_schedule = {"clean": {"task": …, "schedule": …}}`` and the Django setting."""
    for variable, table in found.tables:
        if table.type == "dictionary" and variable.lower().endswith(("beat_schedule", "celerybeat_schedule")):
            for pair in table.named_children[:100]:
                key = pair.child_by_field_name("key") if pair.type == "pair" else None
                into.entry("job", plain(key) or "", pair)


def _listed(found: PythonNodes, into: Collector) -> None:
    """``JOBS = [{"func": clean, "trigger": "interval"}]``: jobs passed to a scheduler as a list."""
    for variable, table in found.tables:
        if table.type != "list" or not variable.lower().endswith("jobs"):
            continue
        for each in table.named_children[:100]:
            given = _literal(each)
            run = next((given[key] for key in ("func", "function", "task", "job") if key in given), None)
            if run is not None and not _WHEN.isdisjoint(given):
                into.entry("job", plain(given.get("id")) or plain(run) or _function(run), each)


def _literal(node: Node) -> dict[str, Node]:
    """The literal keys of a dictionary with their values."""
    found: dict[str, Node] = {}
    for pair in node.named_children[:20] if node.type == "dictionary" else ():
        value = pair.child_by_field_name("value") if pair.type == "pair" else None
        key = plain(pair.child_by_field_name("key"))
        if key is not None and value is not None:
            found[key] = value
    return found


def _consumer(name: str, call: Node, found: PythonNodes, into: Collector) -> None:
    packages, title = _MADE.get(name, ((), ""))
    if title and found.uses(*packages):
        into.entry("job", title, call)
    elif name == "Worker":
        title = next((_WORKERS[package] for package in _WORKERS if package in found.packages), "")
        into.entry("job", title, call)
    elif name == "basic_consume" and found.uses("pika", "amqp", "aio_pika"):
        into.entry("job", first_string(call, "queue") or "queue consumer", call)
    elif name == "DAG" and found.uses("airflow"):
        into.entry("job", first_string(call, "dag_id") or stem(into.path), call)


def _endless(root: Node, classes: list[Node], found: PythonNodes, into: Collector) -> None:
    """Threads and tasks whose function loops forever; those that finish are not jobs."""
    for node in classes:
        if not {"Thread", "Process"}.isdisjoint(bases(node)):
            run = next((each for each in _methods(node) if text(each.child_by_field_name("name")) == "run"), None)
            if run is not None and _goes_round(run):
                into.entry("job", text(node.child_by_field_name("name")), node)
    started = {name: call for name, call in map(_started, found.calls) if name and call is not None}
    if not started:
        return
    for node in walk(root, lambda node: node.type not in ("expression_statement", "string", "comment", "parameters")):
        if node.type == "function_definition":
            call = started.pop(text(node.child_by_field_name("name")), None)
            is_task = call is not None and called(call) in ("create_task", "ensure_future")
            if call is not None and (_goes_on_for_all(node) if is_task else _goes_round(node)):
                into.entry("job", text(node.child_by_field_name("name")).strip("_"), call)


def _started(each: tuple[str, Node]) -> tuple[str, Node | None]:
    """The last part of the name of the function that a thread or task runs."""
    name, call = each
    if name not in _STARTING:
        return "", None
    plainly, named = arguments(call)
    if name in ("Thread", "Process"):
        return text(named.get("target")).rpartition(".")[2], call
    first = plainly[0] if plainly else None
    return (called(first), call) if first is not None and first.type == "call" else ("", None)


def _methods(node: Node) -> Iterator[Node]:
    body = node.child_by_field_name("body")
    for child in body.named_children[:200] if body is not None else ():
        if child.type == "function_definition":
            yield child


def _goes_on_for_all(function: Node) -> bool:
    """Whether a task belongs to the whole program: it never stops and is not tied to a connection."""
    name = text(function.child_by_field_name("name"))
    return not any(word in name for word in _FOR_ONE) and _goes_round(function, _TASK_PAUSES, ("True", "1"))


def _goes_round(function: Node, pauses: tuple[str, ...] = _PAUSES, conditions: tuple[str, ...] = ()) -> bool:
    """``while True:`` or ``while not self.stopping:``, with something to wait for."""
    body = function.child_by_field_name("body")
    for node in walk(body, _is_block) if body is not None else ():
        if node.type != "while_statement":
            continue
        condition = text(node.child_by_field_name("condition"))
        is_endless = condition in conditions if conditions else condition.startswith(_ENDLESS)
        if is_endless and any(pause in text(node, _MAX_BODY_CHARS) for pause in pauses):
            return True
    return False


def _is_block(node: Node) -> bool:
    return node.type in ("block", "try_statement", "with_statement", "if_statement", "else_clause", "finally_clause")
