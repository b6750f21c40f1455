"""Read the fields of an MCP message that the bridge needs."""

from __future__ import annotations

import re
from typing import Any

Message = dict[str, Any]

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_UNPRINTABLE = re.compile(r"[^\x21-\x7e]+")
_CLIENT_CHARS = 100


def protocol_version(message: Message) -> str:
    """Return the protocol version named in a request's metadata (2026-07-28 or later), or an empty string."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""


def is_first_page(message: Message) -> bool:
    """Return whether a list request asks for the first page."""
    params = message.get("params")
    return not isinstance(params, dict) or "cursor" not in params


def target_name(message: Message) -> str | None:
    """Return the tool, prompt or resource that the request names, or None."""
    params = message.get("params")
    key = _NAMED_BY.get(str(message.get("method")))
    name = params.get(key) if isinstance(params, dict) and key is not None else None
    return name if isinstance(name, str) else None


def client_info(message: Message) -> tuple[str, str]:
    """Return the client's name, safe for a header, and the protocol version it asks for."""
    params = message.get("params")
    if not isinstance(params, dict):
        return "", ""
    info = params.get("clientInfo")
    name = info.get("name") if isinstance(info, dict) else None
    printable = _UNPRINTABLE.sub("-", name[:_CLIENT_CHARS]) if isinstance(name, str) else ""
    return printable, str(params.get("protocolVersion", ""))
