"""Convert an agent's payload to a spool record: uniform fields, bounded, without secrets or our own briefing."""

from __future__ import annotations

from loremark.base.redaction.redactor import redact
from loremark.hook import agents, gitpaths, spool
from loremark.hook.agents import first_text
from loremark.hook.injected_text import strip_injected

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any, TypeGuard

    from loremark.hook.link import Link
    from loremark.hook.spool import Record

PROMPT_CHARS = 12_000
ANSWER_CHARS = 24_000
_NAME_CHARS = 120
_PATH_CHARS = 1_000
_MARGIN_CHARS = 2_048
_TURN_FIELDS = ("turn_id", "turn-id", "prompt_id", "generation_id", "execution_id", "turn")
_PROMPT_FIELDS = ("prompt", "user_prompt", "message", "text")
_ANSWER_FIELDS = ("last_assistant_message", "prompt_response", "last-assistant-message", "text", "response")
# Reasons for a session end that mean the conversation continues.
_CONTINUING_REASONS = frozenset(("clear", "resume"))


def build(agent: str, kind: str, payload: dict[str, Any], link: Link) -> Record | None:
    """Return the record without secrets, or None if there is nothing to record."""
    record: Record = {
        "kind": kind,
        "project": link.project,
        "url": link.url,
        "agent": agent,
        "session": sanitize_name(agents.session_id(payload)) or "unknown",
    }
    turn = sanitize_name(first_text(payload, *_TURN_FIELDS))
    model = sanitize_name(first_text(payload, "model") or first_text(payload.get("model"), "id", "slug"))
    version = sanitize_name(first_text(payload, "cursor_version", "clineVersion", "agentVersion", "version"))
    for name, value in (("turn", turn), ("model", model), ("version", version)):
        if value:
            record[name] = value
    if payload.get("type") == "agent-turn-complete" and (prompt := prompt_text(agent, payload)):
        record["prompts"] = [clean(prompt, PROMPT_CHARS)]
    if kind == spool.SESSION_START:
        # Only needed where a start is the only sign that the previous session has ended.
        return record if agent in agents.WITHOUT_SESSION_END else None
    if kind == spool.TOOL:
        from loremark.hook import capture_settings, tools  # lazy: no other kind needs them

        tool = tools.describe(payload, link.folder, capture_settings.exclusions(link.folder))
        if tool is None:
            return None
        record |= tool
    elif kind == spool.PROMPT:
        prompt = clean(prompt_text(agent, payload), PROMPT_CHARS)
        if not prompt:
            return None
        record["text"] = prompt
    elif kind in (spool.TURN_END, spool.ANSWER):
        record["text"] = clean(strip_injected(_answer_of(payload)), ANSWER_CHARS)
        path = first_text(payload, "transcriptPath", "transcript_path")
        if agent == agents.COPILOT and not record["text"] and len(path) <= _PATH_CHARS:
            record["transcript"] = path
    elif kind == spool.SESSION_END and first_text(payload, "reason") in _CONTINUING_REASONS:
        record["continues"] = True
    if kind in (spool.PROMPT, spool.TURN_END):
        branch = gitpaths.current_branch(link.folder)
        if branch:
            record["branch"] = clean(branch, _NAME_CHARS)
    return record


def prompt_text(agent: str, payload: dict[str, Any]) -> str:
    """Return what the user wrote, with secrets and in full."""
    if payload.get("type") == "agent-turn-complete":
        return "".join(_texts(payload.get("input-messages"))[-1:])
    return strip_injected(_prompt_of(agent, payload))


def sanitize_name(value: str) -> str:
    """Keep only safe identifier characters, and redact the result."""
    kept = "".join(letter for letter in value[:_NAME_CHARS] if letter.isalnum() or letter in "-_.:/@+[]")
    return redact(kept)[0] if kept else ""


def clean(value: str, max_chars: int) -> str:
    """Redact secrets, drop control characters and truncate. Redacts a bit past the limit to catch secrets there."""
    window = value[: max_chars + _MARGIN_CHARS]
    window = (
        "".join(letter for letter in window if letter >= " " or letter in "\n\t")
        if _has_control_characters(window)
        else window
    )
    found = redact(window)[0].strip()
    if len(value) > max_chars:
        found = found[: max(0, min(max_chars, len(found) - _MARGIN_CHARS))]
    return found


def _has_control_characters(value: str) -> bool:
    return not value.isprintable()


def _prompt_of(agent: str, payload: dict[str, Any]) -> str:
    for holder in (payload, payload.get("userPromptSubmit"), payload.get("tool_info")):
        if found := first_text(holder, *_PROMPT_FIELDS):
            is_quoted = agent == agents.OPENCODE and len(found) > 1 and found[0] == found[-1] == '"'
            return found[1:-1] if is_quoted else found  # opencode quotes prompts from its command line
    return ""


def _answer_of(payload: dict[str, Any]) -> str:
    if found := first_text(payload, *_ANSWER_FIELDS):
        return found
    done = payload.get("taskComplete")
    for holder in (
        payload.get("turn"),
        payload.get("tool_info"),
        done.get("taskMetadata") if _is_object(done) else None,
    ):
        if found := first_text(holder, "outputText", "response", "result"):
            return found
    return ""


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
