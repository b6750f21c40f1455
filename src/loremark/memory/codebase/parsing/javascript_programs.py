"""Finds JavaScript programs: commands, processes, browser applications."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import (
    JavaScriptNodes,
    arguments,
    first_string,
    is_top_level,
    pairs,
)
from loremark.memory.codebase.parsing.literals import plain, stem, words
from loremark.memory.codebase.parsing.syntax import text

_COMMAND_LIBRARIES = words(
    "commander yargs yargs/yargs cac sade citty @commander-js/extra-typings caporal @caporal/core vorpal meow clipanion"
)
_OCLIF = re.compile(r"(?:^|/)commands/(.{1,100})\.[jt]s$")
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
_ARGUMENTS = words("minimist mri arg getopts command-line-args yargs-parser optimist")
_PARSING = words("parse parseAsync parseSync meow runMain runExit")
_MAIN = re.compile(
    rb"require\.main\s{0,4}={2,3}\s{0,4}module|module\s{0,4}={2,3}\s{0,4}require\.main|import\.meta\.main"
)
_BY_ADDRESS = re.compile(
    rb"import\.meta\.url[^\n]{0,80}process\.argv\[1\]|process\.argv\[1\][^\n]{0,80}import\.meta\.url"
)
# Tool configuration files read arguments too, but are not programs.
_SETUP = re.compile(r"(?:.*/)?(?:[\w.-]{0,60}(?:config|conf|setup)[\w.-]{0,20}|gulpfile|[Gg]runtfile)\.[cm]?[jt]s")
# Maintenance scripts of the project's developers; those with ``#!`` are still listed.
_CHORE = re.compile(r"(?:.*/)?(?:scripts?|\.github|\.storybook|build[\w-]{0,20}|tools?|examples?)/.*")
_MAIN_FUNCTIONS = frozenset(("main", "run", "cli", "start"))
_FEWEST_PARTS = 3


def read(root: Node, source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """Finds commands, other programs and browser applications, in this order."""
    _commands(root, source, found, into)
    _mains(root, source, found, into)
    for owner, name, call in found.calls:
        if name in _ROOTS and found.uses(*_ROOTS[name]) and not (name == "render" and owner == "root"):
            into.entry("page", "browser app", call)
            return
    if not any(entry.name == "browser app" for entry in into.entries):
        _older_browser_apps(root, source, found, into)


def _commands(root: Node, source: bytes, found: JavaScriptNodes, into: Collector) -> None:
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
    if len(into.entries) == before and (source.startswith(b"#!") or _takes_arguments(root, source, found, into.path)):
        into.entry("cli", _own_name(found) or stem(into.path), root)


def _own_name(found: JavaScriptNodes) -> str:
    """``shop`` of ``program.name("shop")``."""
    if found.packages.isdisjoint(_COMMAND_LIBRARIES):
        return ""
    return next((first_string(call) or "" for _, name, call in found.calls if name in ("name", "scriptName")), "")


def _takes_arguments(root: Node, source: bytes, found: JavaScriptNodes, path: str) -> bool:
    """A program without subcommands: a library or the file itself parses the arguments."""
    if _SETUP.fullmatch(path) or _CHORE.fullmatch(path):
        return False
    if not found.packages.isdisjoint(_COMMAND_LIBRARIES):
        return any(name in _PARSING for _, name, _ in found.calls)
    if b"process.argv" not in source:
        return found.uses("util", "node:util") and any(name == "parseArgs" for _, name, _ in found.calls)
    return not found.packages.isdisjoint(_ARGUMENTS) or _looks_at_arguments(root, source)


def _looks_at_arguments(root: Node, source: bytes) -> bool:
    """Whether ``process.argv`` is read when the file is loaded or in its main function."""
    at = source.find(b"process.argv")
    node = root.descendant_for_byte_range(at, at + len(b"process.argv"))
    if node is None:
        return False
    if is_top_level(node):
        return True
    around = node
    for _ in range(40):
        if around.type == "function_declaration":
            return text(around.child_by_field_name("name")) in _MAIN_FUNCTIONS
        if around.parent is None:
            return False
        around = around.parent
    return False


def _mains(root: Node, source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """Files with a shebang, processes that handle signals, desktop applications."""
    if found.uses("electron") and any(_is_electron(*each) for each in found.calls):
        into.entry("main", "Electron app", root)
        return
    if into.has_entry("cli") or _CHORE.fullmatch(into.path):
        return
    is_main = _MAIN.search(source) is not None or (
        b"import.meta.url" in source and _BY_ADDRESS.search(source) is not None
    )
    if is_main or any(_is_process(*each, found) for each in found.calls):
        into.entry("main", "main", root)


def _is_electron(owner: str, name: str, call: Node) -> bool:
    """Other files wait for ``ready`` too, but only the main file handles the last window closing."""
    return owner == "app" and name in ("on", "once") and first_string(call) in ("window-all-closed", "activate")


def _is_process(owner: str, name: str, call: Node, found: JavaScriptNodes) -> bool:
    if owner == "process" and name in ("on", "once"):
        return first_string(call) in ("SIGTERM", "SIGINT") and is_top_level(call)
    return name == "throng" and found.uses("throng") and is_top_level(call)


def _older_browser_apps(root: Node, source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """Code that runs once the page has loaded, and applications of other libraries."""
    parts = sum(each.target.startswith(("./", "../", "@/", "~/")) for each in into.imports)
    for owner, name, call in found.calls:
        is_ready = parts >= _FEWEST_PARTS and _is_ready(owner, name, call) and is_top_level(call)
        is_started = name == "start" and (
            (owner == "Application" and found.uses("@hotwired/stimulus", "stimulus"))
            or (owner == "Alpine" and found.uses("alpinejs"))
        )
        if is_ready or is_started or name == "createInertiaApp" or (owner == "angular" and _is_angular(call, source)):
            into.entry("page", "browser app", call)
            return
    if found.uses("@ember/application") and b"extends Application" in source:
        into.entry("page", "browser app", root)


def _is_ready(owner: str, name: str, call: Node) -> bool:
    if name == "addEventListener":
        return owner in ("document", "window", "globalThis") and first_string(call) in ("DOMContentLoaded", "load")
    return name == "ready" and text(call, 20).startswith(("$(document)", "jQuery(document)"))


def _is_angular(call: Node, source: bytes) -> bool:
    """``angular.module("app", ["ngRoute", …])`` that is also configured here."""
    given = arguments(call)
    is_made = len(given) > 1 and given[1].type == "array" and given[1].named_child_count > 1
    return is_made and (b".config(" in source or b".run(" in source)
