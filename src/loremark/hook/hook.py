"""Entry point of ``loremark hook``, called by agents and git. Never fails; prints only what the agent expects."""

from __future__ import annotations

import json
import os

from loremark.base.session_source import session_source
from loremark.hook import agents, link, pausing, payload, spool

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

# Set in the environment of agents that we ask in the background: their sessions are not the developer's.
HEADLESS = "LOREMARK_HEADLESS"
_DISABLED = ("LOREMARK_DISABLED", HEADLESS)
_HINT_CHARS = 40
# Sources of a session start after which the agent has forgotten the first briefing.
_FRESH_STARTS = frozenset(("compact", "clear"))


def main(arguments: list[str]) -> int:
    """Run ``AGENT [EVENT]`` (hints only), ``git EVENT`` or ``flush``, then exit with status 0.

    Uses os._exit: Python's own shutdown takes a tenth of the time budget and can still fail.
    """
    if arguments[:1] == ["flush"]:
        from loremark.hook import spawn

        spawn.limit_lifetime()
    run(arguments)
    os._exit(0)


def run(arguments: list[str]) -> None:
    """Like ``main``, but return instead of exiting."""
    try:
        _run(arguments)
    except (Exception, KeyboardInterrupt):  # outermost boundary: an agent must never see its hook fail
        return


def _run(arguments: list[str]) -> None:
    if any(os.environ.get(name, "") not in ("", "0") for name in _DISABLED):
        return
    command = arguments[0] if arguments else ""
    if command == "git":
        from loremark.hook import commits

        commits.record_git_hook(arguments[1] if len(arguments) > 1 else "", arguments[2:], os.getcwd())
    elif command == "flush":
        from loremark.hook import flush

        flush.run(retry_rejected=True)
    else:
        _handle_event(arguments)


def _handle_event(arguments: list[str]) -> None:
    """Answer an agent's event, then record it."""
    event = _read_event(arguments)
    if event is None:
        return
    hints = [each for each in arguments if not each.startswith("{")]
    agent = agents.detect(event, hints[0][:_HINT_CHARS] if hints else "")
    kind = agents.record_kind(agent, event, hints[1][:_HINT_CHARS] if len(hints) > 1 else "")
    response = _default_response(agent)
    if kind is not None:
        folder = agents.working_folder(event) or os.getcwd()
        linked, reason = link.resolve_link(folder)
        if linked is not None and pausing.find_pause(linked.folder) is not None:
            linked, reason = None, ""
        entry = None
        if linked is not None:
            if kind == spool.PROMPT:
                entry = _build(agent, kind, event, linked)  # its text has no secrets and no injected blocks
            response = _brief(agent, kind, event, linked, entry) or response
        elif reason == link.UNCONFIRMED and kind in (spool.SESSION_START, spool.PROMPT):
            response = _explain_once(agent, kind, event, folder) or response
        _respond(response)
        if linked is not None:
            _record(kind, entry if kind == spool.PROMPT else _build(agent, kind, event, linked))
        if reason == link.UNRESOLVED and kind in (spool.SESSION_START, spool.PROMPT):
            _queue_folder(folder)
    else:
        _respond(response)


def _read_event(arguments: list[str]) -> dict[str, Any] | None:
    """Decode the event from stdin, or from the last argument (Codex's ``notify``)."""
    if arguments and arguments[-1].startswith("{"):
        return payload.decode(arguments[-1].encode("utf-8", "surrogateescape")[: payload.MAX_BYTES])
    return payload.decode(payload.read_stdin())


def _queue_folder(folder: str) -> None:
    from loremark.hook import spawn

    spool.put({"kind": spool.UNRESOLVED_FOLDER, "folder": folder}, clean=True)
    spawn.start_flusher()


def _build(agent: str, kind: str, event: dict[str, Any], linked: link.Link) -> spool.Record | None:
    from loremark.hook import private_turns, record  # lazy: most folders are not linked

    if private_turns.is_private(agent, kind, event, linked):
        return None
    if kind == spool.TOOL and os.path.exists(os.path.join(spool.folder(), "full")):
        return None
    return record.build(agent, kind, event, linked)


def _record(kind: str, entry: spool.Record | None) -> None:
    from loremark.hook import spawn

    if entry is not None:
        spool.put(entry, clean=True)
    if entry is not None or kind == spool.SESSION_START:
        spawn.start_flusher(kind)


def _brief(
    agent: str, kind: str, event: dict[str, Any], linked: link.Link, entry: spool.Record | None
) -> dict[str, Any] | None:
    """Return the response with a briefing: at session start, with the first prompt, or Cline's first tool call."""
    is_start = kind == (spool.TOOL if agent == agents.CLINE else spool.SESSION_START)
    if not is_start and kind not in (spool.PROMPT, spool.SESSION_START, spool.COMPACT):
        return None
    from loremark.hook import briefing, gitpaths

    session, started_by = agents.session_id(event), agents.first_text(event, "source")
    source = session_source(agent, session or "unknown")
    first_prompt = f"{agent} {session} prompt"
    if kind == spool.COMPACT or started_by in _FRESH_STARTS:
        briefing.forget_briefed(first_prompt)
    text = ""
    if kind == spool.PROMPT and entry is not None and agent in briefing.WITH_PROMPT_CONTEXT:
        if briefing.mark_briefed(first_prompt, once=True):
            text = briefing.load_for_prompt(linked, agent, str(entry["text"]), str(entry.get("branch", "")), source)
    elif is_start and briefing.mark_briefed(f"{agent} {session} {started_by}", once=agent == agents.CLINE):
        text = briefing.load_standing(linked, agent, gitpaths.current_branch(linked.folder) or "", source)
    return briefing.hook_response(agent, kind, event, text) if text else None


def _explain_once(agent: str, kind: str, event: dict[str, Any], folder: str) -> dict[str, Any] | None:
    """Return a response that says how to link this folder, the first time it is used."""
    from loremark.hook import briefing, gitpaths

    repository = gitpaths.find_repository(os.path.realpath(folder))
    place = repository.common if repository is not None else os.path.realpath(folder)
    if not briefing.mark_briefed(f"unlinked {place}", once=True):
        return None
    return briefing.notice_response(
        agent, kind, event, f"Loremark is inactive in this folder (no briefing, no capture): {link.UNCONFIRMED}."
    )


def _default_response(agent: str) -> dict[str, Any] | None:
    if agent == agents.CURSOR:
        return {"continue": True}
    return {"cancel": False} if agent == agents.CLINE else None


def _respond(response: dict[str, Any] | None) -> None:
    if response is None:
        return
    data = memoryview(json.dumps(response).encode())
    try:
        while data:  # bypass sys.stdout, which would fail at exit if the reader is gone
            data = data[os.write(1, data) :]
    except OSError:
        return  # the event is still recorded
