"""What is worth keeping of a tool's run: its name, what it was asked in a line, and the project's files it changed."""

from __future__ import annotations

import os

from loremark.base.redaction.redacting import redact
from loremark.hook.agents import text

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import Any

_INPUT_CHARS = 300
_NAME_CHARS = 100
_PATH_CHARS = 400
_MOST_FILES = 30
_WINDOW_CHARS = 4_096
_NAMES = ("tool_name", "toolName", "tool", "mcp_tool_name")
_INPUTS = ("tool_input", "toolArgs", "toolInput", "input", "parameters", "args")
_COMMANDS = ("command", "cmd", "script", "CommandLine", "command_line")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename", "target_file", "AbsolutePath")
_PATCHES = ("input", "patch", "patchText", "command")
_PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# A tool that only looks leaves nothing to remember.
_LOOKING = (
    "read", "view", "glob", "grep", "ls", "list", "search", "find", "fetch", "get", "todo", "think", "cat", "open",
    "toolsearch", "websearch", "webfetch", "show", "ask", "report_intent", "codebase", "notebookread", "query",
)  # fmt: skip
_OURS = "loremark"  # what our own tools were asked, the server knows already
_CHANGING = ("edit", "write", "patch", "create", "replace", "insert", "delete", "move", "rename", "save", "update")


def describe(payload: dict[str, Any], folder: str) -> dict[str, Any] | None:
    """The tool's name, the command it ran, the files it changed (as paths in the folder); None for a mere look."""
    holder = _holder(payload)
    name = redact(_printable(text(holder, *_NAMES) or _event_name(payload))[:_NAME_CHARS])[0]
    bare = name.lower().rpartition("__")[2]
    changing = any(word in bare for word in _CHANGING)
    if not name or _OURS in name.lower() or (not changing and bare.startswith(_LOOKING)):
        return None
    asked = _asked(holder)
    told: dict[str, Any] = {"tool": name}
    command = text(asked, *_COMMANDS) or _joined(asked)
    if command and not command.startswith("*** Begin Patch"):
        line = redact(command[:_WINDOW_CHARS])[0].strip()
        told["input"] = _printable(line.replace("\n", " "))[:_INPUT_CHARS]
    if changing or command:
        files = _files(asked, payload, folder, changing=changing)
        if files:
            told["files"] = files
    identity = text(holder, "tool_use_id", "toolCallId", "call_id", "id")
    if identity:
        told["tool_id"] = _printable(identity)[:_NAME_CHARS]
    return told


def _joined(asked: Any) -> str:
    """Cline runs several commands at once."""
    commands = asked.get("commands") if isinstance(asked, dict) else None
    return "; ".join(each for each in commands[:10] if isinstance(each, str)) if isinstance(commands, list) else ""


def _holder(payload: dict[str, Any]) -> dict[str, Any]:
    """The object that tells of the tool: the payload itself, or one inside it."""
    for name in ("tool_result", "postToolUse", "tool_info"):
        inner = payload.get(name)
        if isinstance(inner, dict) and (name != "tool_result" or "input" in inner):
            return {**payload, **inner, "tool_name": text(inner, "toolName", "name") or text(payload, *_NAMES)}
    return payload


def _event_name(payload: dict[str, Any]) -> str:
    """Cursor and Windsurf have an event for each sort of tool, and no tool's name."""
    return text(payload, "hook_event_name", "agent_action_name").removeprefix("after").removeprefix("post_")


def _asked(holder: dict[str, Any]) -> Any:
    for name in _INPUTS:
        value = holder.get(name)
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value:
            return {"input": value, "command": value} if name == "toolArgs" else {"input": value}
    return holder


def _files(asked: Any, payload: dict[str, Any], folder: str, *, changing: bool) -> list[str]:
    found: list[str] = []
    if not isinstance(asked, dict):
        return found
    if changing:
        found += [value for name in _PATHS if (value := text(asked, name) or text(payload, name))]
        edits = asked.get("edits")
        for each in edits[:_MOST_FILES] if isinstance(edits, list) else ():
            found.append(text(each, *_PATHS))
    for name in _PATCHES:
        patch = text(asked, name)
        if "*** " in patch:
            for line in patch[:200_000].splitlines():
                found += [line[len(start) :].strip() for start in _PATCH_LINES if line.startswith(start)]
    inside = (path_inside(path, folder) for path in dict.fromkeys(found[:200]) if path)
    return [path for path in dict.fromkeys(inside) if path][:_MOST_FILES]


def path_inside(path: str, folder: str) -> str:
    """The path as seen from the folder, with slashes; empty where it leads out of it or is no path."""
    if len(path) > _PATH_CHARS or not path.isprintable():
        return ""
    whole = os.path.normpath(os.path.join(folder, path))
    if not whole.startswith(folder + os.sep):
        return ""
    return redact(whole[len(folder) + 1 :].replace(os.sep, "/"))[0]


def _printable(value: str) -> str:
    return "".join(letter for letter in value if letter.isprintable())
