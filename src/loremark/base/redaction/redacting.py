"""Takes secrets out of texts and payloads before anything is stored as memory, embedded or sent to a model."""

from __future__ import annotations

import re
from functools import partial

from loremark.base.redaction.blocks import BLOCK_ANCHOR, MARKER, key_blocks
from loremark.base.redaction.contexts import CONTEXTS, is_meant
from loremark.base.redaction.finding import (
    CYRILLIC_SIGN,
    folded,
    matches,
    pieces_of,
    places_of,
    put,
    shaped,
    shaped_near,
    starts,
)
from loremark.base.redaction.keys import is_secret, kind_of, kind_of_field
from loremark.base.redaction.late import late
from loremark.base.redaction.prose import PROSE_ANCHORS, secrets_told
from loremark.base.redaction.rules import RULES, Rule
from loremark.base.redaction.shapes import is_harmless, is_secret_value, may_be_secret

TYPE_CHECKING = False  # not from typing, which takes longer to load than all that is here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from loremark.base.redaction.finding import Span

__all__ = ["MARKER", "may_hold", "redact", "redact_payload"]

# A secret can hide behind another one (its boundary appears when the first is gone); real texts need one pass.
_MAX_PASSES = 6

# Joiners, marks of direction and other letters without width, that part what is one word.
_UNSEEN = late(r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")

_KEY_WORDS = (
    *("auth", "account", "access", "private", "signing", "encryption", "encrypt", "master", "service", "license"),
    *("deploy", "hmac", "jwt", "storage", "client", "shared"),
)
_KEYWORD = (
    r"(?:pass(?:word|wort|wd|phrase|code)|pwd|(?<![A-Za-z0-9])pw|secret|token|credentials?"
    r"|kennwort|mot[ _-]de[ _-]passe|contrase(?:ñ|n\u0303?)a|(?<![A-Za-z])senha|пароль"
    rf"|api[_ -]?key|(?:{'|'.join(_KEY_WORDS)})[_-]?key|(?-i:(?<=[A-Z0-9])_KEY)|_pass|_auth)"
)
# Where a keyword begins: with one of these words, or so many letters before one.
_KEYWORD_STARTS = (
    *("pw", "secret", "token", "credential", "_auth"),
    *("kennwort", "contrase", "senha", CYRILLIC_SIGN),
)
_BEFORE_PASS = (len("mot de "), len("_"), 0)
_BEFORE_KEY = range(max(map(len, _KEY_WORDS)) + 1, 0, -1)
_KEY_ENDINGS = frozenset(word[-2:] for word in ("api", *_KEY_WORDS))
_PASSWORDS = ("pass", "pw", "_pass", "kennwort", "mot", "contrase", "senha", "пароль")
_ENDING = (
    r"(?:[_-]?(?:value|access[_-]?key|key[_-]?base|key|prod(?:uction)?|dev|staging|live|test|local|main|primary|secondary"
    r"|old|new|backup|base64|b64|raw|plain|string|hex|default|salt|v?\d{1,2})){0,2}"
)
# Quoted, or up to a blank or a bracket; an ampersand ends it only where the next parameter of an address begins.
_BARE = r"[^\s\"'`,;(){}\[\]<>&|=]"
_AMPERSAND = r"&(?![\w.-]{1,40}=|&)"
_VALUE = (
    r"(?:\"([^\"\n]{4,512})\"|'([^'\n]{4,512})'|`([^`\n]{4,512})`"
    rf"|((?=(?:{_BARE}|{_AMPERSAND}){{4}})(?:{_BARE}++|{_AMPERSAND})++(?:={{1,2}}(?![^\s\"',;)&\]}}]))?))"
)
# What links a key to its value: an assignment, a colon, a comparison, an argument, the word "is", or a flag's blank.
_LINK = (
    r"([ \t\u00a0\u202f]{0,8}(?:[:?]{1,3}=|=>|!?={1,3}|:)[ \t\u00a0\u202f]{0,8}|,[ \t]{0,2}(?=[\"'])"
    r"|[ \t]++(?:is|was|ist|lautet|est|es)[ \t]++(?:set to[ \t]++|now[ \t]++)?|[ \t]++)"
)
_SAYS = ("is", "was", "lautet", "est", "es")
# Letters count without their case up to the value, which has none in its form: that is quicker to compile.
_ASSIGNMENT = late(
    rf"(?i:({_KEYWORD})({_ENDING})(?![A-Za-z0-9])[\"'`\]]{{0,2}}{_LINK}(?:[a-z]{{1,2}}(?=[\"']))?){_VALUE}"
)


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by a marker that tells its kind, and how many there were."""
    text, total = _redact_seen(text)
    if not text.isascii() and (seen := "".join(_UNSEEN.sub("", piece) for piece in pieces_of(text))) != text:
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
    before = lower = folded(text)
    total = 0
    for anchors, find in _STEPS:
        if may_hold(before, anchors) and (spans := find(text, lower)):
            text, lower = put(text, spans), put(lower, spans)
            total += len(spans)
    return text, total


def may_hold(lower: str, anchors: Sequence[str]) -> bool:
    """Whether one of the words stands in a text, which is folded."""
    return any(anchor in lower for anchor in anchors)


def _formed(rule: Rule, text: str, lower: str) -> list[Span]:
    """The secrets of a form."""
    spans: list[Span] = []
    for match in matches(text, rule.pattern, _starts_of(rule, text, lower)):
        group = match.lastindex or 0
        if is_meant(rule.kind, match, match.group(group)):
            spans.append((*match.span(group), f"[redacted:{rule.kind}]"))
    return spans


def _starts_of(rule: Rule, text: str, lower: str) -> list[int]:
    if rule.shape is None:
        places = places_of(lower, rule.heads)
    elif rule.near is None:
        places = shaped(text, rule.shape)
    else:
        places = shaped_near(text, rule.shape, places_of(lower, rule.heads), rule.near)
    return starts(places, rule.before)


def _assigned(text: str, lower: str) -> list[Span]:
    """The secrets that are given to a name for one."""
    spans: list[Span] = []
    judged: dict[tuple[str, str, str, bool], bool] = {}  # what a text repeats is judged once, and kept no longer
    for match in matches(text, _ASSIGNMENT, _keywords(lower)):
        key, ending, separator, *_ = match.groups()
        index = match.lastindex or 0
        asked = (key + ending, separator, match.group(index), index != 7)
        if asked not in judged:
            judged[asked] = _is_assigned(*asked)
        if judged[asked] and _may_follow(text[max(0, match.start() - 24) : match.start()], separator):
            kind = "password" if key.lower().startswith(_PASSWORDS) else "secret"
            spans.append((*match.span(index), f"[redacted:{kind}]"))
    return spans


def _keywords(lower: str) -> list[int]:
    """Where a name for a secret may begin, in order."""
    keys = [
        at
        for at in places_of(lower, ("key",))
        if lower[at - 1 : at] == "_" or lower[at - 2 : at] in _KEY_ENDINGS or lower[at - 3 : at - 1] in _KEY_ENDINGS
    ]
    places = places_of(lower, _KEYWORD_STARTS)
    places += starts(places_of(lower, ("pass",)), _BEFORE_PASS) + starts(keys, _BEFORE_KEY)
    places.sort()
    return places


_FLAG_BEFORE = late(r"(?:^|[\s\"'`])--?[A-Za-z-]{0,20}$")
_OTHER_KEYS = late(
    r"(?:next|page|cursor|sync|csrf|xsrf|public|primary|foreign|design|cache|sort|schema|partition|bucket|object"
    r"|idempotency)[_-]?\Z",
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


# In this order: a later one sees the markers of those before it.
_STEPS: tuple[tuple[Sequence[str], Callable[[str, str], list[Span]]], ...] = (
    ((BLOCK_ANCHOR,), key_blocks),
    *((rule.anchors, partial(_formed, rule)) for rule in (*RULES, *CONTEXTS)),
    (("pass", "key", *_KEYWORD_STARTS), _assigned),
    (PROSE_ANCHORS, secrets_told),
)
