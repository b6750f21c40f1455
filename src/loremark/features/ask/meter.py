"""What an answer costs: counted against the team's cap, and added up for whoever asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from loremark.features.metering.service import TeamMeter
from loremark.ports.llm.model import Usage
from loremark.storage.database import Tx


@dataclass
class AnswerMeter:
    """The team's meter, which also knows prompt and completion apart. Every attempt counts, also one that failed."""

    team: TeamMeter
    turns: asyncio.Semaphore
    prompt_tokens: int = 0
    completion_tokens: int = 0

    async def reserve(self, tokens: int) -> str:
        async with self.turns:
            return await self.team.reserve(tokens)

    async def spent(self, reservation: str, usage: Usage) -> None:
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        await self.team.spent(reservation, usage)

    async def release(self, reservation: str) -> None:
        await self.team.release(reservation)

    async def charge(self, tx: Tx) -> None:
        await self.team.charge(tx)
