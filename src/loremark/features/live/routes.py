"""GET /api/live."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from loremark.base import clock, errors
from loremark.features.live.debounce import Debouncer
from loremark.features.live.streams import LiveStreams
from loremark.features.projects.access import find_project
from loremark.jobs import notices
from loremark.web import sse
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.wire.events import LiveEvent

routes = Routes("live")


@routes.add(
    "GET",
    "/api/live",
    needs(KEY | LOGIN, "read"),
    name="stream",
    tx=TxMode.NONE,
    content_type="text/event-stream",
)
async def live(call: Call) -> Stream:
    """Stream a server-sent event for each change visible to the caller. Ends when the caller loses access."""
    if not call.use(LiveStreams).has_room(call.caller.user_id):
        raise errors.UNAVAILABLE({"Retry-After": "30"})
    return Stream(_events(call, call.use(LiveStreams)))


async def _events(call: Call, streams: LiveStreams) -> AsyncGenerator[bytes, None]:
    debouncer, interval_s = Debouncer(), streams.interval_s
    with (
        streams.open_stream(call.caller.user_id),
        call.database.signals.listen(notices.LIVE, notices.ACCESS) as listener,
    ):
        yield sse.event(LiveEvent(type="ready"))
        keep_alive_at = check_at = clock.monotonic() + interval_s
        while True:
            for payload in debouncer.take(clock.monotonic()):
                notice = await _visible(call, payload)
                if notice is not None:
                    keep_alive_at = clock.monotonic() + interval_s
                    yield sse.event(notice)
            signal = await listener.next(timeout=max(0.0, debouncer.due(keep_alive_at) - clock.monotonic()))
            idle = signal is None and clock.monotonic() >= keep_alive_at
            if clock.monotonic() >= check_at or signal == (notices.ACCESS, call.caller.user_id):
                # Also on a busy stream: a login may have expired, or the signal about it may be lost.
                if not await call.still_allowed():
                    return
                check_at = clock.monotonic() + interval_s
            if idle:
                keep_alive_at = clock.monotonic() + interval_s
                yield sse.KEEP_ALIVE
            elif signal is not None and _is_for_team(call, signal):
                debouncer.add(signal[1])


def _is_for_team(call: Call, signal: tuple[str, str]) -> bool:
    """Whether it is a live event of the caller's team."""
    return signal[0] == notices.LIVE and signal[1].startswith(f"{call.caller.team_id} ")


async def _visible(call: Call, payload: str) -> LiveEvent | None:
    """The event, unless its project is not visible to the caller."""
    _, resource, *rest = payload.split(" ")
    project_id = rest[0] if rest else None
    if project_id is None and call.caller.only_project is not None:
        return None
    if project_id is not None and not call.caller.manages:
        async with call.database.read() as tx:
            if await find_project(tx, call.caller, project_id) is None:
                return None
    return LiveEvent(type="changed", resource=resource, project_id=project_id)
