"""Finds JavaScript background jobs: queues, schedules, brokers, workers."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import (
    JavaScriptNodes,
    arguments,
    decorator,
    first_string,
    is_top_level,
    members,
    pairs,
)
from loremark.memory.codebase.parsing.literals import plain, stem, words
from loremark.memory.codebase.parsing.syntax import text

_CRONS = words("cron node-cron node-schedule croner @nestjs/schedule toad-scheduler")
_QUEUES = words("bullmq bull bee-queue agenda @nestjs/bull @nestjs/bullmq pg-boss inngest @hokify/agenda bree")
_CRON_CALLS = words("schedule CronJob scheduleJob Cron every")
_SCHEDULING = re.compile(r"schedule\w{0,40}Job")
_THREADS = ("worker_threads", "node:worker_threads")
# Calls that show that a file runs inside a worker, with their package.
_SERVED = {
    "worker": ("workerpool",),
    "expose": ("comlink", "threads", "threads/worker"),
    "registerPromiseWorker": ("promise-worker/register",),
    "registerWebworker": ("webworker-promise/lib/register",),
}
_SERVICE_EVENTS = frozenset(("install", "activate", "fetch", "push"))
_RUN_BY_CLOCK = re.compile(
    r"(?:^|.*/)(?:(?:crons?|schedulers?|schedules?|jobs|workers?|daemons?)/[^/]{1,80}|"
    r"[\w-]{0,40}(?:cron|scheduler|worker|daemon)s?)\.[cm]?[jt]s"
)
_BROWSER = (b"document.", b"window.", b"postMessage(")


def read(source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """Finds queues, schedules, brokers and workers, in this order."""
    if not found.packages.isdisjoint(_QUEUES):
        _queues(found, into)
    if not found.packages.isdisjoint(_CRONS | _QUEUES):
        _crons(found, into)
    else:
        _scheduled(found, into)
    _consumers(found, into)
    _workers(source, found, into)
    if b"setInterval(" in source and not into.has_entry("job"):
        _intervals(source, found, into)


def _queues(found: JavaScriptNodes, into: Collector) -> None:
    for owner, name, call in found.calls:
        is_one = name in ("Worker", "define", "work")
        if is_one or (name == "process" and owner != "process"):
            is_queue = name == "Worker" or owner.lower().endswith("queue") or (not owner and "ueue" in text(call, 60))
            into.entry("job", first_string(call) or _named(call, owner if is_queue else ""), call)
        elif name == "createFunction" and arguments(call):
            into.entry("job", plain(dict(pairs(arguments(call)[0])).get("id")) or "", call)
    for node, decorators in found.classes:
        for each in decorators:
            name, given = decorator(each)
            if name == "Processor" and given is not None:
                into.entry("job", first_string(given) or _processing(node), each)


def _processing(node: Node) -> str:
    """The class name of a queue worker; other classes only listen to job events."""
    for member, _ in members(node):
        if text(member.child_by_field_name("name")) == "process":
            return text(node.child_by_field_name("name"))
    return ""


def _named(call: Node, owner: str) -> str:
    """The constant with the name of a worker's queue, or the queue variable."""
    given = arguments(call)[:1]
    if call.type == "new_expression" and given and given[0].type in ("identifier", "member_expression"):
        return text(given[0]).rpartition(".")[2]
    return owner


def _crons(found: JavaScriptNodes, into: Collector) -> None:
    for _, name, call in found.calls:
        if name in _CRON_CALLS:
            strings = [value for value in map(plain, arguments(call)[:2]) if value]
            if strings:
                named = strings[-1] if len(strings) > 1 and name != "CronJob" else f"cron {strings[0]}"
                into.entry("job", named, call)
            elif name != "every" and _is_given_work(call):
                into.entry("job", "cron", call)
    for node, _ in found.classes:
        for member, decorators in members(node):
            if any(decorator(each)[0] in ("Cron", "Interval", "Process") for each in decorators):
                into.entry("job", text(member.child_by_field_name("name")), member)


def _is_given_work(call: Node) -> bool:
    """Whether the second argument is a function; the time may be defined elsewhere."""
    given = arguments(call)
    return len(given) > 1 and given[1].type in ("arrow_function", "function_expression", "identifier")


def _scheduled(found: JavaScriptNodes, into: Collector) -> None:
    """``scheduleNightlyJob("clean", rule, clean)``: a project's own wrapper around a scheduling library."""
    for owner, name, call in found.calls:
        if name == "add" and owner.endswith(("SyncedCron", "syncedCron")) and arguments(call):
            into.entry("job", plain(dict(pairs(arguments(call)[0])).get("name")) or stem(into.path), call)
        if name.startswith("schedule") and _SCHEDULING.fullmatch(name) and len(arguments(call)) > 2:
            named = first_string(call) or ""
            into.entry("job", named if "${" not in named else stem(into.path), call)


def _consumers(found: JavaScriptNodes, into: Collector) -> None:
    """Consumers of message brokers."""
    for _, name, call in found.calls:
        if name == "consume" and found.uses("amqplib", "amqplib/callback_api", "amqp-connection-manager"):
            into.entry("job", first_string(call) or "queue consumer", call)
        elif name == "run" and found.uses("kafkajs") and "eachMessage" in text(call) + text(call, 400):
            into.entry("job", "Kafka consumer", call)
        elif name == "create" and found.uses("sqs-consumer"):
            into.entry("job", "SQS consumer", call)


def _workers(source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """Files that run as a separate thread or process; in a browser, those that load a program."""
    for owner, name, call in found.calls:
        is_thread = found.uses(*_THREADS) and text(call, 12).startswith("parentPort")
        is_child = owner == "process" and name == "on" and first_string(call) == "message" and b"process.send" in source
        is_served = name in _SERVED and found.uses(*_SERVED[name]) and is_top_level(call)
        if is_thread or is_served or (is_child and is_top_level(call)):
            into.entry("job", f"worker {stem(into.path)}", call)
            return
        if owner == "self" and name == "addEventListener":
            event = first_string(call)
            if event in _SERVICE_EVENTS:
                into.entry("job", "service worker", call)
                return
            if event in ("message", "connect") and b"importScripts" in source and is_top_level(call):
                into.entry("job", "web worker", call)
                return


def _intervals(source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """An interval alone is not enough: it is a job if the file is named like one and is not for a browser."""
    if not _RUN_BY_CLOCK.fullmatch(into.path) or any(word in source for word in _BROWSER):
        return
    for owner, name, call in found.calls:
        if name == "setInterval" and not owner:
            into.entry("job", f"interval in {stem(into.path)}", call)
            return
