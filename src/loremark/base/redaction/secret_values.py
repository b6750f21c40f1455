"""Tells a secret value from a placeholder, a reference, a word or an identifier by its characters alone."""

from __future__ import annotations

import math
import re
from collections import Counter

from loremark.base.redaction.lazy_pattern import lazy_pattern

_STRONG_CHARS = 16
_STRONG_BITS = 2.8
_LETTERS_CHARS = 24
_LETTERS_BITS = 3.8
_WEAK_CHARS = 6
_PAIR_CHARS = 512
# Longer values are classified by their beginning.
_JUDGED_CHARS = 8_192

# Placeholders and references, which are not redacted.
_PLACEHOLDER = lazy_pattern(
    r"(?:your|my|the|an?|some|insert|replace|change|enter|put|add|fake|dummy|example|sample|placeholder|redacted|todo|fixme"
    r"|test[_-]?only|not[_-]?a)(?:[-_ ]?(?:your|own|me|this|with|here|it|in|real|secret|token|api|key|password|pass"
    r"|value|access|private|client|auth|db|aws|user|name|string|production))*+[-_ ]?\d{0,3}",
    re.IGNORECASE,
)
_PLAIN = lazy_pattern(
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|key|none|null|nil|undefined|true|false|yes|no|empty|unset"
    r"|required|optional|string|bytes|any|str|int|bool|hidden|masked|default|user|admin|foo|bar|baz|foobar|abc|abcd"
    r"|abc-?123|12345\d*|tbd|n/?a|xyz)",
    re.IGNORECASE,
)
_REPEATED = lazy_pattern(
    r"(.)\1*|(?:[xX*•.#?0-]|\.\.\.|…)+|(?:[A-Za-z]{1,8}[-_]){0,4}(?:[xX]{3,}|\*{2,}|\.{3}|…)[-_A-Za-z]{0,8}"
)
_REFERENCE = lazy_pattern(
    r"\$|%[({A-Za-z]|<|\{|\[|@|#\{|\(|process\.env|os\.|env[.:(\[]|import\.meta|vault:|arn:|op://|ssm:|secretsmanager|sops|ENC\[|file:|kms:|!|&|\\|\.\.?/|~/|--|https?:"
)
_EMAIL = lazy_pattern(r"[^\s@]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_PATH = lazy_pattern(
    r"(?:[A-Za-z]:[\\/]|/)?(?:[a-z0-9_.@-]{1,40}[\\/])+[A-Za-z0-9_.-]{1,40}|/[a-z0-9_.-]+|[\w-]+\.(?:py|ts|js|go|rs|md|txt|json|ya?ml|toml|env|pem|key|sh)(?::\d+)?"
)
_ENDPOINT = lazy_pattern(r"(?:/(?:[a-z][a-z0-9._-]*|v\d+(?:\.\d+)*|\{\w+\}|:\w+)){2,}/?(?:\?\S*)?")
# "test-bearer-token-123": words that say that it is made up.
_MADE_UP = lazy_pattern(
    r"(?:[a-z]{2,12}[-_]){0,4}(?:test|fake|dummy|mock|example|sample|invalid)(?:[-_](?:[a-z]{2,12}|\d{1,4}[a-z]{0,5})){1,5}"
)
_MARKER_PART = lazy_pattern(r"\[redacted:")
# Technical terms with digits that are not secrets.
_KNOWN = (
    r"(?:x?sha-?\d{1,3}|md5|argon2(?:id|i|d)?|pbkdf2|bcrypt|scrypt|base(?:64|32|58)(?:url)?|b64|oauth-?2?|oauth2?|http[s23]?|utf-?8|x509|[hrep]s(?:256|384|512)|ed25519|curve25519|secp256\w\d"
    r"|aes-?\d{0,3}|u?int\d{1,2}|float\d{2}|vec\d|v\d{1,3}|ipv[46]|hmac|s3|ec2|k8s|i18n|l10n|p256|rfc\d{3,5}|iso\d{4,5}|gpt\d?|cl100k|o200k|uuid\d?|2fa|mfa)"
)
_KNOWN_WORDS = lazy_pattern(_KNOWN, re.IGNORECASE)
_KNOWN_WORDS_ALONE = lazy_pattern(rf"(?<![A-Za-z0-9]){_KNOWN}(?![A-Za-z0-9])", re.IGNORECASE)
_PACKAGE = lazy_pattern(r"[a-z]+(?:[-_.:][a-z]+)*[-_:@]v?\d+(?:\.\d+)+")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][A-Za-z_]*\d{0,2}(?:(?:[._:-]|::|->)[A-Za-z_]+\d{0,2})*[.!?]?")
_NUMBER = lazy_pattern(r"[\d.,_:%+-]+(?:[a-zA-Z]{1,3}|seconds?|minutes?|hours?|days?|bytes|tokens|chars)?")
_HOST = lazy_pattern(r"(?:[a-z0-9-]+\.)+[a-z]{2,12}(?::\d{2,5})?(?:/\S*)?")


def is_harmless(value: str) -> bool:
    """Return whether it is a placeholder, a reference to a secret, or one of our markers."""
    value = value[:_JUDGED_CHARS]
    bare = value.strip("\"'`<>[]{}() ")
    return (
        not bare
        or _MARKER_PART.search(value) is not None
        or _REFERENCE.match(value) is not None
        or any(pattern.fullmatch(bare) for pattern in (_PLACEHOLDER, _PLAIN, _MADE_UP, _REPEATED, _EMAIL))
        or len(set(bare.lower())) <= 2
        or re.search(r"x{5,}|X{5,}|\*{3,}|\.\.\.|…|0{9,}|your[-_]", bare) is not None
    )


def is_ordinary(value: str) -> bool:
    """Return whether it is a path, number, host, version, or made of known technical terms only."""
    if any(pattern.fullmatch(value) for pattern in (_PATH, _ENDPOINT, _NUMBER, _HOST, _PACKAGE, _EMAIL)):
        return True
    if (rest := _KNOWN_WORDS.sub("", value.rstrip("()"))) != value and rest.isalpha():
        return True  # VueI18n, useOAuth2
    return sum(map(str.isdigit, _KNOWN_WORDS_ALONE.sub("", value))) < (1 if re.search(r"[!#%^&*?+~]", value) else 2)


def may_be_secret(value: str) -> bool:
    """Return False if ``is_secret_value`` cannot be True: no digit, no symbol and too short. Fast."""
    bare = value.rstrip(".,;:!?")
    return len(bare) >= _LETTERS_CHARS or any(not each.isalpha() and each not in "-_./:" for each in bare)


def is_secret_value(value: str, *, strict: bool, quoted: bool = True) -> bool:
    """Return whether a value next to a keyword looks like a secret. ``strict``: only if it is long and mixed."""
    bare = value[:_JUDGED_CHARS].rstrip(".,;:!?")
    if " " in bare or any(pattern.fullmatch(bare) for pattern in (_PATH, _ENDPOINT, _NUMBER, _HOST, _PACKAGE)):
        return False
    # In a long value a term such as "v1" is a coincidence; in a short one it explains the digit.
    rest = (_KNOWN_WORDS_ALONE if len(bare) >= _STRONG_CHARS else _KNOWN_WORDS).sub("", bare)
    letters, digits = any(map(str.isalpha, rest)), sum(map(str.isdigit, rest))
    mixed = digits >= 2 or (digits == 1 and len(bare) >= _LETTERS_CHARS and bare.isalnum() and not bare.islower())
    if len(bare) >= _STRONG_CHARS and letters and mixed and entropy_bits(bare) >= _STRONG_BITS:
        return quoted or not _IDENTIFIER.fullmatch(bare)
    if len(bare) >= _LETTERS_CHARS and bare.isalpha() and entropy_bits(bare) >= _LETTERS_BITS:
        return not bare.islower() and not _is_camel(bare)
    if strict or len(bare) < _WEAK_CHARS:
        return False
    symbols = any(not letter.isalnum() and letter not in "-_./:" for letter in rest)
    if not letters or not (digits or symbols):
        return False
    return quoted or digits >= 2 or symbols or not _IDENTIFIER.fullmatch(rest)


def is_encoded_pair(value: str) -> bool:
    """Return whether it is user:password in base64, as in registry settings and Basic auth."""
    from binascii import a2b_base64  # its Error is a ValueError

    try:
        user, _, password = a2b_base64(value[:_PAIR_CHARS], strict_mode=True).decode().partition(":")
    except ValueError:
        return False
    return bool(user and password) and (user + password).isprintable()


def is_path(value: str) -> bool:
    """Return whether it looks like a file path."""
    return _PATH.fullmatch(value) is not None


def entropy_bits(text: str) -> float:
    """Return the Shannon entropy in bits per character."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def _is_camel(text: str) -> bool:
    """Return whether it is a CamelCase name such as AbstractSingletonFactoryBean."""
    parts = re.findall(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])", text)
    return sum(map(len, parts)) == len(text) and len(parts) <= len(text) / 4
