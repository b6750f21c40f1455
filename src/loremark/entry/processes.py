"""The server processes: everything in one (``serve``), or ``api``, ``worker`` and ``jobs`` separately."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext

from loremark.base import log
from loremark.base.settings import Settings
from loremark.entry import server
from loremark.entry.application import open_app
from loremark.entry.background import open_background
from loremark.entry.data_dir_lock import lock_data_dir
from loremark.entry.engines import list_models
from loremark.entry.model_check import check_models
from loremark.entry.running_servers import remember
from loremark.entry.runtime import database_address, open_runtime
from loremark.entry.startup_banner import format_banner
from loremark.entry.worker import open_worker
from loremark.storage import schema

_log = log.logger("entry")


def _lock_if_sqlite(settings: Settings) -> AbstractContextManager[None]:
    """SQLite allows only one server per data folder."""
    return lock_data_dir(settings.data_dir) if settings.on_sqlite else nullcontext()


async def serve(settings: Settings) -> None:
    """Run API, job runner and dashboard in one process. Migrates the schema if needed."""
    with server.open_socket(settings) as listening, _lock_if_sqlite(settings), ExitStack() as remembered:
        if (settings.on_sqlite or settings.auto_migrate) and await schema.migrate(database_address(settings)):
            _log.info("database migrated", schema=schema.HEAD)
        async with (
            open_runtime(settings) as runtime,
            open_background(runtime) as background,
            open_app(runtime, background) as app,
            check_models(list_models(settings, runtime.engines)),
        ):
            remembered.enter_context(remember(settings))
            print(await format_banner(runtime), flush=True)
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
