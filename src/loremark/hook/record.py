"""A payload as a record: the same few fields whoever spoke, bounded, without secrets and without our own briefing."""

from __future__ import annotations

from loremark.base.redaction.redacting import redact
from loremark.hook import agents, place, spool, tools
from loremark.hook.agents import text
from loremark.hook.stripping import strip_injected

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import Any, TypeGuard

    from loremark.hook.link import Link
    from loremark.hook.spool import Record

PROMPT_CHARS = 12_000
ANSWER_CHARS = 24_000
_NAME_CHARS = 120
_PATH_CHARS = 1_000
_MARGIN_CHARS = 2_048
_TURNS = ("turn_id", "turn-id", "prompt_id", "generation_id", "execution_id", "turn")
_PROMPTS = ("prompt", "user_prompt", "message", "text")
_ANSWERS = ("last_assistant_message", "prompt_response", "last-assistant-message", "text", "response")
# A session that ends because the next one begins has not been left.
_GOES_ON = frozenset(("clear", "resume"))


def make(agent: str, kind: str, payload: dict[str, Any], link: Link) -> Record | None:
    """The record, free of secrets; None where it says nothing."""
    record: Record = {
        "kind": kind,
        "project": link.project,
        "url": link.url,
        "agent": agent,
        "session": name_like(agents.session_of(payload)) or "unknown",
    }
    turn = name_like(text(payload, *_TURNS))
    model = name_like(text(payload, "model") or text(payload.get("model"), "id", "slug"))
    version = name_like(text(payload, "cursor_version", "clineVersion", "agentVersion", "version"))
    for name, value in (("turn", turn), ("model", model), ("version", version)):
        if value:
            record[name] = value
    if payload.get("type") == "agent-turn-complete":
        record["prompts"] = [clean(each, PROMPT_CHARS) for each in _texts(payload.get("input-messages"))[-1:]]
    if kind == spool.SESSION_START:
        # That a session began is told by what is said in it; of some agents it tells that the one before has ended.
        return record if agent in agents.NEVER_ENDING else None
    if kind == spool.TOOL:
        told = tools.describe(payload, link.folder)
        if told is None:
            return None
        record |= told
    elif kind == spool.PROMPT:
        said = clean(strip_injected(_prompt_of(agent, payload)), PROMPT_CHARS)
        if not said:
            return None
        record["text"] = said
    elif kind in (spool.TURN_END, spool.ANSWER):
        record["text"] = clean(strip_injected(_answer_of(payload)), ANSWER_CHARS)
        path = text(payload, "transcriptPath", "transcript_path")
        if agent == agents.COPILOT and not record["text"] and len(path) <= _PATH_CHARS:
            record["transcript"] = path
    elif kind == spool.SESSION_END and text(payload, "reason") in _GOES_ON:
        record["goes_on"] = True
    if kind in (spool.PROMPT, spool.TURN_END):
        branch = place.branch_of(link.folder)
        if branch:
            record["branch"] = clean(branch, _NAME_CHARS)
    return record


def name_like(value: str) -> str:
    """A name from outside as far as it is one: no blanks, no signs that mean something elsewhere."""
    kept = "".join(letter for letter in value[:_NAME_CHARS] if letter.isalnum() or letter in "-_.:/@+[]")
    return redact(kept)[0] if kept else ""


def clean(value: str, most_chars: int) -> str:
    """Without secrets and control characters, and cut. What stands at the cut is looked at whole before it is cut."""
    window = value[: most_chars + _MARGIN_CHARS]
    window = "".join(letter for letter in window if letter >= " " or letter in "\n\t") if _is_odd(window) else window
    found = redact(window)[0].strip()
    if len(value) > most_chars:
        found = found[: max(0, min(most_chars, len(found) - _MARGIN_CHARS))]
    return found


def _is_odd(value: str) -> bool:
    return not value.isprintable()


def _prompt_of(agent: str, payload: dict[str, Any]) -> str:
    for holder in (payload, payload.get("userPromptSubmit"), payload.get("tool_info")):
        if found := text(holder, *_PROMPTS):
            is_quoted = agent == agents.OPENCODE and len(found) > 1 and found[0] == found[-1] == '"'
            return found[1:-1] if is_quoted else found  # opencode quotes what it was given on its command line
    return ""


def _answer_of(payload: dict[str, Any]) -> str:
    if found := text(payload, *_ANSWERS):
        return found
    done = payload.get("taskComplete")
    for holder in (
        payload.get("turn"),
        payload.get("tool_info"),
        done.get("taskMetadata") if _is_object(done) else None,
    ):
        if found := text(holder, "outputText", "response", "result"):
            return found
    return ""


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
