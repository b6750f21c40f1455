"""Removes secrets from texts and payloads before they are stored, embedded or sent to a model."""

from __future__ import annotations

import re
from functools import partial

from loremark.base.redaction.context_rules import CONTEXTS, is_likely_secret
from loremark.base.redaction.field_names import is_secret, kind_of, kind_of_field
from loremark.base.redaction.lazy_pattern import lazy_pattern
from loremark.base.redaction.private_keys import BLOCK_ANCHOR, MARKER, find_key_blocks
from loremark.base.redaction.prose import PROSE_ANCHORS, find_prose_secrets
from loremark.base.redaction.secret_values import is_harmless, is_secret_value, may_be_secret
from loremark.base.redaction.text_search import (
    CYRILLIC_SIGN,
    find_all,
    find_shape,
    find_shape_near,
    fold_case,
    matches,
    replace_spans,
    shift_back,
    split_chunks,
)
from loremark.base.redaction.token_rules import RULES, Rule

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from loremark.base.redaction.text_search import Span

__all__ = ["MARKER", "contains_any", "redact", "redact_payload"]

# Redacting one secret can expose another by creating a word boundary. Real texts need one pass.
_MAX_PASSES = 6

# Zero-width, joining and direction characters, which can split a word invisibly.
_UNSEEN = lazy_pattern(r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+")

_KEY_WORDS = (
    *("auth", "account", "access", "private", "signing", "encryption", "encrypt", "master", "service", "license"),
    *("deploy", "hmac", "jwt", "storage", "client", "shared"),
)
_KEYWORD = (
    r"(?:pass(?:word|wort|wd|phrase|code)|pwd|(?<![A-Za-z0-9])pw|secret|token|credentials?"
    r"|kennwort|mot[ _-]de[ _-]passe|contrase(?:ñ|n\u0303?)a|(?<![A-Za-z])senha|пароль"
    rf"|api[_ -]?key|(?:{'|'.join(_KEY_WORDS)})[_-]?key|(?-i:(?<=[A-Z0-9])_KEY)|_pass|_auth)"
)
# Where a keyword can start: at one of these words, or so many characters before it.
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
# Quoted, or up to whitespace or a bracket. An ampersand ends it only if another URL parameter follows.
_BARE = r"[^\s\"'`,;(){}\[\]<>&|=]"
_AMPERSAND = r"&(?![\w.-]{1,40}=|&)"
_VALUE = (
    r"(?:\"([^\"\n]{4,512})\"|'([^'\n]{4,512})'|`([^`\n]{4,512})`"
    rf"|((?=(?:{_BARE}|{_AMPERSAND}){{4}})(?:{_BARE}++|{_AMPERSAND})++(?:={{1,2}}(?![^\s\"',;)&\]}}]))?))"
)
# The separator: an assignment, colon, comparison, argument comma, the word "is", or the space after a flag.
_LINK = (
    r"([ \t\u00a0\u202f]{0,8}(?:[:?]{1,3}=|=>|!?={1,3}|:)[ \t\u00a0\u202f]{0,8}|,[ \t]{0,2}(?=[\"'])"
    r"|[ \t]++(?:is|was|ist|lautet|est|es)[ \t]++(?:set to[ \t]++|now[ \t]++)?|[ \t]++)"
)
_SAYS = ("is", "was", "lautet", "est", "es")
# Case-insensitive up to the value only, because that compiles faster.
_ASSIGNMENT = lazy_pattern(
    rf"(?i:({_KEYWORD})({_ENDING})(?![A-Za-z0-9])[\"'`\]]{{0,2}}{_LINK}(?:[a-z]{{1,2}}(?=[\"']))?){_VALUE}"
)


def redact(text: str) -> tuple[str, int]:
    """Replace each secret by a marker with its kind. Return the text and the number of secrets."""
    text, total = _redact_seen(text)
    if not text.isascii() and (seen := "".join(_UNSEEN.sub("", piece) for piece in split_chunks(text))) != text:
        seen, found = _redact_seen(seen)
        if found:  # drop invisible characters only if they hid a secret
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
    """Redact every string in a JSON value. A value under a key that names a secret is replaced entirely."""
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
        # Classify by the redacted name, so redacting twice gives the same result.
        name, in_name = redact(key)
        clean, found = _redact_below(meant or kind_of_field(name, each, above, around, value), each, name)
        while name in made:
            name += "-"
        made[name] = clean
        total += found + in_name
    return made, total


def _one_pass(text: str) -> tuple[str, int]:
    before = lower = fold_case(text)
    total = 0
    for anchors, find in _STEPS:
        if contains_any(before, anchors) and (spans := find(text, lower)):
            text, lower = replace_spans(text, spans), replace_spans(lower, spans)
            total += len(spans)
    return text, total


def contains_any(lower: str, anchors: Sequence[str]) -> bool:
    """Return whether a case-folded text contains one of the words."""
    return any(anchor in lower for anchor in anchors)


def _formed(rule: Rule, text: str, lower: str) -> list[Span]:
    """Return the spans that match a rule."""
    spans: list[Span] = []
    for match in matches(text, rule.pattern, _starts_of(rule, text, lower)):
        group = match.lastindex or 0
        if is_likely_secret(rule.kind, match, match.group(group)):
            spans.append((*match.span(group), f"[redacted:{rule.kind}]"))
    return spans


def _starts_of(rule: Rule, text: str, lower: str) -> list[int]:
    if rule.shape is None:
        places = find_all(lower, rule.heads)
    elif rule.near is None:
        places = find_shape(text, rule.shape)
    else:
        places = find_shape_near(text, rule.shape, find_all(lower, rule.heads), rule.near)
    return shift_back(places, rule.before)


def _assigned(text: str, lower: str) -> list[Span]:
    """Return the secrets assigned to a keyword."""
    spans: list[Span] = []
    judged: dict[tuple[str, str, str, bool], bool] = {}  # check repeated assignments once per text
    for match in matches(text, _ASSIGNMENT, _keywords(lower)):
        key, ending, separator, *_ = match.groups()
        index = match.lastindex or 0
        if index == _BARE_VALUE and _ARGUMENTS.match(text, match.end()):
            continue  # a call
        asked = (key + ending, separator, match.group(index), index != _BARE_VALUE)
        if asked not in judged:
            judged[asked] = _is_assigned(*asked)
        if judged[asked] and _may_follow(text[max(0, match.start() - 24) : match.start()], separator):
            kind = "password" if key.lower().startswith(_PASSWORDS) else "secret"
            spans.append((*match.span(index), f"[redacted:{kind}]"))
    return spans


_BARE_VALUE = 7
"""The group of a value without quotes."""
_ARGUMENTS = lazy_pattern(r"\((?:[^\n]{0,200}\)|[ \t]*$)", re.MULTILINE)


def _keywords(lower: str) -> list[int]:
    """Return the sorted positions where a keyword may start."""
    keys = [
        at
        for at in find_all(lower, ("key",))
        if lower[at - 1 : at] == "_" or lower[at - 2 : at] in _KEY_ENDINGS or lower[at - 3 : at - 1] in _KEY_ENDINGS
    ]
    places = find_all(lower, _KEYWORD_STARTS)
    places += shift_back(find_all(lower, ("pass",)), _BEFORE_PASS) + shift_back(keys, _BEFORE_KEY)
    places.sort()
    return places


_FLAG_BEFORE = lazy_pattern(r"(?:^|[\s\"'`])--?[A-Za-z-]{0,20}$")
_OTHER_KEYS = lazy_pattern(
    r"(?:next|page|cursor|sync|csrf|xsrf|public|publishable|primary|foreign|design|cache|sort|schema|partition|bucket|object"
    r"|idempotency)[_-]?\Z",
    re.IGNORECASE,
)


def _is_assigned(key: str, separator: str, value: str, quoted: bool) -> bool:
    if not may_be_secret(value):
        return False
    said = separator.strip().lower()
    # After a word such as "password" even a weak value counts; after "key" or "token" it must look like a secret.
    is_password = key.lower().startswith((*_PASSWORDS, "secret", "credential"))
    compact = quoted or (said == "=" and separator == "=") or not said
    weak_is_enough = is_password and (compact or said in (":", "=", ":=") or said.startswith(_SAYS))
    return is_secret_value(value, strict=not weak_is_enough, quoted=compact) and not is_harmless(value)


def _may_follow(before: str, separator: str) -> bool:
    """Return whether the text before allows an assignment. With only a space as separator the key must be a flag."""
    return (bool(separator.strip()) or _FLAG_BEFORE.search(before) is not None) and not _OTHER_KEYS.search(before)


# Order matters: each step sees the markers of earlier steps.
_STEPS: tuple[tuple[Sequence[str], Callable[[str, str], list[Span]]], ...] = (
    ((BLOCK_ANCHOR,), find_key_blocks),
    *((rule.anchors, partial(_formed, rule)) for rule in (*RULES, *CONTEXTS)),
    (("pass", "key", *_KEYWORD_STARTS), _assigned),
    (PROSE_ANCHORS, find_prose_secrets),
)
