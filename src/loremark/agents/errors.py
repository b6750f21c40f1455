"""The error for files that can't be edited."""

from __future__ import annotations


class EditError(Exception):
    """A file was not changed. The message says why and what to do."""
