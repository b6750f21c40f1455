"""Email addresses: how they are stored and compared, so that look-alike letters never make two people one account."""

from __future__ import annotations

import unicodedata

import idna

from loremark.base import errors


def canonical(email: str) -> str:
    """Return the address as it is stored and shown, with its domain in ASCII. Refuses what can't be delivered safely.

    Letters beyond ASCII before the @ are refused, because many of them look like others. In domains they stay
    allowed, and show as ``xn--…``.
    """
    local, _, domain = email.strip().rpartition("@")
    if not local.isascii():
        raise errors.invalid("email must have only ASCII characters before the @")
    try:
        return f"{local}@{_ascii_domain(domain)}"
    except UnicodeError as error:  # of which IDNAError is one
        raise errors.invalid("email has an invalid domain") from error


def email_key(email: str) -> str:
    """Return the form in which addresses are compared. An address that can't be an account's equals only itself."""
    local, _, domain = email.strip().rpartition("@")
    try:
        domain = _ascii_domain(domain)
    except UnicodeError:
        domain = unicodedata.normalize("NFC", domain)
    return f"{unicodedata.normalize('NFC', local)}@{domain}".lower()


def _ascii_domain(domain: str) -> str:
    # The older rules, which Python has built in, make "straße" and "strasse" one name. Registries no longer do.
    return domain if domain.isascii() else idna.encode(domain, uts46=True, transitional=False).decode()
