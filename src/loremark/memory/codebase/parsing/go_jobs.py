"""Finds Go background work: tickers, worker pools, queue consumers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.syntax import child_at, text, walk

_MAY_WORK = re.compile(rb"\bgo [\w.]|time\.(?:NewTicker|Tick)\(")
_FUNCTIONS = ("function_declaration", "method_declaration")
_NOT_ENTERED = words(
    "comment parameter_list identifier interpreted_string_literal raw_string_literal field_identifier type_identifier "
    "binary_expression"
)
# Tickers for one connection or screen are not jobs.
_BEATS = re.compile(
    r"ping|pong|heart_?beat|keep_?alive|progress|render|draw|spinner|debounce|throttle|retry|wait|timeout|dial|write|read|"
    r"send|recv|batch|flush|limiter|conn|stream|profil|mem|timers|cache|terminal|watch|index",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"(?:millisecond|microsecond|nanosecond)|^time\.Second$|^(?:\d|1\d|2\d) \* time\.Second$", re.IGNORECASE
)
_LONG = re.compile(r"time\.(?:Minute|Hour)\b")
_OF_SERVICES = re.compile(
    r"schedul|cron|jobs?(?![a-z])|worker|daemon|background|periodic|clean|prun|purg|sweep|janitor|reap|expir|refresh|renew|"
    r"maint|collect|backup|rotat|sync|monitor|poll|start|run|init|setup",
    re.IGNORECASE,
)
_OF_POOLS = re.compile(r"worker|pool|consumer|queue|jobs?(?![a-z])", re.IGNORECASE)
_QUEUE = re.compile(r"queue|jobs?(?![a-z])|tasks?(?![a-z])|work(?![a-z])", re.IGNORECASE)
_CLIENTS = words("websocket quic")
_MAX_JOBS = 3


@dataclass(slots=True)
class _Function:
    """Traits of a function that indicate background work."""

    node: Node
    name: str
    started: list[tuple[str, bool]] = field(default_factory=list)
    """What it starts with ``go``, and whether in a loop."""
    ticks: list[str] = field(default_factory=list)
    """The ticker interval as written, if a loop uses it."""
    queues: list[str] = field(default_factory=list)
    is_waiting: bool = False
    """Whether it waits for what it started; then nothing is left running when it returns."""


def read(root: Node, into: Collector) -> None:
    """The jobs that a file starts."""
    if _MAY_WORK.search(root.text or b"") is None:
        return
    functions = [_look(node) for node in root.named_children if node.type in _FUNCTIONS]
    targets = {name.rpartition(".")[2] for each in functions for name, _ in each.started}
    packages = frozenset(part for each in into.imports for part in each.target.split("/"))
    # In a program or a server, the ticker is part of it.
    may_tick = packages.isdisjoint(_CLIENTS) and not any(entry.kind in ("main", "server") for entry in into.entries)
    stem = into.path.rpartition("/")[2]
    found = 0
    pooled = {target for each in functions if _is_pool(each) for target, _ in each.started}
    for each in functions:
        is_job = _is_pool(each) or (
            each.name not in pooled and (_is_consumer(each, targets) or (may_tick and _is_ticking(each, targets, stem)))
        )
        if is_job and each.name != "main" and found < _MAX_JOBS:
            found += 1
            into.entry("job", each.name, each.node)


def _look(node: Node) -> _Function:
    found = _Function(node, text(node.child_by_field_name("name")))
    body = node.child_by_field_name("body")
    loops: list[tuple[int, int]] = []
    periods: list[str] = []
    for each in walk(body, lambda each: each.type not in _NOT_ENTERED) if body is not None else ():
        kind = each.type
        if kind == "for_statement":
            loops.append((each.start_byte, each.end_byte))
            _range(each, found)
        elif kind == "go_statement":
            in_loop = any(start < each.start_byte < end for start, end in loops)
            call = child_at(each)
            target = call.child_by_field_name("function") if call is not None else None
            is_named = target is not None and target.type != "func_literal"
            found.started.append((text(target) if is_named else "", in_loop))
        elif kind == "call_expression":
            called = text(each.child_by_field_name("function"))
            if called in ("time.NewTicker", "time.Tick"):
                periods.append(text(each.child_by_field_name("arguments")).strip("()"))
            elif called.endswith(".Wait"):
                found.is_waiting = True
    if loops:
        found.ticks = periods
    return found


def _range(loop: Node, found: _Function) -> None:
    """``for job := range queue``: with two variables it iterates over a list."""
    clause = next((each for each in loop.named_children[:2] if each.type == "range_clause"), None)
    if clause is None:
        return
    left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
    if right is not None and (left is None or left.named_child_count == 1) and right.type != "slice_expression":
        found.queues.append(text(right))


def _is_pool(function: _Function) -> bool:
    """A configurable number of workers, started in a loop and left running."""
    return not function.is_waiting and any(
        in_loop and target and _OF_POOLS.search(f"{function.name} {target}") is not None
        for target, in_loop in function.started
    )


def _is_consumer(function: _Function, targets: set[str]) -> bool:
    is_started = function.name in targets
    return is_started and not function.is_waiting and any(_QUEUE.search(queue) is not None for queue in function.queues)


def _is_ticking(function: _Function, targets: set[str], stem: str) -> bool:
    """A loop that ticks every few minutes or at a configured interval, started by a function of this file."""
    is_begun = function.name in targets or any(not target for target, _ in function.started)
    for period in function.ticks:
        if _SHORT.search(period) or _BEATS.search(f"{stem} {function.name} {period}"):
            continue
        is_service = _OF_SERVICES.search(function.name) is not None or _OF_SERVICES.search(stem) is not None
        if is_service and (is_begun or _LONG.search(period) is not None):
            return True
    return False
