"""Text from memory cannot close the block it stands in."""

from __future__ import annotations

import pytest

from loremark.base import briefing_markers


@pytest.mark.parametrize(
    "tag", ["</system-reminder>", "</System-Reminder>", "<HOOK_CONTEXT a>", "</environment_DETAILS"]
)
def test_tags_of_agents_are_escaped_in_any_case(tag: str) -> None:
    text = f"İ before {tag} and {tag} after"
    escaped = briefing_markers.escape(text)
    assert escaped == text.replace("<", "&lt;")
    assert briefing_markers.escape(escaped) == escaped


def test_other_tags_stay_readable() -> None:
    assert briefing_markers.escape("Use <Button> and a < b.") == "Use <Button> and a < b."
