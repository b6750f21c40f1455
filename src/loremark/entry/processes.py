"""The server processes: everything in one (``serve``), or ``api``, ``worker`` and ``jobs`` separately."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

from loremark.base import clock, log
from loremark.base.running_servers import ServerRecord, recorded
from loremark.base.settings import Settings
from loremark.entry import server
from loremark.entry.application import VERSION, open_app
from loremark.entry.background import open_background
from loremark.entry.data_dir_lock import lock_data_dir
from loremark.entry.engines import list_models
from loremark.entry.model_check import check_models
from loremark.entry.runtime import database_address, open_runtime
from loremark.entry.startup_banner import environment, format_banner
from loremark.entry.worker import open_worker
from loremark.storage import schema

_log = log.logger("entry")


def _lock_if_sqlite(settings: Settings) -> AbstractContextManager[None]:
    """SQLite allows only one server per data folder."""
    return lock_data_dir(settings.data_dir) if settings.on_sqlite else nullcontext()


def _describe(settings: Settings, log_file: str) -> ServerRecord:
    return ServerRecord(
        url=settings.local_url,
        base_url=settings.base_url,
        port=settings.port,
        pid=os.getpid(),
        version=VERSION,
        data_dir=os.path.abspath(settings.data_dir),
        environment={
            **environment(settings),
            "LOREMARK_DATA_DIR": os.path.abspath(settings.data_dir),
            "LOREMARK_HOST": settings.host,
            "LOREMARK_PORT": str(settings.port),
        },
        started_at_ms=clock.now_ms(),
        on_sqlite=settings.on_sqlite,
        log_file=log_file,
    )


async def serve(settings: Settings, log_file: str = "", *, creates_owner: bool = False) -> None:
    """Run API, job runner and dashboard in one process. Migrates the schema if needed.

    ``log_file``: the file that the output goes to, if it is not a terminal's.
    ``creates_owner``: create the owner of a fresh installation before the server answers anybody.
    """
    with (
        server.open_socket(settings) as listening,
        _lock_if_sqlite(settings),
        recorded(_describe(settings, log_file)),
    ):
        if (settings.on_sqlite or settings.auto_migrate) and await schema.migrate(database_address(settings)):
            _log.info("database migrated", schema=schema.HEAD)
        async with (
            open_runtime(settings) as runtime,
            open_background(runtime) as background,
            open_app(runtime, background) as app,
            check_models(list_models(settings, runtime.engines)),
        ):
            stop = "loremark stop" if log_file else "Ctrl-C"
            print(await format_banner(runtime, stop, creates_owner=creates_owner), flush=True)
            await server.listen(app, listening, server.stop_signal(), app.close, settings.trusted_proxies)


async def api(settings: Settings) -> None:
    """Run the API; the schema must be current."""
    with server.open_socket(settings) as listening:
        async with open_runtime(settings) as runtime, open_app(runtime) as app:
            _log.info("API listening", address=f"{settings.host}:{settings.port}")
            await server.listen(app, listening, server.stop_signal(), app.close, settings.trusted_proxies)


async def worker(settings: Settings) -> None:
    """Run the answer worker; the schema must be current."""
    with server.open_socket(settings) as listening:
        async with open_worker(settings) as app, check_models(app.models):
            _log.info("answer worker listening", address=f"{settings.host}:{settings.port}")
            await server.listen(app, listening, server.stop_signal(), app.close, settings.trusted_proxies)


async def jobs(settings: Settings) -> None:
    """Run the background jobs; the schema must be current."""
    async with (
        open_runtime(settings) as runtime,
        open_background(runtime),
        check_models(list_models(settings, runtime.engines)),
    ):
        _log.info("background jobs running")
        await server.stop_signal().wait()
