"""What the commands of this floor share: settings, and running to the end with one line for what can be mended."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from loremark.base import log
from loremark.base.settings import Settings, SettingsError, load
from loremark.cli.kit import INTERRUPTED, USAGE, Stop

T = TypeVar("T")


def read_settings() -> Settings:
    try:
        settings = load()
    except SettingsError as error:
        raise Stop(str(error), USAGE) from None
    log.configure(settings.log_level, settings.log_format)
    return settings


def run_all(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end; what an operator can mend is one line, not a trace."""
    from loremark.base.errors import Refusal
    from loremark.base.plans import PlansError
    from loremark.entry.server import run
    from loremark.storage.database import StorageUnavailable
    from loremark.storage.schema import SchemaError

    try:
        return run(main)
    except (SettingsError, PlansError, SchemaError, StorageUnavailable, Refusal, ValueError, OSError) as error:
        raise Stop(str(error), USAGE) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
