"""Classifies a payload field by its name: holds a secret, may hold one, or only describes one."""

from __future__ import annotations

from loremark.base.redaction.lazy_pattern import lazy_pattern
from loremark.base.redaction.secret_values import is_encoded_pair, is_harmless, is_secret_value

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# How strongly a name implies a secret. PASSWORD: any value, also numbers and phrases. SURE: the same without numbers.
# NAMED: any text. LIKELY: anything that could be a password. SIGNED: the same, but it must contain a symbol. LONG: long
# and mixed. PAIR: the same, or user:password in base64.
PASSWORD, SURE, NAMED, LIKELY, SIGNED = "password", "sure", "named", "likely", "signed"
LONG, PAIR = "long", "pair"

_KEY_CHARS = 64
_LEAST_CHARS = 4
_LEAST_NUMBER = 1_000
_LEAST_WORDS, _MOST_WORDS = 5, 24
_WORD_CHARS = 12

_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9_. -]*|_[A-Za-z]+")
_SNAKE = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
# Words and numbers joined by punctuation: a test name, a file and line, a branch.
_SPEAKING = lazy_pattern(r"[A-Za-z]+\d{0,4}(?:[_./:-]+(?:[A-Za-z]+\d{0,4}|\d{1,4}))+")
_HEX = lazy_pattern(r"[0-9a-fA-F]{7,128}")
_FOLDER = lazy_pattern(r"(?:/|~/|[A-Za-z]:[\\/])[\w./\\ @+,()-]*")
_SIGNS = frozenset("!@#$%^&*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORD_ENDINGS = _words("password passwd passphrase passcode pwd passwort kennwort")
_SURE_ENDINGS = _words("secret apikey api_key")
_NAMED_ENDINGS = _words(
    "passwords token access_key private_key secret_key signing_key encryption_key master_key auth_key client_key"
    " account_key hmac_key credential credentials authorization secret_value"
)
_OTHER_TOKENS = _words("page next sync cursor design csrf cancellation")
PASS_OWNERS = _words(
    "db database sql mysql mariadb postgres postgresql pg mongo redis amqp rabbitmq smtp imap mail email ftp sftp ssh"
    " ldap proxy http basic registry vault keystore sudo become user admin root login account service wifi app"
)
# Evidence that "pass" means a password and not passed tests: a sibling field, or the parent's name.
_BESIDE_PASS = _words("user username usr login host hostname port email uid")
_AROUND_PASS = _words(
    "env environment config settings connection db database sql mysql mariadb postgres postgresql pg mongo redis amqp"
    " rabbitmq smtp imap mail email ftp sftp ssh ldap proxy registry wifi"
)
_FETCH_MODES = _words("include same-origin omit")
# Hexadecimal fields that are public, except when they are derived from a password.
_DIGESTS = _words("sha sha1 sha256 sha512 commit revision rev hash digest checksum")
_MADE_OF_SECRETS = _words("hash digest")
# Fields inside a secret object that describe it, and fields that hold it.
_ABOUT = _words(
    "type kind name names user username login email mail host hostname port url uri address id ids uid scheme scope"
    " scopes algorithm alg format description title label help message hint status state role issuer provider region"
    " count size length min max total limit expires expiry expiration created updated at ms seconds age ttl path file"
    " filename ref reference source env variable key version required enabled pattern fingerprint commit line rule"
    " severity policy mode by rules strength requirement requirements client model models issued owner author creator"
    " date time timestamp tag tags note notes comment audience subject grant used rotated modified changed revoked"
)
_HOLDING = _words("value values data raw plain text current old new previous content string")
_SENTENCE = _words(
    "the your must is are be of to for this that a an please enter at least and or not with has have in on if"
)


def kind_of(key: str, above: str = "") -> str:
    """Return the kind implied by a field's name and its parent's kind, or an empty string."""
    if len(key) > _KEY_CHARS or not _NAME.fullmatch(key):
        return _below(above, "")
    words = _parts(key)
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "token" and before in _OTHER_TOKENS:
        return ""
    for kind, endings in ((PASSWORD, _PASSWORD_ENDINGS), (SURE, _SURE_ENDINGS), (NAMED, _NAMED_ENDINGS)):
        if last in endings or f"{before}_{last}" in endings:
            return kind
    if last == "pass":
        return PASSWORD if before in PASS_OWNERS else LIKELY
    return {"secrets": LIKELY, "tokens": LONG, "auth": PAIR}.get(last) or _below(above, last)


def kind_of_field(key: str, value: Any, above: str, around: str, beside: Iterable[str]) -> str:
    """Return the kind for this value. ``above``, ``around``: the parent's kind and name; ``beside``: the siblings."""
    kind = kind_of(key, above)
    if not kind or len(key) > _KEY_CHARS:
        return kind
    words = _parts(key)
    if words == ["pass"]:
        is_password = (
            above not in ("", LONG, SIGNED)
            or (isinstance(value, str) and _last(around) in _AROUND_PASS)
            or any(_last(each) in _BESIDE_PASS for each in beside)
        )
        return kind if is_password else SIGNED
    if not isinstance(value, str):
        return kind
    is_known = (
        (words == ["pwd"] and _FOLDER.fullmatch(value) is not None)
        or (words[-1] == "credentials" and value in _FETCH_MODES)
        or (
            words[-1] in _DIGESTS
            and not (above in (PASSWORD, SURE) and words[-1] in _MADE_OF_SECRETS)
            and _HEX.fullmatch(value) is not None
        )
    )
    return "" if is_known else kind


def _parts(key: str) -> list[str]:
    return _SNAKE.sub("_", key).lower().strip("_").split("_")


def _last(key: str) -> str:
    return _parts(key)[-1] if len(key) <= _KEY_CHARS and _NAME.fullmatch(key) else ""


def _below(above: str, word: str) -> str:
    if above in ("", PAIR) or word in _ABOUT:
        return ""
    return above if above in (LONG, SIGNED) or word in _HOLDING else LIKELY


def is_secret(kind: str, value: Any) -> bool:
    """Return whether a value under a name of this kind is a secret, not a placeholder, short word or sentence."""
    if isinstance(value, int):
        return kind == PASSWORD and not isinstance(value, bool) and value >= _LEAST_NUMBER
    if not isinstance(value, str) or len(value) < _LEAST_CHARS or is_harmless(value):
        return False
    if kind in (PASSWORD, SURE, NAMED):
        return value.count(" ") < _LEAST_WORDS - 1 or (kind != NAMED and _is_phrase(value))
    if kind == SIGNED and _SIGNS.isdisjoint(value):
        return False
    if kind in (LIKELY, SIGNED):
        return not _SPEAKING.fullmatch(value) and is_secret_value(value, strict=False)
    return is_secret_value(value, strict=True) or (kind == PAIR and is_encoded_pair(value))


def _is_phrase(value: str) -> bool:
    """Return whether this is a passphrase rather than a sentence."""
    words = value.split()
    return (
        _LEAST_WORDS <= len(words) <= _MOST_WORDS
        and all(word.isalnum() and len(word) <= _WORD_CHARS for word in words)
        and (value.islower() or value.isupper() or all(word[:1].isupper() for word in words))
        and sum(word.lower() in _SENTENCE for word in words) < 2
    )
