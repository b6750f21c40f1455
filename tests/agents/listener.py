"""A hook that records its input, and an MCP server with one tool.

Run as a script by the agents, so it uses only the standard library.
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
    """Append stdin, the arguments and the names of known environment variables to a file."""
    raw = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    call = {"arguments": arguments, "input": raw, "set": [name for name in _NAMES if name in os.environ]}
    with open(target, "a", encoding="utf-8") as file:
        file.write(json.dumps(call) + "\n")


def serve() -> None:
    """Serve MCP 2025-06-18 over stdio."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        result = _answer(asked["method"], asked.get("params") or {})
        outcome = {"error": {"code": -32601, "message": "Method not found"}} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **outcome}) + "\n")
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
