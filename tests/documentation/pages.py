"""The pages of docs/reference, made from the code; ``make docs`` writes them and a test compares."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from cairn.base import errors
from cairn.base.settings import PREFIX, Settings
from cairn.entry.application import ROUTES
from cairn.entry.main import app as command
from cairn.web.routes import Route

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
_NOTE = "<!-- Made from the code by `make docs`; edit the code, not this page. -->\n\n"


def settings_page() -> str:
    lines = [
        "# Settings\n",
        "Environment variables, or the same names in `cairn.toml` (in the current folder, else in the data folder;",
        "the environment wins). An unknown name or a bad value stops the start with one line.\n",
        "| setting | default | meaning |",
        "|---|---|---|",
    ]
    for field in dataclasses.fields(Settings):
        shown = field.metadata["shown"]
        default = shown if shown is not None else f"`{_plain(field.default)}`"
        secret = " Secret: never logged." if field.metadata["secret"] else ""
        lines.append(f"| `{PREFIX}{field.name.upper()}` | {default} | {field.metadata['doc']}{secret} |")
    return _NOTE + "\n".join(lines) + "\n"


def _plain(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(str(entry) for entry in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def endpoints_page() -> str:
    lines = [
        "# Endpoints\n",
        "Every route, who may call it, what it answers. The machine-readable form is `/openapi.json`, the",
        "readable one with all shapes `/docs` on a running server.",
    ]
    groups: dict[str, list[Route]] = {}
    for route in ROUTES:
        groups.setdefault(route.group, []).append(route)
    for group, routes in groups.items():
        lines += [f"\n## {group}\n", "| method and path | who | answers | what it does |", "|---|---|---|---|"]
        lines += [
            f"| {route.method} `{route.path}` | {_who(route)} | {_answers(route)} | {route.summary} |"
            for route in routes
        ]
    return _NOTE + "\n".join(lines) + "\n"


def _who(route: Route) -> str:
    needs = route.needs
    words = [
        word
        for word, holds in (
            ("key", needs.by_key),
            ("login", needs.by_login),
            ("signature", needs.by_signature),
            ("ticket", needs.by_ticket),
        )
        if holds
    ]
    who = " or ".join(words) or "anyone"
    return f"{who}; {', '.join(sorted(needs.roles, reverse=True))}" if needs.roles else who


def _answers(route: Route) -> str:
    statuses = [str(route.status), *sorted({str(kind.status) for kind in route.errors})]
    return ", ".join(statuses)


def errors_page() -> str:
    lines = [
        "# Errors\n",
        'Every refusal is `{"error": text}` with one of these. Words in braces are filled in.\n',
        "| status | text |",
        "|---|---|",
    ]
    rows = sorted({(kind.status, kind.text) for kind in errors.table().values()})
    lines += [f"| {status} | {text.replace('|', chr(92) + '|').replace('<', '&lt;')} |" for status, text in rows]
    return _NOTE + "\n".join(lines) + "\n"


def commands_page() -> str:
    lines = ["# Commands\n", "What `cairn --help` and its parts say."]
    root: Any = typer.main.get_command(command)
    for words, found in _commands(["cairn"], root):
        lines += [f"\n## {' '.join(words)}\n", (found.help or "").strip()]
        options = [option for option in found.params if option.name != "help"]
        if options:
            lines += ["", "| option | meaning |", "|---|---|"]
            for option in options:
                name = ", ".join(f"`{part}`" for part in option.opts) if option.opts else option.name
                text = getattr(option, "help", None) or "argument"
                lines.append(f"| {name}{' (required)' if option.required else ''} | {text} |")
    return _NOTE + "\n".join(lines) + "\n"


def _commands(words: list[str], found: Any) -> list[tuple[list[str], Any]]:
    below = getattr(found, "commands", None)
    if below is None:
        return [(words, found)]
    return [(words, found), *(entry for name, part in below.items() for entry in _commands([*words, name], part))]


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "endpoints.md": endpoints_page,
    "errors.md": errors_page,
    "commands.md": commands_page,
}
