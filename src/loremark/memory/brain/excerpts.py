"""Chooses which part of a long text an excerpt shows."""

from __future__ import annotations

import re

# "## Decision", "## 3. Decision outcome", "**Decision:** …", "Decision: …", or underlined; not "Decision drivers".
_DECISION = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]{1,4})?(?:\d{1,2}[.)][ \t]{1,4})?[*_]{0,2}decision(?:[ ]outcome)?"
    r"(?:[*_]{0,2}:[*_]{0,2}|[*_]{0,2}[ \t]{0,4}#{0,6}[ \t]{0,4}$)(?:\n[=-]{3,80}$)?\s{0,20}",
    re.IGNORECASE | re.MULTILINE,
)


def excerpt(content: str) -> str:
    """The text from its decision on, if it has a section for it; otherwise the whole text."""
    found = _DECISION.search(content)
    return content[found.end() :] if found is not None and found.end() < len(content) else content
