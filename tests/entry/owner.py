"""An owner to begin with, made without a process of its own."""

from __future__ import annotations

import asyncio
import dataclasses

from loremark.base import settings
from loremark.entry import admin
from tests.support.processes import Loremark


def make_owner(loremark: Loremark) -> dict[str, str]:
    """What ``loremark admin create-owner --json`` prints, after doing the same."""
    chosen = settings.load(loremark.environment(), folder=loremark.folder)
    owner = admin.create_owner(
        chosen, email="owner@example.com", team="Stones", name="Olga", project="First", password=None
    )
    return dataclasses.asdict(asyncio.run(owner))
