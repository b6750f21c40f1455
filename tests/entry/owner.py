"""An owner to begin with, made without a process of its own."""

from __future__ import annotations

import asyncio
import dataclasses

from cairn.base import settings
from cairn.entry import admin
from tests.support.processes import Cairn


def make_owner(cairn: Cairn) -> dict[str, str]:
    """What ``cairn admin create-owner --json`` prints, after doing the same."""
    chosen = settings.load(cairn.environment(), folder=cairn.folder)
    owner = admin.create_owner(
        chosen, email="owner@example.com", team="Stones", name="Olga", project="First", password=None
    )
    return dataclasses.asdict(asyncio.run(owner))
