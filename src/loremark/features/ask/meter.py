"""Token metering of an answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from loremark.features.metering.service import TeamMeter
from loremark.ports.llm.model import Usage
from loremark.storage.database import Tx


@dataclass
class AnswerMeter:
    """Wraps the team's meter and also counts prompt and completion tokens. Failed attempts count too."""

    team: TeamMeter
    write_slots: asyncio.Semaphore
    prompt_tokens: int = 0
    completion_tokens: int = 0

    async def reserve(self, tokens: int) -> str:
        async with self.write_slots:
            return await self.team.reserve(tokens)

    async def spent(self, reservation: str, usage: Usage) -> None:
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        await self.team.spent(reservation, usage)

    async def release(self, reservation: str) -> None:
        await self.team.release(reservation)

    async def charge(self, tx: Tx) -> None:
        await self.team.charge(tx)
