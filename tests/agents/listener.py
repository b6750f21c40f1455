"""A hook that only listens, and a server of tools with one tool: what an agent says to them is written down.

Run as a script by the agents themselves, so it stands on the standard library alone.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_NAMES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID", "GEMINI_CWD", "CODEX_HOME", "COPILOT_HOME")
_TOOL = {
    "name": "memory_search",
    "description": "Search the memory of this project.",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


def listen(target: str, arguments: list[str]) -> None:
    """Append what came on the standard input, the arguments, and which known variables were set."""
    raw = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    heard = {"arguments": arguments, "input": raw, "set": [name for name in _NAMES if name in os.environ]}
    with open(target, "a", encoding="utf-8") as file:
        file.write(json.dumps(heard) + "\n")


def serve() -> None:
    """Speak MCP as of 2025-06-18 over the standard streams."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        result = _answer(asked["method"], asked.get("params") or {})
        told = {"error": {"code": -32601, "message": "Method not found"}} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}) + "\n")
        sys.stdout.flush()


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        server = {"name": "listener", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [_TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "Errors are answered as problem details."}]}
    return None


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        listen(sys.argv[1], sys.argv[2:])
