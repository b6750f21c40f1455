"""Serve an ASGI app with uvicorn until a stop signal arrives."""

from __future__ import annotations

import asyncio
import errno
import gc
import signal
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, cast

import uvicorn

from loremark.base.running_servers import find_running
from loremark.base.settings import Settings, SettingsError
from loremark.entry.connection_limits import ConnectionLimits, raise_file_limit
from loremark.entry.http_protocol import GuardedProtocol
from loremark.web.request import Receive, Scope, Send

T = TypeVar("T")
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_KEEP_ALIVE_S = 65
_STOP_S = 5
_BACKLOG = 1024
_GC_THRESHOLD = 50_000


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, on uvloop if it is installed."""
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


def open_socket(settings: Settings) -> socket.socket:
    """Bind the listening socket first, so a port conflict is reported before anything else starts."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        where = f"{settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE and find_running(settings.local_url) is not None:
            raise SettingsError(f"Loremark runs at {settings.base_url} already; open it with: loremark open") from None
        raise SettingsError(
            f"Cannot listen on {where} ({error.strerror}); set LOREMARK_HOST or LOREMARK_PORT"
        ) from None
    return listening


class _Server(uvicorn.Server):
    """Uvicorn without its signal handlers."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _tune_garbage_collection() -> None:
    """Exclude startup objects from garbage collection, because scanning them takes about 40 ms each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD, 20, 20)


async def listen(
    app: AsgiApp,
    listening: socket.socket,
    stop: asyncio.Event,
    on_stop: Callable[[], None] | None = None,
    trusted_proxies: tuple[str, ...] = (),
) -> None:
    """Serve until ``stop`` is set, then let running requests finish for a few seconds."""
    _tune_garbage_collection()
    raise_file_limit()
    config = uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", partial(GuardedProtocol, limits=ConnectionLimits(trusted_proxies))),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_STOP_S,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if on_stop is not None:
        on_stop()
    server.should_exit = True
    await serving
