"""What the bridge must know of a message on its way: the version it speaks, what it names, who sends it."""

from __future__ import annotations

import re
from typing import Any

Message = dict[str, Any]

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_UNPRINTED = re.compile(r"[^\x21-\x7e]+")
_CLIENT_CHARS = 100


def version_of(message: Message) -> str:
    """The version of the protocol that a request of the modern era names."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""


def is_plain_question(message: Message) -> bool:
    """Whether it asks for nothing in particular, such as the next page."""
    params = message.get("params")
    return not isinstance(params, dict) or "cursor" not in params


def name_of(message: Message) -> str | None:
    """What the request is about: a tool, a prompt, an address."""
    params = message.get("params")
    key = _NAMED_BY.get(str(message.get("method")))
    name = params.get(key) if isinstance(params, dict) and key is not None else None
    return name if isinstance(name, str) else None


def client_of(message: Message) -> tuple[str, str]:
    """The name of the program that greets, as a header may carry it, and the version it asks for."""
    params = message.get("params")
    if not isinstance(params, dict):
        return "", ""
    info = params.get("clientInfo")
    name = info.get("name") if isinstance(info, dict) else None
    told = _UNPRINTED.sub("-", name[:_CLIENT_CHARS]) if isinstance(name, str) else ""
    return told, str(params.get("protocolVersion", ""))
