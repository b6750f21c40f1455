"""Remove injected text from a prompt: our own briefing and blocks added by agents."""

from __future__ import annotations

from loremark.base import briefing_markers


def strip_injected(text: str) -> str:
    """Return the text without briefings and agents' blocks."""
    text = briefing_markers.strip(text)
    for name in briefing_markers.BLOCKS:
        text = briefing_markers.without(text, f"<{name}>", f"</{name}>", open_end=False)
    return text.strip()
