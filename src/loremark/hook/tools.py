"""Summarize a tool call: its name, its command in one line, the project files it changed, and whether it failed."""

from __future__ import annotations

import os

from loremark.base.redaction.redactor import redact
from loremark.hook.agents import first_text, working_folder
from loremark.hook.exclusions import Exclusions
from loremark.hook.tool_errors import find_error

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

_INPUT_CHARS = 300
_NAME_CHARS = 100
_PATH_CHARS = 400
_MAX_FILES = 30
_WINDOW_CHARS = 4_096
_NAMES = ("tool_name", "toolName", "tool", "mcp_tool_name")
_INPUTS = ("tool_input", "toolArgs", "toolInput", "input", "parameters", "args")
_COMMANDS = ("command", "cmd", "script", "CommandLine", "command_line")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename", "target_file", "AbsolutePath")
_PATCHES = ("input", "patch", "patchText", "command")
_PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
# Read-only tools leave nothing to remember.
_READ_ONLY = (
    "read", "view", "glob", "grep", "ls", "list", "search", "find", "fetch", "get", "todo", "think", "cat", "open",
    "toolsearch", "websearch", "webfetch", "show", "ask", "report_intent", "codebase", "notebookread", "query",
)  # fmt: skip
_OWN_TOOLS = "loremark"  # the server already has calls to our own tools
_WRITE_WORDS = ("edit", "write", "patch", "create", "replace", "insert", "delete", "move", "rename", "save", "update")


def describe(payload: dict[str, Any], folder: str, exclusions: Exclusions | None = None) -> dict[str, Any] | None:
    """Return tool, command, changed files (relative to the folder) and failure, or None for a read-only tool.

    Excluded files are left out, and so are commands and errors that mention one.
    """
    exclusions = exclusions or Exclusions(folder, ())
    folders = [folder, os.path.realpath(working_folder(payload) or folder)]
    holder = _holder(payload)
    name = redact(_printable(first_text(holder, *_NAMES) or _event_name(payload))[:_NAME_CHARS])[0]
    bare = name.lower().rpartition("__")[2]
    writes = any(word in bare for word in _WRITE_WORDS)
    if not name or _OWN_TOOLS in name.lower() or (not writes and bare.startswith(_READ_ONLY)):
        return None
    tool_input = _tool_input(holder)
    described: dict[str, Any] = {"tool": name}
    command = first_text(tool_input, *_COMMANDS) or _joined_commands(tool_input)
    is_patch, window = command.startswith("*** Begin Patch"), command[:_WINDOW_CHARS]
    if command and not is_patch and not exclusions.mentioned_in(window, folders):
        line = redact(window)[0].strip()
        described["input"] = _printable(line.replace("\n", " "))[:_INPUT_CHARS]
    error = find_error(payload)
    if error is not None:
        described["failed"] = True
        if error and ("input" in described or not command) and not exclusions.mentioned_in(error, folders):
            described["error"] = error
    elif writes or command:
        files = _files(tool_input, payload, folder, exclusions, writes=writes)
        if files:
            described["files"] = files
    tool_id = first_text(holder, "tool_use_id", "toolCallId", "call_id", "id")
    if tool_id:
        described["tool_id"] = _printable(tool_id)[:_NAME_CHARS]
    return described


def _joined_commands(tool_input: Any) -> str:
    """Join the commands of Cline, which can run several in one call."""
    commands = tool_input.get("commands") if isinstance(tool_input, dict) else None
    return "; ".join(each for each in commands[:10] if isinstance(each, str)) if isinstance(commands, list) else ""


def _holder(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the object that describes the tool: the payload itself or one nested in it."""
    for name in ("tool_result", "postToolUse", "tool_info"):
        inner = payload.get(name)
        if isinstance(inner, dict) and (name != "tool_result" or "input" in inner):
            return {
                **payload,
                **inner,
                "tool_name": first_text(inner, "toolName", "name") or first_text(payload, *_NAMES),
            }
    return payload


def _event_name(payload: dict[str, Any]) -> str:
    """Derive a tool name from the event, for Cursor and Windsurf, which don't send one."""
    return first_text(payload, "hook_event_name", "agent_action_name").removeprefix("after").removeprefix("post_")


def _tool_input(holder: dict[str, Any]) -> Any:
    for name in _INPUTS:
        value = holder.get(name)
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value:
            return {"input": value, "command": value} if name == "toolArgs" else {"input": value}
    return holder


def _files(tool_input: Any, payload: dict[str, Any], folder: str, exclusions: Exclusions, *, writes: bool) -> list[str]:
    found: list[str] = []
    if not isinstance(tool_input, dict):
        return found
    if writes:
        found += [value for name in _PATHS if (value := first_text(tool_input, name) or first_text(payload, name))]
        edits = tool_input.get("edits")
        for each in edits[:_MAX_FILES] if isinstance(edits, list) else ():
            found.append(first_text(each, *_PATHS))
    for name in _PATCHES:
        patch = first_text(tool_input, name)
        if "*** " in patch:
            for line in patch[:200_000].splitlines():
                found += [line[len(start) :].strip() for start in _PATCH_LINES if line.startswith(start)]
    inside = (
        path_inside(path, folder)
        for path in dict.fromkeys(found[:200])
        if path and not exclusions.covers(os.path.normpath(os.path.join(folder, path)))
    )
    return [path for path in dict.fromkeys(inside) if path][:_MAX_FILES]


def path_inside(path: str, folder: str) -> str:
    """Return the path relative to the folder, with slashes; empty if it is outside or not a path."""
    if len(path) > _PATH_CHARS or not path.isprintable():
        return ""
    whole = os.path.normpath(os.path.join(folder, path))
    if not whole.startswith(folder + os.sep):
        return ""
    return redact(whole[len(folder) + 1 :].replace(os.sep, "/"))[0]


def _printable(value: str) -> str:
    return "".join(letter for letter in value if letter.isprintable())
