"""Listening: the app on Granian, inside our own event loop, until a signal asks to stop."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from cairn.base import log
from cairn.base.settings import Settings, SettingsError
from cairn.web.request import Receive, Scope, Send

T = TypeVar("T")
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_HEADER_READ_MS = 10_000
_STOP_SECONDS = 5.0
_log = log.logger("server")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a process's main coroutine on the fastest loop there is here."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def stop_signal() -> asyncio.Event:
    """An event that SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


def check_port(settings: Settings) -> None:
    """Say in one line that the port is taken, before anything else starts."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            where = f"{settings.host}:{settings.port}"
            raise SettingsError(f"Cannot listen on {where} ({error.strerror}); set CAIRN_PORT") from None


async def listen(app: AsgiApp, settings: Settings, stop: asyncio.Event) -> None:
    """Serve until ``stop`` is set; requests under way get a moment to end."""
    server = Server(
        app,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADER_READ_MS),
        websockets=False,
        backlog=1024,
        log_enabled=False,
    )
    serving = asyncio.create_task(server.serve())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if serving.done():
        serving.result()
        raise SettingsError(f"The server on {settings.host}:{settings.port} ended unexpectedly")
    server.stop()  # type: ignore[no-untyped-call]
    try:
        await asyncio.wait_for(serving, _STOP_SECONDS)
    except TimeoutError:
        _log.warning("some requests did not end in time")
