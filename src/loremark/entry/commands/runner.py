"""Load settings and run a coroutine, reporting expected errors as one line."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from loremark.base import log
from loremark.base.settings import Settings, SettingsError, load
from loremark.cli.framework import INTERRUPTED, USAGE, CommandError

T = TypeVar("T")


def read_settings() -> Settings:
    try:
        settings = load()
    except SettingsError as error:
        raise CommandError(str(error), USAGE) from None
    log.configure(settings.log_level, settings.log_format)
    return settings


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine. Errors the operator can fix become one line instead of a traceback."""
    from loremark.base.errors import Refusal
    from loremark.base.plans import PlansError
    from loremark.entry.server import run
    from loremark.storage.database import StorageUnavailable
    from loremark.storage.schema import SchemaError

    try:
        return run(main)
    except (SettingsError, PlansError, SchemaError, StorageUnavailable, Refusal, ValueError, OSError) as error:
        raise CommandError(str(error), USAGE) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
