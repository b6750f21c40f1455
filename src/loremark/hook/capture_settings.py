"""What ``.loremark.toml`` says about capture: the prefix of private prompts.

The file is part of the repository, so these settings can only leave something out, never add to what is captured.
"""

from __future__ import annotations

import os

from loremark.hook import files, gitpaths
from loremark.hook.link import FILE, FILE_BYTES, read_settings

DEFAULT_PRIVATE_PREFIX = "[private]"


def private_prefix(folder: str) -> str:
    """Return how a private prompt starts in this folder; an empty string if no prompt is private."""
    top = gitpaths.find_above(folder, FILE)
    data = files.read_bounded(os.path.join(top, FILE), FILE_BYTES, owner=True) if top is not None else None
    settings = read_settings(data.decode("utf-8", "replace")) if data is not None else {}
    return settings.get("private_prefix", DEFAULT_PRIVATE_PREFIX).strip()
