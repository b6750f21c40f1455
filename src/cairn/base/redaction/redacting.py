"""Takes secrets out of texts and payloads before anything is stored as memory, embedded or sent to a model."""

from __future__ import annotations

import re

from cairn.base.redaction.contexts import CONTEXTS, is_meant
from cairn.base.redaction.keys import is_secret, kind_of, kind_of_field
from cairn.base.redaction.late import late
from cairn.base.redaction.prose import PROSE_ANCHORS, redact_prose
from cairn.base.redaction.rules import RULES, Rule
from cairn.base.redaction.shapes import is_harmless, is_secret_value, may_be_secret

TYPE_CHECKING = False  # not from typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from typing import Any

MARKER = late(r"\[redacted:[a-z-]+\]")
# A secret can hide behind another one (its boundary appears when the first is gone); real texts need one pass.
_MAX_PASSES = 6

_FORMS = (*RULES, *CONTEXTS)
# Joiners, marks of direction and other letters without width, that part what is one word.
_UNSEEN = late(r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")

_PEM_BEGIN = late(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = late(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_MAX_CHARS = 20_000
# A block that was cut off: what follows as long as it looks like lines of base64.
_PEM_REST = late(r"(?:(?:\s|\\[nrt])*+[A-Za-z0-9+/=]{16,}+)*+")

_KEYWORD = (
    r"(?:pass(?:word|wort|wd|phrase|code)|pwd|(?<![A-Za-z0-9])pw|secret|token|credentials?"
    r"|kennwort|mot[ _-]de[ _-]passe|contrase(?:ñ|n\u0303?)a|(?<![A-Za-z])senha|пароль"
    r"|api[_ -]?key|auth[_-]?key|account[_-]?key"
    r"|(?:access|private|signing|encryption|encrypt|master|service|license|deploy|hmac|jwt|storage|client|shared)[_-]?key|(?-i:(?<=[A-Z0-9])_KEY)|_pass|_auth)"
)
_KEYWORD_ANCHORS = (
    *("pass", "pw", "secret", "token", "credential", "key", "_auth"),
    *("kennwort", "contrase", "senha", "пароль"),
)
_PASSWORDS = ("pass", "pw", "_pass", "kennwort", "mot", "contrase", "senha", "пароль")
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
    r"([ \t\u00a0\u202f]{0,8}(?:[:?]{1,3}=|=>|!?={1,3}|:)[ \t\u00a0\u202f]{0,8}|,[ \t]{0,2}(?=[\"'])"
    r"|[ \t]+(?:is|was|ist|lautet|est|es)[ \t]+(?:set to[ \t]+|now[ \t]+)?|[ \t]+)"
)
_SAYS = ("is", "was", "lautet", "est", "es")
# Letters count without their case up to the value, which has none in its form: that is quicker to compile.
_ASSIGNMENT = late(
    rf"(?i:({_KEYWORD})({_ENDING})(?![A-Za-z0-9])[\"'`\]]{{0,2}}{_LINK}(?:[a-z]{{1,2}}(?=[\"']))?){_VALUE}"
)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by a marker that tells its kind, and how many there were."""
    text, total = _redact_seen(text)
    if not text.isascii() and (seen := _UNSEEN.sub("", text)) != text:
        seen, found = _redact_seen(seen)
        if found:  # what nobody sees is left out where a secret was hidden by it, and stays elsewhere
            return seen, total + found
    return text, total


def _redact_seen(text: str) -> tuple[str, int]:
    total = 0
    for _ in range(_MAX_PASSES):
        text, found = _one_pass(text)
        total += found
        if not found:
            break
    return text, total


def redact_payload(value: Any) -> tuple[Any, int]:
    """The same for every string inside; what is below a key that names a secret goes whole."""
    return _redact_below("", value)


def _redact_below(kind: str, value: Any, around: str = "") -> tuple[Any, int]:
    if isinstance(value, dict):
        return _redact_object(value, kind, around)
    if isinstance(value, list):
        pairs = [_redact_below(kind, each, around) for each in value]
        return [each for each, _ in pairs], sum(found for _, found in pairs)
    if kind and is_secret(kind, value):
        return "[redacted:secret]", 1
    return redact(value) if isinstance(value, str) else (value, 0)


def _redact_object(value: dict[str, Any], above: str, around: str) -> tuple[dict[str, Any], int]:
    made: dict[str, Any] = {}
    total = 0
    named = value.get("name", value.get("key"))
    for key, each in value.items():
        # An environment entry, {"name": "API_KEY", "value": "…"}, names its key in a field beside the value.
        meant = kind_of(named) if key == "value" and isinstance(named, str) else ""
        # The name as it will stand there, so that it says the same when it is read again.
        name, in_name = redact(key)
        clean, found = _redact_below(meant or kind_of_field(name, each, above, around, value), each, name)
        while name in made:
            name += "-"
        made[name] = clean
        total += found + in_name
    return made, total


def _one_pass(text: str) -> tuple[str, int]:
    lower = text.lower()
    found = 0
    if "private key" in lower:
        text, found = _redact_pem(text)
    for rule in _FORMS:
        if any(anchor in lower for anchor in rule.anchors):
            text, more = _apply(rule, text)
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


def _apply(rule: Rule, text: str) -> tuple[str, int]:
    found = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal found
        whole = match.group()
        group = match.lastindex or 0
        secret = match.group(group)
        if not is_meant(rule.kind, match, secret):
            return whole
        found += 1
        start = match.start(group) - match.start()
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
        kind = "password" if key.lower().startswith(_PASSWORDS) else "secret"
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
    is_password = key.lower().startswith((*_PASSWORDS, "secret", "credential"))
    compact = quoted or (said == "=" and separator == "=") or not said
    weak_is_enough = is_password and (compact or said in (":", "=", ":=") or said.startswith(_SAYS))
    return is_secret_value(value, strict=not weak_is_enough, quoted=compact) and not is_harmless(value)


def _may_follow(before: str, separator: str) -> bool:
    """Whether an assignment counts behind these words: where only a blank parts key and value it must be a flag's."""
    return (bool(separator.strip()) or _FLAG_BEFORE.search(before) is not None) and not _OTHER_KEYS.search(before)
