"""The pages of docs/reference, made from the code; ``make docs`` writes them and a test compares."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from loremark.base import errors
from loremark.base.settings import PREFIX, Settings
from loremark.cli.outline import Option, outline
from loremark.entry.application import ROUTES
from loremark.entry.table import COMMANDS
from loremark.web.routes import Route

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
_NOTE = "<!-- Made from the code by `make docs`; edit the code, not this page. -->\n\n"


def settings_page() -> str:
    lines = [
        "# Settings\n",
        "Environment variables, or the same names in `loremark.toml` (in the current folder, else in the data folder;",
        "the environment wins). An unknown name or a bad value stops the start with one line.",
        "Whoever can write that file can send everything elsewhere: start a server, and `loremark admin`, in no folder",
        "that you would not trust with your keys, such as a stranger's checkout. `loremark serve` names the file.\n",
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


_EXIT_CODES = (
    (0, "done"),
    (1, "it failed; the line on standard error says why"),
    (2, "wrong use, or a setting that must be mended first"),
    (4, "not signed in, or the key has ended: `loremark login`"),
    (130, "interrupted"),
)


def commands_page() -> str:
    lines = [
        "# Commands\n",
        "What `loremark --help` and its parts say. Data goes to standard output, messages to standard error; `--json`",
        "prints what programs read. `NO_COLOR` and `FORCE_COLOR` are heeded. `loremark hook` always ends with 0.\n",
        "| exit code | meaning |",
        "|---|---|",
        *(f"| {code} | {meaning} |" for code, meaning in _EXIT_CODES),
    ]
    for command in outline(COMMANDS):
        lines += [f"\n## loremark {' '.join(command.words)}\n", command.summary.strip()]
        if command.options:
            lines += ["", "| option | meaning |", "|---|---|"]
            lines += [
                f"| `{_cell(option.shown)}`{_needed(option)} | {_meaning(option)} |" for option in command.options
            ]
        if command.examples:
            lines += ["", "```sh", *command.examples, "```"]
    return _NOTE + "\n".join(lines) + "\n"


def _needed(option: Option) -> str:
    return " (required)" if option.required else ""


def _meaning(option: Option) -> str:
    return _cell(option.help) or ", ".join(option.choices)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "endpoints.md": endpoints_page,
    "errors.md": errors_page,
    "commands.md": commands_page,
}
