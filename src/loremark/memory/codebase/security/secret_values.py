"""Tells real secret values from placeholders, labels, references and hashes."""

from __future__ import annotations

import re

from loremark.base.redaction.secret_values import entropy_bits, is_harmless, is_secret_value
from loremark.memory.codebase.security.secret_names import SecretKind, words

_PLACEHOLDER = re.compile(
    r"(?:^|[^A-Za-z0-9])(?:change|replace|insert|your|example|sample|placeholder|dummy|fake|todo|fixme|redacted"
    r"|removed|xxx+|foo|bar"
    r"|not[-_ ]?(?:a|real)|here|default|sensitive|hidden|invalid|mock|test|testing|tests)(?:[^A-Za-z0-9]|$)"
    r"|change[-_]?(?:me|it|this)"
    r"|example(?:key|secret|token|pass)?|placeholder|your[-_A-Z]|insecure|notasecret|notsecret|[*•]{3}|x{4}|(?:abc"
    r"|123|xyz){3}|0123456789|1234567890|abcdefgh",
    re.IGNORECASE,
)
_LONG_CHARS = 40
# Built or looked up at runtime.
_BUILT = re.compile(
    r"\$\{|\$\(|#\{|\{\{|\}\}|<%|%\(|%[sdv](?![A-Za-z0-9])|\{[A-Za-z_][\w.\[\]()]{0,40}\}|\{\}|\$[A-Za-z_]|\\\(|@\{"
    r"|<[a-zA-Z]"
)
_LOCKED = re.compile(
    r"(?:ENC[\[(]|\{cipher\}|vault:|arn:|op://|ref\+|AQICAH|sha(?:1|224|256|384|512)[-:$_]|md5[-:]|pbkdf2"
    r"|\{[A-Z0-9]{3,10}\}|bcrypt|\$2[aby]\$"
    r"|argon2|scrypt[:$]|projects/|gAAAAA|ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|AAAAB3NzaC1|-----BEGIN (?:PUBLIC|CERT)"
    r"|MIIB?[A-Z]|data:|urn:|\*\*/|rgba?\(|pk_(?:live|test)_|pk\.|sb_publishable_)"
)
# Values that vendors publish as examples: GitHub, AWS, Azurite.
_PUBLISHED = (
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "IOSFODNN7",
    "wJalrXUtnFEMI",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1",
)
_ALPHABET = re.compile(r"abcdefghijklmnop|0123456789abcdef", re.IGNORECASE)
_PATTERN = re.compile(r"\(\?|\[\^?[0-9A-Za-z]-|\\[dwsb]|\.[*+]|\]\{\d|\$\)?$")
_CALL = re.compile(r"[A-Za-z_]\w*\(\)")
_ANONYMOUS = re.compile(r"JvbGUiOiJhbm9u|cm9sZSI6ImFub24|yb2xlIjoiYW5vbi")
"""``role":"anon"`` in base64: such a token is meant for browsers."""
_SEALED = re.compile(r"Ag[A-D][A-Za-z0-9+/]{200,}+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:/{1,3}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_CODE = re.compile(r"(?:Convert(?:To|From)|Get|New|Read)-[A-Z]\w+|[A-Za-z_]\w*\(|.*\)$|.*[;{}]$|[@/.~]\S*")
_PARTS = re.compile(r"[-_.:/ #@]+")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d{1,4}|v\d{1,3}|[a-z]+\d{1,2}")
_CAMEL = re.compile(r"(?>[A-Z]?[a-z]{2,}+|[A-Z]{2,9}(?![a-z]))++\d{0,2}")
_HUMP = re.compile(r"[A-Z]?[a-z]{2,}+|[A-Z]{2,9}(?![a-z])")
_HUMPS = 3
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{32,}+")
_COMMON = words(
    "password passwd pass secret admin root user test guest postgres mysql mongo redis rabbitmq required optional"
    " string true false  none null empty enabled disabled yes hidden text plain basic digest bearer strong weak"
    " medium never always email username  login public private internal external default custom prompt stdin file"
    " unset manual auto local remote current confirm  prefer inherit static dynamic random generated rotate scram"
    " plaintext hashed encrypted unknown invalid missing"
)
# A value that mentions the kind of secret is a label or a name.
_SPEAKS = re.compile(
    r"pass|pwd|secret|token|(?<![a-z])key|auth|cred|login|reset|forgot|change|confirm|session|user|field|input|name",
    re.IGNORECASE,
)


def is_placeholder(value: str) -> bool:
    """Whether the value is a placeholder, a reference or an encrypted secret."""
    if is_harmless(value) or _LOCKED.match(value) or _SEALED.match(value) or "EXAMPLE" in value:
        return True
    if any(published in value for published in _PUBLISHED) or _ALPHABET.search(value) or _ANONYMOUS.search(value):
        return True
    if len(value) < _LONG_CHARS:
        return _PLACEHOLDER.search(value) is not None or _BUILT.search(value) is not None
    return "${" in value or "{{" in value or "example" in value[:20].lower() or "your" in value[:12].lower()


def is_real(sort: SecretKind, value: str, *, is_quoted: bool, is_settings: bool, is_assigned: bool) -> bool:
    """Whether the value of such a name is a real hard-coded secret."""
    if " " in value or is_placeholder(value) or _URL.match(value):
        return False
    if (_CALL if is_quoted else _CODE).fullmatch(value) or (
        is_quoted and sort != "password" and _PATTERN.search(value)
    ):
        return False
    if _UUID.fullmatch(value):
        return sort in ("token", "secret")
    if sort == "key":
        return _is_random(value)
    if sort == "token":
        return (is_secret_value(value, strict=True, quoted=is_quoted) and not _is_wordy(value)) or _is_random(value)
    if is_secret_value(value, strict=False, quoted=True):
        return not (_SPEAKS.search(value) and _is_wordy(value)) and (sort == "password" or not _is_version(value))
    return sort == "password" and (is_assigned or is_settings) and _is_word_password(value)


def _is_random(value: str) -> bool:
    """Whether only a generator would write it."""
    if _HEX.fullmatch(value):
        return True
    mixed = any(map(str.isupper, value)) and any(map(str.islower, value)) and any(map(str.isdigit, value))
    return len(value) >= 24 and mixed and entropy_bits(value) >= 3.7 and not _is_wordy(value)


def _is_camel(value: str) -> bool:
    """Whether it is several words joined, or one word long enough to be several."""
    if not _CAMEL.fullmatch(value):
        return False
    return sum(len(hump) // 2 if hump[-1].islower() else 1 for hump in _HUMP.findall(value)) >= _HUMPS


def _is_wordy(value: str) -> bool:
    """Whether it is words and numbers with separators, like an identifier."""
    if _is_camel(value):
        return True
    parts = [part for part in _PARTS.split(value) if part]
    return len(parts) > 1 and all(_PART.fullmatch(part) or _is_camel(part) for part in parts)


def _is_version(value: str) -> bool:
    return _is_wordy(value) and sum(map(str.isdigit, value)) < 3


def _is_word_password(value: str) -> bool:
    """Whether it is a password of letters only, not a common placeholder in forms and schemas."""
    letters = value.replace("-", "").replace("_", "").replace(".", "")
    if len(letters) < 7 or not letters.isalpha() or not letters.isascii() or value.isupper():
        return False
    return value.lower() not in _COMMON and _SPEAKS.search(value) is None and "." not in value
