"""The processes: all in one (``serve``), or the parts by themselves (``api``, ``worker``, ``jobs``)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from loremark.base import log
from loremark.base.settings import Settings
from loremark.entry import server
from loremark.entry.application import open_app
from loremark.entry.background import open_background
from loremark.entry.house import database_address, open_house
from loremark.entry.lock import hold_data_dir
from loremark.entry.welcome import welcome
from loremark.entry.worker import open_worker
from loremark.storage import schema

_log = log.logger("entry")


def _alone(settings: Settings) -> AbstractContextManager[None]:
    """An embedded database belongs to one server."""
    return hold_data_dir(settings.data_dir) if settings.on_sqlite else nullcontext()


async def serve(settings: Settings) -> None:
    """API, job runner and dashboard in one process; brings the schema up to date by itself."""
    with server.open_socket(settings) as listening, _alone(settings):
        if (settings.on_sqlite or settings.auto_migrate) and await schema.migrate(database_address(settings)):
            _log.info("the database was brought up to date", schema=schema.HEAD)
        async with (
            open_house(settings) as house,
            open_background(house) as background,
            open_app(house, background) as app,
        ):
            print(await welcome(house), flush=True)
            await server.listen(app, listening, server.stop_signal(), app.close)


async def api(settings: Settings) -> None:
    """The API alone; the schema must be current."""
    with server.open_socket(settings) as listening:
        async with open_house(settings) as house, open_app(house) as app:
            _log.info("the API listens", address=f"{settings.host}:{settings.port}")
            await server.listen(app, listening, server.stop_signal(), app.close)


async def worker(settings: Settings) -> None:
    """The answer worker alone; the schema must be current."""
    with server.open_socket(settings) as listening:
        async with open_worker(settings) as app:
            _log.info("the worker listens", address=f"{settings.host}:{settings.port}")
            await server.listen(app, listening, server.stop_signal(), app.close)


async def jobs(settings: Settings) -> None:
    """The job runner alone."""
    async with open_house(settings) as house, open_background(house):
        _log.info("jobs run")
        await server.stop_signal().wait()
