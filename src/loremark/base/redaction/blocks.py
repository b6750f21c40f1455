"""Private keys in blocks of lines, from the line that begins one to the line that ends it."""

from __future__ import annotations

from loremark.base.redaction.finding import matches, places_of
from loremark.base.redaction.late import late

TYPE_CHECKING = False  # not from typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from collections.abc import Iterator

    from loremark.base.redaction.finding import Span

MARKER = late(r"\[redacted:[a-z-]+\]")
_KEY = "[redacted:private-key]"
BLOCK_ANCHOR = "private key"
_NAME = r"(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN, _END = late(rf"-----BEGIN {_NAME}"), late(rf"-----END {_NAME}")
_MAX_CHARS = 20_000
# A block that was cut off: what follows as long as it looks like lines of base64.
_LINES = r"(?:(?:\s|\\[nrt])*+[A-Za-z0-9+/=]{16,}+)*+"
_REST = late(_LINES)
_RUN = late(r"[A-Za-z0-9+/=]{16,}+")
_LONG_RUN = late(rf"(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/=]{{40}}){_LINES}")
# Words of a sentence: letters between blanks, only the first of them large.
_SPOKEN = late(r"(?:(?<![A-Za-z0-9+/=])[A-Za-z][a-z]{0,15}+[,.;:!?]?[ \n]){4,}+")


def key_blocks(text: str, lower: str) -> list[Span]:
    """The blocks that hold a key, each with the marker for it."""
    spans: list[Span] = []
    position = 0
    begins = list(matches(text, _BEGIN, places_of(text, ("-----BEGIN ",))))
    ends = matches(text, _END, places_of(text, ("-----END ",)))
    end = next(ends, None)
    # A block in which another one begins was cut off.
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
        if any(map(str.isalnum, body)) and not MARKER.search(body):
            spans.append((begin.start(), position, _KEY))
        if end is not None and is_whole:
            spans += _keys_between(text, position, end.start())
    return spans


def _is_spoken(body: str) -> bool:
    """Whether it says more in words than in lines of a key: one text named the beginning, another one the end."""
    spoken = sum(len(words.group()) for words in _SPOKEN.finditer(body))
    return spoken > sum(len(run.group()) for run in _RUN.finditer(body))


def _keys_between(text: str, start: int, end: int) -> Iterator[Span]:
    """The lines of a key among words."""
    for lines in _LONG_RUN.finditer(text, start, end):
        if all(any(map(test, lines.group())) for test in (str.isupper, str.islower, str.isdigit)):
            yield lines.start(), lines.end(), _KEY
