"""Takes secrets out of texts and payloads before anything is stored as memory, embedded or sent to a model."""

from __future__ import annotations

import re

from cairn.base.redaction.late import late
from cairn.base.redaction.prose import PROSE_ANCHORS, redact_prose
from cairn.base.redaction.rules import RULES, Rule
from cairn.base.redaction.shapes import (
    is_harmless,
    is_secret_by_key,
    is_secret_key,
    is_secret_value,
    may_be_secret,
)

TYPE_CHECKING = False  # not from typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from typing import Any

MARKER = late(r"\[redacted:[a-z-]+\]")
# A secret can hide behind another one (its boundary appears when the first is gone); real texts need one pass.
_MAX_PASSES = 6

_PEM_BEGIN = late(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = late(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_MAX_CHARS = 20_000
# A block that was cut off: what follows as long as it looks like lines of base64.
_PEM_REST = late(r"(?:(?:\s|\\[nrt])*+[A-Za-z0-9+/=]{16,}+)*+")

# The password of an address; user names are kept, they say whose secret it was.
_URL_PASSWORD = late(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/@:\"'<>]{0,64}:([^\s@/\"'<>]{1,256})@")
_URL_USER = late(r"(?<![A-Za-z0-9+.-])https?://([A-Za-z0-9_-]{20,256})@", re.IGNORECASE)
_HEADER = late(
    r"authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[a-z][a-z0-9-]{2,20}[ \t]+)?"
    r"([^\s\"',;]{6,}+)",
    re.IGNORECASE,
)
_BEARER = late(r"(?<![A-Za-z0-9])(?:bearer|basic)[ \t]+([A-Za-z0-9_.~+/-]{12,}+={0,2})", re.IGNORECASE)
_USER_FLAG = late(r"(?:\s-u|--user)[ =]{1,3}[\"']?[^\s:\"']{0,64}[\"']?:[\"']?([^\s\"']{4,200})")
_SHORT_FLAG = late(
    r"(?:\b(?:mysql|mysqldump|mysqladmin|mongo|mongosh|sshpass|redis-cli)\b[^\n|;]{0,80}?[ \t](?:-p|-a)[ \t]?"
    r"|\bdocker login\b[^\n|;]{0,80}?[ \t]-p[ \t])[\"']?([^\s\"'-][^\s\"']{5,200})"
)
_COOKIE = late(
    r"cookie[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[^\n;=]{1,40}+=[^\n;]{0,100}+;[ \t]?+){0,3}"
    r"[A-Za-z_.-]{0,20}(?:sess|sid|auth|token)[A-Za-z_.-]{0,20}=([A-Za-z0-9%._~+/-]{16,}+)",
    re.IGNORECASE,
)

_KEYWORD = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|(?<![A-Za-z0-9])pw|secret|token|credentials?"
    r"|api[_ -]?key|auth[_-]?key|account[_-]?key"
    r"|(?:access|private|signing|encryption|encrypt|master|service|license|deploy|hmac|jwt|storage|client|shared)[_-]?key|(?-i:(?<=[A-Z0-9])_KEY)|_pass|_auth)"
)
_KEYWORD_ANCHORS = ("pass", "pw", "secret", "token", "credential", "key", "_auth")
_ENDING = (
    r"(?:[_-]?(?:value|access[_-]?key|key[_-]?base|key|prod(?:uction)?|dev|staging|live|test|local|main|primary|secondary"
    r"|old|new|backup|base64|b64|raw|plain|string|hex|default|salt|v?\d{1,2})){0,2}"
)
# Quoted, or up to a blank or a bracket; an ampersand ends it only where the next parameter of an address begins.
_VALUE = (
    r"(?:\"([^\"\n]{4,512})\"|'([^'\n]{4,512})'|`([^`\n]{4,512})`"
    r"|((?:[^\s\"'`,;(){}\[\]<>&|=]|&(?![\w.-]{1,40}=|&)){4,}+(?:={1,2}(?![^\s\"',;)&\]}]))?))"
)
# What links a key to its value: an assignment, a colon, a comparison, an argument, the word "is", or a flag's blank.
_LINK = (
    r"([ \t]{0,8}(?:[:?]{1,3}=|=>|!?={1,3}|:)[ \t]{0,8}|,[ \t]{0,2}(?=[\"'])"
    r"|[ \t]+(?:is|was)[ \t]+(?:set to[ \t]+|now[ \t]+)?|[ \t]+)"
)
# Letters count without their case up to the value, which has none in its form: that is quicker to compile.
_ASSIGNMENT = late(
    rf"(?i:({_KEYWORD})({_ENDING})(?![A-Za-z0-9])[\"'`\]]{{0,2}}{_LINK}(?:[a-z]{{1,2}}(?=[\"']))?){_VALUE}"
)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by a marker that tells its kind, and how many there were."""
    total = 0
    for _ in range(_MAX_PASSES):
        text, found = _one_pass(text)
        total += found
        if not found:
            break
    return text, total


def redact_payload(value: Any) -> tuple[Any, int]:
    """The same for every string inside; a value under a key that names a secret goes whole."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        pairs = [redact_payload(each) for each in value]
        return [each for each, _ in pairs], sum(found for _, found in pairs)
    if isinstance(value, dict):
        return _redact_object(value)
    return value, 0


def _redact_object(value: dict[str, Any]) -> tuple[dict[str, Any], int]:
    made: dict[str, Any] = {}
    total = 0
    named = value.get("name", value.get("key"))
    for key, each in value.items():
        # An environment entry, {"name": "API_KEY", "value": "…"}, names its key in a field beside the value.
        meant = named if key == "value" and isinstance(named, str) else key
        clean, found = _redact_named(meant, each)
        name, in_name = redact(key)
        while name in made:
            name += "-"
        made[name] = clean
        total += found + in_name
    return made, total


def _redact_named(key: str, value: Any) -> tuple[Any, int]:
    if is_secret_key(key):
        if isinstance(value, str) and is_secret_by_key(value):
            return "[redacted:secret]", 1
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            pairs = [_redact_named(key, each) for each in value]
            return [each for each, _ in pairs], sum(found for _, found in pairs)
    return redact_payload(value)


def _one_pass(text: str) -> tuple[str, int]:
    lower = text.lower()
    found = 0
    if "private key" in lower:
        text, found = _redact_pem(text)
    for rule in RULES:
        if any(anchor in lower for anchor in rule.anchors):
            text, more = _apply(rule, text)
            found += more
    for kind, anchor, pattern in _CONTEXTS:
        if anchor in lower:
            text, more = _apply(Rule(kind, (), pattern), text)
            found += more
    if may_hold(lower, _KEYWORD_ANCHORS):
        text, more = _redact_assignments(text)
        found += more
    if may_hold(lower, PROSE_ANCHORS):
        text, more = redact_prose(text)
        found += more
    return text, found


def may_hold(lower: str, anchors: tuple[str, ...]) -> bool:
    """Whether one of the words can stand in a text in lower case, as a pattern that ignores case would find it."""
    # Such a pattern takes the long s for an s and the i without its dot for an i, which lower case leaves alone.
    return any(anchor in lower for anchor in anchors) or "\u017f" in lower or "\u0131" in lower


_CONTEXTS = (
    ("url-password", "://", _URL_PASSWORD),
    ("url-token", "://", _URL_USER),
    ("authorization", "authorization", _HEADER),
    ("bearer-token", "bearer", _BEARER),
    ("bearer-token", "basic", _BEARER),
    ("password", "-u", _USER_FLAG),
    ("password", " -", _SHORT_FLAG),
    ("cookie", "cookie", _COOKIE),
)
_NEEDS_SHAPE = {"bearer-token", "cookie"}


def _apply(rule: Rule, text: str) -> tuple[str, int]:
    found = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal found
        whole = match.group()
        secret = match.group(1) if rule.pattern.groups else whole
        if is_harmless(secret) or (rule.kind in _NEEDS_SHAPE and not is_secret_value(secret, strict=True)):
            return whole
        found += 1
        start = match.start(1) - match.start() if rule.pattern.groups else 0
        return f"{whole[:start]}[redacted:{rule.kind}]{whole[start + len(secret) :]}"

    return rule.pattern.sub(replaced, text), found


def _redact_pem(text: str) -> tuple[str, int]:
    kept: list[str] = []
    position = found = 0
    end: re.Match[str] | None = None
    no_end = False
    while begin := _PEM_BEGIN.search(text, position):
        kept.append(text[position : begin.start()])
        if not no_end and (end is None or end.start() < begin.end()):
            end = _PEM_END.search(text, begin.end())
            no_end = end is None
        if end is not None and end.end() - begin.end() <= _PEM_MAX_CHARS:
            body, position = text[begin.end() : end.start()], end.end()
        else:
            rest = _PEM_REST.match(text, begin.end())
            body, position = (rest.group(), rest.end()) if rest else ("", begin.end())
        if any(letter.isalnum() for letter in body) and not MARKER.search(body):
            kept.append("[redacted:private-key]")
            found += 1
        else:
            kept.append(text[begin.start() : position])
    kept.append(text[position:])
    return "".join(kept), found


def _redact_assignments(text: str) -> tuple[str, int]:
    found = 0
    judged: dict[tuple[str, str, str, bool], bool] = {}  # what a text repeats is judged once, and kept no longer

    def replaced(match: re.Match[str]) -> str:
        nonlocal found
        key, ending, separator, *_ = match.groups()
        index = match.lastindex or 0
        secret: str = match.group(index)
        assigned = (key + ending, separator, secret, index != 7)
        if assigned not in judged:
            judged[assigned] = _is_assigned(*assigned)
        if not judged[assigned] or not _may_follow(text[max(0, match.start() - 24) : match.start()], separator):
            return match.group()
        found += 1
        start, end = match.start(index) - match.start(), match.end(index) - match.start()
        kind = "password" if key.lower().startswith(("pass", "pw", "_pass")) else "secret"
        return f"{match.group()[:start]}[redacted:{kind}]{match.group()[end:]}"

    return _ASSIGNMENT.sub(replaced, text), found


_FLAG_BEFORE = late(r"(?:^|[\s\"'`])--?[A-Za-z-]{0,20}$")
_OTHER_KEYS = late(
    r"(?:next|page|cursor|sync|csrf|xsrf|public|primary|foreign|design|cache|sort|schema|partition|bucket|object"
    r"|idempotency)[_-]?$",
    re.IGNORECASE,
)


def _is_assigned(key: str, separator: str, value: str, quoted: bool) -> bool:
    if not may_be_secret(value):
        return False
    said = separator.strip().lower()
    # Beside a word such as "password" even a weak value counts; beside a key or a token it needs the looks of a secret.
    is_password = key.lower().startswith(("pass", "pw", "_pass", "secret", "credential"))
    compact = quoted or (said == "=" and separator == "=") or not said
    weak_is_enough = is_password and (compact or said in (":", "=", ":=") or said.startswith(("is", "was")))
    return is_secret_value(value, strict=not weak_is_enough, quoted=compact) and not is_harmless(value)


def _may_follow(before: str, separator: str) -> bool:
    """Whether an assignment counts behind these words: where only a blank parts key and value it must be a flag's."""
    return (bool(separator.strip()) or _FLAG_BEFORE.search(before) is not None) and not _OTHER_KEYS.search(before)
