"""The marks around a briefing, and how a text from memory stays between them. Imported by the hook: quick to load.

Whoever writes to a memory must not be able to end the briefing and go on in the name of the person or of the agent,
nor to hide something from the people who read it. So what comes from memory is escaped, never deleted from: taking
out one mark can leave another behind.
"""

from __future__ import annotations

BEGIN = "<!-- loremark:brain -->"
END = "<!-- /loremark:brain -->"
# Blocks that agents put around what they are given: a text must not end one either.
BLOCKS = ("hook_context", "system-reminder", "session_context", "environment_context", "environment_details")
_NAME, _NO_NAME = "loremark:brain", "loremark: brain"
_ESCAPED = (BEGIN.replace("<", "&lt;").replace(">", "&gt;"), END.replace("<", "&lt;").replace(">", "&gt;"))
_MOST = 200

# Control characters but tabs and line breaks; what has no width, joins, or turns the direction; tag letters and
# further variation selectors, which carry whole sentences that only a model sees.
UNSEEN: dict[int, None] = dict.fromkeys(
    code
    for first, last in (
        (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180B, 0x180F), (0x200B, 0x200F),
        (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE01EF),
    )
    for code in range(first, last + 1)
)  # fmt: skip


def clean(text: str) -> str:
    """The text without what cannot be seen and changes what can."""
    return text.replace("\r\n", "\n").translate(UNSEEN)


def escape(text: str) -> str:
    """A text from memory as it may stand between the marks; the same once more is the same."""
    text = clean(text).replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    text = text.replace(_NAME, _NO_NAME)  # some agents escape what they pass on, so escaped marks count as marks
    for name in BLOCKS:
        text = text.replace(f"<{name}", f"&lt;{name}").replace(f"</{name}", f"&lt;/{name}")
    return text


def wrap(text: str) -> str:
    """A text from memory between the marks, whatever it holds."""
    return f"{BEGIN}\n{escape(text)}\n{END}"


def strip(text: str) -> str:
    """The text without what stands between the marks, also where they were escaped; without an end, to its end."""
    for begin, end in ((BEGIN, END), _ESCAPED):
        text = without(text, begin, end, open_end=True)
    return text


def without(text: str, begin: str, end: str, *, open_end: bool) -> str:
    """The text without what stands between two signs; ``open_end``: what is not ended goes on to the end."""
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
