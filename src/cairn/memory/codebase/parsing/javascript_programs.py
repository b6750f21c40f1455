"""Programs in JavaScript: commands, servers, browser applications, jobs."""

from __future__ import annotations

import re

from tree_sitter import Node

from cairn.memory.codebase.parsing.collecting import Collector
from cairn.memory.codebase.parsing.javascript_calls import (
    Found,
    arguments,
    decorator,
    first_string,
    members,
    pairs,
)
from cairn.memory.codebase.parsing.literals import plain, stem, words
from cairn.memory.codebase.parsing.syntax import text

_COMMAND_LIBRARIES = words(
    "commander yargs yargs/yargs cac sade citty @commander-js/extra-typings caporal @caporal/core vorpal meow clipanion"
)
_OCLIF = re.compile(r"(?:^|/)commands/(.{1,100})\.[jt]s$")
_FRAMEWORKS = {
    "express": "Express",
    "fastify": "Fastify",
    "koa": "Koa",
    "hono": "Hono",
    "@hono/node-server": "Hono",
    "@hapi/hapi": "hapi",
    "restify": "Restify",
    "polka": "Polka",
    "@nestjs/core": "NestJS",
    "elysia": "Elysia",
    "apollo-server": "Apollo",
    "@apollo/server": "Apollo",
    "socket.io": "Socket.IO",
    "ws": "WebSocket",
}
_NETWORK = words("http https http2 net node:http node:https node:http2 node:net")
_LISTENERS = words("app server httpServer fastify http api httpsServer")
_ROOTS = {
    "createRoot": ("react-dom/client", "react-dom"),
    "hydrateRoot": ("react-dom/client", "react-dom"),
    "render": ("react-dom", "preact", "solid-js/web"),
    "hydrate": ("react-dom", "preact", "solid-js/web"),
    "createApp": ("vue",),
    "createSSRApp": ("vue",),
    "Vue": ("vue",),
    "mount": ("svelte",),
    "bootstrapApplication": ("@angular/platform-browser",),
    "bootstrapModule": ("@angular/platform-browser-dynamic", "@angular/platform-browser"),
}
_CRONS = words("cron node-cron node-schedule croner @nestjs/schedule toad-scheduler")
_QUEUES = words("bullmq bull bee-queue agenda @nestjs/bull @nestjs/bullmq pg-boss inngest")


def read(root: Node, source: bytes, found: Found, into: Collector) -> None:
    """Commands, servers, browser applications and jobs, in this order."""
    _commands(root, source, found, into)
    _servers(found, into)
    for owner, name, call in found.calls:
        if name in _ROOTS and found.uses(*_ROOTS[name]) and not (name == "render" and owner == "root"):
            into.entry("page", "browser app", call)
            break
    if not found.packages.isdisjoint(_QUEUES):
        _queues(found, into)
    if not found.packages.isdisjoint(_CRONS | _QUEUES):
        _crons(found, into)


def _commands(root: Node, source: bytes, found: Found, into: Collector) -> None:
    before = len(into.entries)
    if not found.packages.isdisjoint(_COMMAND_LIBRARIES):
        for _, name, call in found.calls:
            if name == "command" and arguments(call):
                first = arguments(call)[0]
                given = plain(first) or plain(dict(pairs(first)).get("command")) or ""
                into.entry("cli", " ".join(word for word in given.split() if word[:1] not in "[<$*"), call)
    oclif = _OCLIF.search(into.path) if found.uses("@oclif/core", "@oclif/command") else None
    if oclif is not None:
        into.entry("cli", oclif.group(1).removesuffix("/index").replace("/", " "), root)
    if source.startswith(b"#!") and len(into.entries) == before:
        into.entry("cli", stem(into.path), root)


def _servers(found: Found, into: Collector) -> None:
    """One for a file: what listens, else what is made to."""
    framework = next((title for package, title in _FRAMEWORKS.items() if package in found.packages), "")
    for owner, name, call in found.calls:
        is_listening = name == "listen" and (framework or (owner in _LISTENERS and arguments(call)))
        is_network = name in ("createServer", "createSecureServer") and not found.packages.isdisjoint(_NETWORK)
        is_runtime = name == "serve" and (owner in ("Bun", "Deno") or found.uses("@hono/node-server"))
        is_nest = name == "create" and owner == "NestFactory"
        if is_listening or is_network or is_runtime or is_nest:
            into.entry("server", f"{framework or 'HTTP'} server", call)
            return


def _queues(found: Found, into: Collector) -> None:
    for _, name, call in found.calls:
        if name in ("Worker", "process", "define", "work"):
            into.entry("job", first_string(call) or "", call)
        elif name == "createFunction" and arguments(call):
            into.entry("job", plain(dict(pairs(arguments(call)[0])).get("id")) or "", call)
    for _, decorators in found.classes:
        for each in decorators:
            name, given = decorator(each)
            if name == "Processor" and given is not None:
                into.entry("job", first_string(given) or "", each)


def _crons(found: Found, into: Collector) -> None:
    for _, name, call in found.calls:
        if name in ("schedule", "CronJob", "scheduleJob", "Cron", "every"):
            strings = [value for value in map(plain, arguments(call)[:2]) if value]
            if strings:
                named = strings[-1] if len(strings) > 1 and name != "CronJob" else f"cron {strings[0]}"
                into.entry("job", named, call)
    for node, _ in found.classes:
        for member, decorators in members(node):
            if any(decorator(each)[0] in ("Cron", "Interval", "Process") for each in decorators):
                into.entry("job", text(member.child_by_field_name("name")), member)
