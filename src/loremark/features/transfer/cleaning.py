"""Texts on their way out and in: without secrets, within their bounds, names and words without what nobody sees.

What was cleaned once stays as it is when it is cleaned again: a project that was carried over tells the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from loremark.base import limits
from loremark.base.redaction.redacting import redact
from loremark.wire.transfer import MODEL_CHARS, QUOTE_CHARS, REASON_CHARS, TAG_CHARS

# With what they tell a terminal: the rest of such a word would hide the beginning of the next.
_CONTROLS = re.compile("(?:\x1b\\[|\x9b)[0-9;:?]{0,20}[@-~]|[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# What turns, hides or joins letters unseen; the joiners of emoji and of some scripts (U+200C, U+200D) stay.
_UNSEEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_CUT_MARKER = re.compile(r"\[(?:r(?:e(?:d(?:a(?:c(?:t(?:e(?:d(?::[a-z-]{0,40})?)?)?)?)?)?)?)?)?$")
_OUTSIDE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|$)")
_ROUNDS = 3
_UNNAMED = "Untitled"


class Cleaning:
    """Counts the secrets that it takes out."""

    def __init__(self) -> None:
        self.found = 0

    def text(self, text: str, most: int = limits.CONTENT_CHARS) -> str:
        """Any text; a marker may be longer than what it stands for, so it is cut afterwards."""
        for _ in range(_ROUNDS):
            text, found = redact(text)
            self.found += found
            if len(text) <= most:
                break
            text = _CUT_MARKER.sub("", text[:most])
        return text[:most]

    def line(self, text: str, most: int) -> str:
        """A text of one line that shows all it holds; perhaps nothing is left."""
        return self.text(_UNSEEN.sub("", _CONTROLS.sub(" ", text)).strip(), most).strip()

    def name(self, text: str, most: int = limits.ITEM_TITLE_CHARS) -> str:
        return self.line(text, most) or _UNNAMED

    def optional(self, text: str | None, most: int) -> str | None:
        return (self.line(text, most) or None) if text is not None else None

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
        """Each once, in the order given."""
        return [tag for tag in dict.fromkeys(self.line(tag, TAG_CHARS) for tag in tags) if tag][: limits.ITEM_TAGS]

    def paths(self, known: Mapping[str, str | None]) -> dict[str, str | None]:
        """By path in their order, each with its fingerprint; what leads out of a repository is left out."""
        kept: dict[str, str | None] = {}
        for path, fingerprint in sorted(known.items()):
            told = self.line(path, limits.FILE_PATH_CHARS)
            if told and not _OUTSIDE.match(told):
                kept.setdefault(told, self.optional(fingerprint, MODEL_CHARS))
        return dict(sorted(kept.items())[: limits.ITEM_FILES])
