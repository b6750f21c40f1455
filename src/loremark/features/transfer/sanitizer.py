"""Sanitizing of exported and imported text: redacts secrets, enforces lengths, removes invisible characters.

Sanitizing is idempotent, so an imported project exports to the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from loremark.base import limits
from loremark.base.redaction.redactor import redact
from loremark.wire.transfer import MODEL_CHARS, QUOTE_CHARS, REASON_CHARS, TAG_CHARS

# Whole escape sequences: a partial one would swallow the start of the following text.
_CONTROLS = re.compile("(?:\x1b\\[|\x9b)[0-9;:?]{0,20}[@-~]|[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Characters that reorder, hide or join text invisibly, except the joiners emoji and some scripts need.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_CUT_MARKER = re.compile(r"\[(?:r(?:e(?:d(?:a(?:c(?:t(?:e(?:d(?::[a-z-]{0,40})?)?)?)?)?)?)?)?)?$")
_OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|$)")
_ROUNDS = 3
_UNNAMED = "Untitled"


class Sanitizer:
    """Sanitizes texts and counts redacted secrets."""

    def __init__(self) -> None:
        self.found = 0

    def text(self, text: str, limit: int = limits.CONTENT_CHARS) -> str:
        """Redact any text. Truncated afterwards, since a marker can be longer than the secret."""
        for _ in range(_ROUNDS):
            text, found = redact(text)
            self.found += found
            if len(text) <= limit:
                break
            text = _CUT_MARKER.sub("", text[:limit])
        return text[:limit]

    def line(self, text: str, limit: int) -> str:
        """Reduce to a single line of visible text, possibly empty."""
        return self.text(_INVISIBLE.sub("", _CONTROLS.sub(" ", text)).strip(), limit).strip()

    def name(self, text: str, limit: int = limits.ITEM_TITLE_CHARS) -> str:
        return self.line(text, limit) or _UNNAMED

    def optional(self, text: str | None, limit: int) -> str | None:
        return (self.line(text, limit) or None) if text is not None else None

    def source(self, text: str) -> str:
        return self.line(text, limits.SOURCE_CHARS) or "api"

    def branch(self, text: str | None) -> str | None:
        return self.optional(text, limits.BRANCH_CHARS)

    def model(self, text: str | None) -> str | None:
        return self.optional(text, MODEL_CHARS)

    def quote(self, text: str) -> str:
        return self.text(text, QUOTE_CHARS)

    def reason(self, text: str) -> str:
        return self.text(text, REASON_CHARS)

    def tags(self, tags: Iterable[str]) -> list[str]:
        """Unique tags in the given order."""
        return [tag for tag in dict.fromkeys(self.line(tag, TAG_CHARS) for tag in tags) if tag][: limits.ITEM_TAGS]

    def paths(self, known: Mapping[str, str | None]) -> dict[str, str | None]:
        """Sorted paths with their fingerprints, without paths outside of the repository."""
        kept: dict[str, str | None] = {}
        for path, fingerprint in sorted(known.items()):
            clean = self.line(path, limits.FILE_PATH_CHARS)
            if clean and not _OUTSIDE.match(clean):
                kept.setdefault(clean, self.optional(fingerprint, MODEL_CHARS))
        return dict(sorted(kept.items())[: limits.ITEM_FILES])
