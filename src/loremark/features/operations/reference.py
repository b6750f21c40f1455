"""The API reference page: plain HTML without scripts."""

from __future__ import annotations

import re
from html import escape
from typing import Any

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Loremark API reference</title>
<link rel="stylesheet" href="/assets/loremark.css"></head><body><main class="reference">
<h1>Loremark API reference</h1>
<p>Generated from <a href="/openapi.json">openapi.json</a>. Bodies are JSON; errors have the form
<code>{"error": text}</code>.</p>
"""


def reference_page(document: Any) -> bytes:
    """All endpoints by group, with authentication, parameters and responses."""
    groups: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            groups.setdefault(operation["tags"][0], []).append(_operation(method, path, operation))
    parts = [_HEAD]
    parts.append("<nav>" + " · ".join(f'<a href="#{name}">{name}</a>' for name in groups) + "</nav>")
    for name, sections in groups.items():
        parts.append(f'<h2 id="{name}">{name}</h2>' + "".join(sections))
    parts.append("<h2 id='schemas'>Schemas</h2>")
    parts += [_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    parts.append("</main></body></html>")
    return "".join(parts).encode()


def _operation(method: str, path: str, operation: Any) -> str:
    who = " or ".join(next(iter(way)) for way in operation["security"]) or "none"
    rows = [("Authentication", who)]
    for parameter in operation["parameters"]:
        needed = "required" if parameter["required"] else "optional"
        rows.append((f"{parameter['in']}: {parameter['name']}", f"{_kind(parameter['schema'])}, {needed}"))
    if "requestBody" in operation:
        rows.append(("Body", _kind(operation["requestBody"]["content"]["application/json"]["schema"])))
    for status, response in operation["responses"].items():
        content = next(iter(response.get("content", {}).values()), None)
        kind = f" → {_kind(content['schema'])}" if content and int(status) < 400 else ""
        rows.append((status, _text(response["description"]) + kind))
    table = "".join(f"<tr><th>{escape(name)}</th><td>{value}</td></tr>" for name, value in rows)
    return (
        f"<section><h3><b>{method.upper()}</b> <code>{escape(path)}</code></h3>"
        f"<p>{_text(operation['summary'])}</p><table>{table}</table></section>"
    )


def _text(description: str) -> str:
    """Return the description as HTML, with ``code`` marked up."""
    return re.sub(r"``?([^`]+)``?", r"<code>\1</code>", escape(description)).replace("\n", " ")


def _kind(schema: Any) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f'<a href="#schema-{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return f"array of {_kind(schema['items'])}" if schema.get("items") else "array"
    if "enum" in schema:
        return escape(" or ".join(str(value) for value in schema["enum"]))
    return escape(str(schema.get("type", "any")) + _range(schema))


def _range(schema: Any) -> str:
    """Return the limits of a text's length or a number, such as ", 1 to 200 characters"."""
    least = schema.get("minLength", schema.get("minimum"))
    most = schema.get("maxLength", schema.get("maximum"))
    if least is None and most is None:
        return ""
    text = f"at most {most}" if least is None else f"at least {least}" if most is None else f"{least} to {most}"
    unit = ""
    if "minLength" in schema or "maxLength" in schema:
        unit = " character" if (least if most is None else most) == 1 else " characters"
    return f", {text}{unit}"


def _schema(name: str, schema: Any) -> str:
    required = set(schema.get("required", ()))
    rows = "".join(
        f"<tr><th>{escape(field)}</th><td>{_kind(kind)}{'' if field in required else ', optional'}</td></tr>"
        for field, kind in schema.get("properties", {}).items()
    )
    text = _text(schema.get("description", ""))
    return f'<section id="schema-{name}"><h3>{name}</h3><p>{text}</p><table>{rows}</table></section>'
