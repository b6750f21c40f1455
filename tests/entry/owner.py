"""Creates the first owner in this process."""

from __future__ import annotations

import asyncio
import dataclasses

from loremark.base import settings
from loremark.entry import admin
from tests.support.processes import Loremark


def make_owner(loremark: Loremark) -> dict[str, str]:
    """Like ``loremark admin create-owner --json``; returns its output."""
    chosen = settings.load(loremark.environment())
    owner = admin.create_owner(
        chosen, email="owner@example.com", team="Stones", name="Olga", project="First", password=None
    )
    return dataclasses.asdict(asyncio.run(owner))
