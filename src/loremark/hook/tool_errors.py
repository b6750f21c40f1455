"""Find out from an agent's payload whether a tool call failed, and with which error."""

from __future__ import annotations

import json
import re

from loremark.base.redaction.redactor import redact
from loremark.hook.agents import first_text

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

ERROR_CHARS = 200
_TAIL_CHARS = 4_096
_RESPONSE_CHARS = 1 << 20
_MAX_RESULTS = 20
_RESPONSES = ("tool_response", "toolResult", "tool_result", "tool_output", "postToolUse")
_EXIT_CODES = ("exit_code", "exitCode", "exit")
_ERRORS = ("error", "error_message", "errorMessage")
_OUTPUTS = ("stderr", "returnDisplay", "text_result_for_llm", "textResultForLlm", "result", "output", "llmContent")
# Agents that have no field for the exit code append it to the output in their own words.
_EXIT_LINES = (
    re.compile(r"<shellId: \S{1,40} completed with exit code -?(\d{1,10})>\s*\Z"),  # Copilot
    re.compile(r"\nExit Code: -?(\d{1,10})\n(?:\w[^\n]{0,200}\n){0,4}</untrusted_context>\s*\Z"),  # Gemini
)


def find_error(payload: dict[str, Any]) -> str | None:
    """Return the last line of the error without secrets (possibly empty), or None if the call did not fail."""
    is_failure = first_text(payload, "hook_event_name", "hookEventName").lower() == "posttoolusefailure"
    # Copilot does not name its events.
    if is_failure or ("toolName" in payload and "toolResult" not in payload and "error" in payload):
        return _last_line(_error_text(payload))
    for field in _RESPONSES:
        error = _find_in(payload.get(field))
        if error is not None:
            return _last_line(error)
    return None


def _find_in(response: Any) -> str | None:
    """Return the error of a tool's response, or None."""
    if isinstance(response, str):
        response = _decoded(response)
    if isinstance(response, list):
        return next((error for each in response[:_MAX_RESULTS] if (error := _find_in(each)) is not None), None)
    if not isinstance(response, dict):
        return None
    error, output = _error_text(response), first_text(response, *_OUTPUTS)
    has_failed = any(_is_error_code(response.get(name)) for name in _EXIT_CODES)
    has_failed = has_failed or response.get("success") is False or response.get("isError") is True
    has_failed = has_failed or first_text(response, "resultType", "result_type") == "failure"
    for name in _OUTPUTS:
        tail = first_text(response, name)[-_TAIL_CHARS:]
        found = next((found for line in _EXIT_LINES if (found := line.search(tail))), None)
        if found is not None and found.group(1).strip("0"):
            has_failed, output = True, output if found.re is not _EXIT_LINES[0] else tail[: found.start()]
    if has_failed or error:
        return output or error
    return _find_in(response.get("output")) if isinstance(response.get("output"), list | dict) else None


def _decoded(text: str) -> Any:
    """Decode a response that is JSON in a string; other text says nothing about failure."""
    if text[:1] not in "[{" or len(text) > _RESPONSE_CHARS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_error_code(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value != 0


def _error_text(holder: dict[str, Any]) -> str:
    for name in _ERRORS:
        if found := first_text(holder, name) or first_text(holder.get(name), "message"):
            return found
    return ""


def _last_line(text: str) -> str:
    # Redacted before it is cut, so that a secret is recognized by its surroundings.
    lines = redact(text[-_TAIL_CHARS:])[0].splitlines()
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return "".join(letter for letter in last if letter.isprintable())[:ERROR_CHARS]
