"""Finds PEM private keys, from the BEGIN line to the END line."""

from __future__ import annotations

from loremark.base.redaction.lazy_pattern import lazy_pattern
from loremark.base.redaction.text_search import find_all, matches

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from collections.abc import Iterator

    from loremark.base.redaction.text_search import Span

MARKER = lazy_pattern(r"\[redacted:[a-z-]+\]")
_KEY = "[redacted:private-key]"
BLOCK_ANCHOR = "private key"
_NAME = r"(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN, _END = lazy_pattern(rf"-----BEGIN {_NAME}"), lazy_pattern(rf"-----END {_NAME}")
_MAX_CHARS = 20_000
# A truncated block: everything that follows and looks like lines of base64.
_LINES = r"(?:(?:\s|\\[nrt])*+[A-Za-z0-9+/=]{16,}+)*+"
_REST = lazy_pattern(_LINES)
_RUN = lazy_pattern(r"[A-Za-z0-9+/=]{16,}+")
_LONG_RUN = lazy_pattern(rf"(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/=]{{40}}){_LINES}")
_LEFT_OUT = lazy_pattern(r"(?:\s|\\[nrt]|[^\w\s\\<]|<[a-z_ -]{0,40}>)*+")
# Words of a sentence: lowercase letters after an optional capital, separated by spaces.
_SPOKEN = lazy_pattern(r"(?:(?<![A-Za-z0-9+/=])[A-Za-z][a-z]{0,15}+[,.;:!?]?[ \n]){4,}+")


def find_key_blocks(text: str, lower: str) -> list[Span]:
    """Return the spans of private keys, each with its replacement."""
    spans: list[Span] = []
    position = 0
    begins = list(matches(text, _BEGIN, find_all(text, ("-----BEGIN ",))))
    ends = matches(text, _END, find_all(text, ("-----END ",)))
    end = next(ends, None)
    # A block in which another one begins is truncated.
    lasts = [*(begin.start() for begin in begins), len(text)][1:]
    for begin, last in zip(begins, lasts, strict=True):
        while end is not None and end.start() < begin.end():
            end = next(ends, None)
        is_whole = end is not None and end.end() <= min(last, begin.end() + _MAX_CHARS)
        if end is None or not is_whole or _is_spoken(text[begin.end() : end.start()]):
            rest = _REST.match(text, begin.end())
            position = rest.end() if rest else begin.end()
            body = text[begin.end() : position]
        else:
            body, position = text[begin.end() : end.start()], end.end()
        if not _LEFT_OUT.fullmatch(body) and not MARKER.search(body):
            spans.append((begin.start(), position, _KEY))
        if end is not None and is_whole:
            spans += _keys_between(text, position, end.start())
    return spans


def _is_spoken(body: str) -> bool:
    """Return whether the body is more prose than key: BEGIN and END may belong to different mentions."""
    spoken = sum(len(words.group()) for words in _SPOKEN.finditer(body))
    return spoken > sum(len(run.group()) for run in _RUN.finditer(body))


def _keys_between(text: str, start: int, end: int) -> Iterator[Span]:
    """Return the key lines within prose."""
    for lines in _LONG_RUN.finditer(text, start, end):
        if all(any(map(test, lines.group())) for test in (str.isupper, str.islower, str.isdigit)):
            yield lines.start(), lines.end(), _KEY
