"""Structured logging to standard error, one line per event."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: str, form: str) -> None:
    """Set up logging for this process. ``form`` is ``text``, ``json`` or ``auto``."""
    as_text = form == "text" or (form == "auto" and sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if as_text else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def logger(name: str) -> structlog.typing.FilteringBoundLogger:
    """Return a logger that tags every event with the component's name."""
    bound: structlog.typing.FilteringBoundLogger = structlog.get_logger(component=name)
    return bound
