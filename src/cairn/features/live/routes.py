"""GET /api/live."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from cairn.base import clock
from cairn.features.projects.access import find_project
from cairn.jobs import notices
from cairn.web import sse
from cairn.web.call import Call
from cairn.web.needs import KEY, LOGIN, needs
from cairn.web.response import Stream
from cairn.web.routes import Routes, TxMode
from cairn.wire.events import LiveNotice

routes = Routes("live")


class KeepAlive:
    """How often a stream shows that it is alive, and asks whether its caller still may listen."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


@routes.add(
    "GET",
    "/api/live",
    needs(KEY | LOGIN),
    name="stream",
    tx=TxMode.NONE,
    content_type="text/event-stream",
)
async def live(call: Call) -> Stream:
    """Server-sent events: one for each change the caller may see. Ends when the caller loses access."""
    return Stream(_notices(call, call.use(KeepAlive).seconds))


async def _notices(call: Call, pause_s: float) -> AsyncGenerator[bytes, None]:
    user_id = call.caller.user_id
    with call.database.signals.listen(notices.LIVE, notices.ACCESS) as listener:
        yield sse.event(LiveNotice(type="ready"))
        due = clock.monotonic() + pause_s
        while True:
            signal = await listener.next(timeout=max(0.0, due - clock.monotonic()))
            if (signal is None or signal == (notices.ACCESS, user_id)) and not await call.still_allowed():
                return
            piece = await _piece(call, signal)
            if piece is not None:
                due = clock.monotonic() + pause_s
                yield piece


async def _piece(call: Call, signal: tuple[str, str] | None) -> bytes | None:
    """What a signal means for this caller; none at all is time for a sign of life."""
    if signal is None:
        return sse.KEEP_ALIVE
    notice = await _visible(call, signal[1]) if signal[0] == notices.LIVE else None
    return None if notice is None else sse.event(notice)


async def _visible(call: Call, payload: str) -> LiveNotice | None:
    """The notice, if it is of the caller's team and not about a project they may not see."""
    team_id, what, *rest = payload.split(" ")
    project_id = rest[0] if rest else None
    if team_id != call.caller.team_id:
        return None
    if project_id is not None and not call.caller.manages:
        async with call.database.read() as tx:
            if await find_project(tx, call.caller, project_id) is None:
                return None
    return LiveNotice(type="changed", what=what, project_id=project_id)
