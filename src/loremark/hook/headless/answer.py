"""What an agent answered, and why it didn't."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """An agent's answer. The token counts are None if its command line doesn't report them."""

    text: str
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class HeadlessFailed(Exception):
    """The agent gave no usable answer. The message is one sentence for a person."""

    @property
    def reason(self) -> str:
        return str(self)
