"""GET /api/live."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from loremark.base import clock, errors
from loremark.features.live.listeners import Listeners
from loremark.features.live.pacing import Pacing
from loremark.features.projects.access import find_project
from loremark.jobs import notices
from loremark.web import sse
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.wire.events import LiveNotice

routes = Routes("live")


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
    if not call.use(Listeners).has_room(call.caller.user_id):
        raise errors.UNAVAILABLE({"Retry-After": "30"})
    return Stream(_notices(call, call.use(Listeners)))


async def _notices(call: Call, listeners: Listeners) -> AsyncGenerator[bytes, None]:
    pacing, pause_s = Pacing(), listeners.pause_s
    with (
        listeners.one_more(call.caller.user_id),
        call.database.signals.listen(notices.LIVE, notices.ACCESS) as listener,
    ):
        yield sse.event(LiveNotice(type="ready"))
        alive = checked = clock.monotonic() + pause_s
        while True:
            for payload in pacing.take(clock.monotonic()):
                notice = await _visible(call, payload)
                if notice is not None:
                    alive = clock.monotonic() + pause_s
                    yield sse.event(notice)
            signal = await listener.next(timeout=max(0.0, pacing.due(alive) - clock.monotonic()))
            silent = signal is None and clock.monotonic() >= alive
            if clock.monotonic() >= checked or signal == (notices.ACCESS, call.caller.user_id):
                # Also where there is much to tell: a login may have expired, a word about it may be lost.
                if not await call.still_allowed():
                    return
                checked = clock.monotonic() + pause_s
            if silent:
                alive = clock.monotonic() + pause_s
                yield sse.KEEP_ALIVE
            elif signal is not None and _is_of(call, signal):
                pacing.add(signal[1])


def _is_of(call: Call, signal: tuple[str, str]) -> bool:
    """Whether it is a notice to the caller's team."""
    return signal[0] == notices.LIVE and signal[1].startswith(f"{call.caller.team_id} ")


async def _visible(call: Call, payload: str) -> LiveNotice | None:
    """The notice, unless it is about a project the caller may not see."""
    _, what, *rest = payload.split(" ")
    project_id = rest[0] if rest else None
    if project_id is not None and not call.caller.manages:
        async with call.database.read() as tx:
            if await find_project(tx, call.caller, project_id) is None:
                return None
    return LiveNotice(type="changed", what=what, project_id=project_id)
