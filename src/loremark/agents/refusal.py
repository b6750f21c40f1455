"""Why a file was left alone, in a sentence for the person."""

from __future__ import annotations


class Refused(Exception):
    """Nothing was changed; the text says why and what to do."""
