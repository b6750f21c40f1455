"""Taking out of a prompt what no person said: our own briefing, and what agents put around it."""

from __future__ import annotations

from loremark.base import marks


def strip_injected(text: str) -> str:
    """The text without briefings and without the blocks of agents."""
    text = marks.strip(text)
    for name in marks.BLOCKS:
        text = marks.without(text, f"<{name}>", f"</{name}>", open_end=False)
    return text.strip()
