"""The markers around a briefing, and escaping for the text between them. The hook imports it, so keep it light.

A memory must not be able to end the briefing and continue as the user or the agent, nor hide text from human readers.
Text from memory is escaped rather than stripped, because removing one marker can form another.
"""

from __future__ import annotations

BEGIN = "<!-- loremark:brain -->"
END = "<!-- /loremark:brain -->"
# Blocks that agents wrap injected text in; a memory must not be able to close these either.
BLOCKS = ("hook_context", "system-reminder", "session_context", "environment_context", "environment_details")
_NAME, _NO_NAME = "loremark:brain", "loremark: brain"
_ESCAPED = (BEGIN.replace("<", "&lt;").replace(">", "&gt;"), END.replace("<", "&lt;").replace(">", "&gt;"))
_MOST = 200
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}

# Control characters except tab and newline; zero-width, joining and bidirectional characters; tag characters and
# variation selectors, which can carry whole sentences that only a model sees.
INVISIBLE: dict[int, None] = dict.fromkeys(
    code
    for first, last in (
        (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180B, 0x180F), (0x200B, 0x200F),
        (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE01EF),
    )
    for code in range(first, last + 1)
)  # fmt: skip


def clean(text: str) -> str:
    """Remove invisible characters and normalize line breaks."""
    return text.replace("\r\n", "\n").translate(INVISIBLE)


def escape(text: str) -> str:
    """Escape a text from memory for use between the markers. Idempotent."""
    text = clean(text).replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    text = text.replace(_NAME, _NO_NAME)  # some agents escape injected text, so escaped markers count too
    for name in BLOCKS:
        text = _escape_tag(_escape_tag(text, f"<{name}"), f"</{name}")
    return text


def plain_name(text: str, most: int) -> str:
    """A name that a client sent, without spaces and markup: outside a quotation it must not read as a sentence."""
    return "".join(letter for letter in text if letter.isalnum() or letter in "-_./")[:most]


def _escape_tag(text: str, tag: str) -> str:
    """Escape the start of a tag in any case: models don't tell them apart."""
    lower, at = text.translate(_LOWER), 0
    kept: list[str] = []
    while (found := lower.find(tag, at)) >= 0:
        kept += (text[at:found], "&lt;")
        at = found + 1
    return "".join((*kept, text[at:]))


def wrap(text: str) -> str:
    """Escape a text from memory and put the markers around it."""
    return f"{BEGIN}\n{escape(text)}\n{END}"


def strip(text: str) -> str:
    """Remove briefings, also with escaped markers. A briefing without an end marker extends to the end of the text."""
    for begin, end in ((BEGIN, END), _ESCAPED):
        text = without(text, begin, end, open_end=True)
    return text


def without(text: str, begin: str, end: str, *, open_end: bool) -> str:
    """Remove everything between two delimiters. ``open_end``: an unclosed section extends to the end of the text."""
    if begin not in text:
        return text
    kept: list[str] = []
    at = 0
    for _ in range(_MOST):
        start = text.find(begin, at)
        if start < 0:
            break
        kept.append(text[at:start])
        stop = text.find(end, start)
        if stop < 0:
            at = len(text) if open_end else start
            break
        at = stop + len(end)
    kept.append(text[at:])
    return "".join(kept)
