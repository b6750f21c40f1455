"""Classifies variable names that hold secrets."""

from __future__ import annotations

import re
from typing import Literal

from loremark.base.redaction.field_names import PASS_OWNERS


def words(text: str) -> frozenset[str]:
    """Splits a word list."""
    return frozenset(text.split())


SecretKind = Literal["password", "secret", "token", "key"]
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MAX_NAME_CHARS = 80
# Qualifiers that say which secret it is.
_QUALIFIERS = words(
    "value prod production dev development staging live test local main primary secondary old new backup base64 b64"
    " raw plain text string str hex default base v1 v2 env current admin root db data encoded"
)
_PASSWORDS = words(
    "password passwd passphrase passcode pwd pass pw passwort kennwort pswd passwords pgpassword mypwd userpass dbpass"
)
_SECRETS = words("secret secrets credential credentials creds clientsecret appsecret")
_TOKENS = words("token tokens pat jwt authtoken accesstoken bearer apitoken")
_KEYS = words("key keys apikey secretkey accesskey privatekey authkey appkey")
_SURE_KEYS = words(
    "api secret access private signing encryption encrypt master auth account app license aes hmac jwt service"
    " client shared deploy storage subscription integration webhook session cookie crypto cipher admin appsecret dd"
)
_OTHER = words(
    "next page prev previous csrf xsrf public publishable primary foreign cache sort partition idempotency site"
    " websocket translation i18n design cancellation cancel cursor sync continuation row column object bucket schema"
    " map hash group route query index unique composite natural hot shortcut arrow lookup storybook css color no"
    " without is has show hide forgot reset change update confirm invalid missing wrong require requires required"
    " toggle max min num count anon"
)


def secret_kind(name: str) -> SecretKind | None:
    """The kind of secret a name suggests; None for names such as ``token_url`` and ``primary_key``."""
    if len(name) > _MAX_NAME_CHARS:
        return None
    parts = [word.lower() for word in _WORDS.findall(name)]
    while len(parts) > 1 and (parts[-1] in _QUALIFIERS or parts[-1].isdigit()):
        parts.pop()
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if before in _OTHER or parts[0] in ("no", "is", "has", "show", "forgot", "reset", "invalid", "missing", "public"):
        return None
    if last == "pass" and before and before not in PASS_OWNERS:
        return "token"  # "second pass", "selected_pass": only if the value leaves no doubt
    if last in _PASSWORDS:
        return "password"
    if last in _SECRETS:
        return "secret"
    if last in _TOKENS:
        return "token"
    if last in _KEYS:
        return "token" if before in _SURE_KEYS or last != "key" else "key"
    # A few names without a suffix for secrets.
    return "token" if last == "auth" and name.strip("_\"'").lower() == "auth" and name.startswith("_") else None
