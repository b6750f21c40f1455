"""``loremark hook``: what an agent or git calls at its events. Always ends well, says only what the agent expects."""

from __future__ import annotations

import json
import os

from loremark.hook import agents, link, payload, spool

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import Any

_OFF = "LOREMARK_DISABLED"
_HINT_CHARS = 40


def main(arguments: list[str]) -> int:
    """Run for these arguments: an agent's name (a hint), ``git EVENT``, or ``flush``. Ends the process, always with 0.

    At once: Python's own way out takes a tenth of the time there is, and can still go wrong.
    """
    if arguments[:1] == ["flush"]:
        from loremark.hook import starting

        starting.limit_life()
    run(arguments)
    os._exit(0)


def run(arguments: list[str]) -> None:
    """The same, and comes back."""
    try:
        _run(arguments)
    except (Exception, KeyboardInterrupt):  # the edge: an agent must never see its hook fail, whatever it was handed
        return


def _run(arguments: list[str]) -> None:
    if os.environ.get(_OFF, "") not in ("", "0"):
        return
    command = arguments[0] if arguments else ""
    if command == "git":
        from loremark.hook import commits

        commits.caught(arguments[1] if len(arguments) > 1 else "", arguments[2:], os.getcwd())
    elif command == "flush":
        from loremark.hook import flush

        flush.run()
    else:
        _heard(arguments)


def _heard(arguments: list[str]) -> None:
    """An agent's event: keep it, and answer what the agent waits for."""
    told = _told(arguments)
    if told is None:
        return
    hints = [each for each in arguments if not each.startswith("{")]
    agent = agents.detect(told, hints[0][:_HINT_CHARS] if hints else "")
    kind = agents.kind_of(agent, told, hints[1][:_HINT_CHARS] if len(hints) > 1 else "")
    answer = _usual_answer(agent)
    if kind is not None:
        folder = agents.folder_of(told) or os.getcwd()
        linked, why = link.look(folder)
        if linked is not None:
            answer = _brief(agent, kind, told, linked) or answer
        _say(answer)
        if linked is not None:
            _keep(agent, kind, told, linked)
        if why == link.UNKNOWN_PLACE and kind in (spool.SESSION_START, spool.PROMPT):
            _ask_for_place(folder)
    else:
        _say(answer)


def _told(arguments: list[str]) -> dict[str, Any] | None:
    """From standard input; Codex's older way hands it over as the last argument."""
    if arguments and arguments[-1].startswith("{"):
        return payload.decode(arguments[-1].encode("utf-8", "surrogateescape")[: payload.MOST_BYTES])
    return payload.decode(payload.read_input())


def _ask_for_place(folder: str) -> None:
    from loremark.hook import starting

    spool.put({"kind": spool.PLACE, "folder": folder}, clean=True)
    starting.start()


def _keep(agent: str, kind: str, told: dict[str, Any], linked: link.Link) -> None:
    from loremark.hook import record, starting  # here: most folders are not linked, and a hook there shall cost nothing

    if kind == spool.TOOL and os.path.exists(os.path.join(spool.folder(), "full")):
        return
    made = record.make(agent, kind, told, linked)
    if made is not None:
        spool.put(made, clean=True)
    if made is not None or kind == spool.SESSION_START:
        starting.start(kind)


def _brief(agent: str, kind: str, told: dict[str, Any], linked: link.Link) -> dict[str, Any] | None:
    """The briefing where the agent takes one: at the start; Cline only after its first tool."""
    late = agent == agents.CLINE
    if kind != (spool.TOOL if late else spool.SESSION_START):
        return None
    from loremark.hook import briefing

    name = f"{agent} {agents.session_of(told)} {agents.text(told, 'source')}"
    if not briefing.is_first(name, ever=late):
        return None
    text = briefing.find(linked, agent)
    return briefing.answer(agent, kind, told, text) if text else None


def _usual_answer(agent: str) -> dict[str, Any] | None:
    if agent == agents.CURSOR:
        return {"continue": True}
    return {"cancel": False} if agent == agents.CLINE else None


def _say(answer: dict[str, Any] | None) -> None:
    if answer is None:
        return
    data = memoryview(json.dumps(answer).encode())
    try:
        while data:  # past Python's own buffer, which would complain at the end where nobody listens any more
            data = data[os.write(1, data) :]
    except OSError:
        return  # what was told is kept all the same
