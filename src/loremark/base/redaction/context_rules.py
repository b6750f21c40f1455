"""Rules for secrets that need context: the text around them, or a further check of the value."""

from __future__ import annotations

import re

from loremark.base.redaction.lazy_pattern import lazy_pattern
from loremark.base.redaction.secret_values import entropy_bits, is_encoded_pair, is_harmless, is_path, is_secret_value
from loremark.base.redaction.token_rules import Rule

_AWS_CHARS = 40
_AWS_CHARS_BEFORE, _AWS_CHARS_AFTER = 120, 40
_AWS_BITS = 4.0
_PGPASS_CHARS = 2_000
_BREAK = r"(?:\s|\\[nrt])"

# The password in a URL, up to the last @ before whitespace, because people do not percent-encode passwords. User names
# are kept: they tell whose secret it was. Only in database and broker URLs may a password contain a slash; elsewhere a
# path starts there, possibly with a version after an @. Before an image digest it is a tag.
_URL_USER_PART = r"://(?!\[)[^\s/@:\"'<>]{0,64}:(?!(?:\d{1,5}|\w{0,12}(?i:port)\w{0,4})(?:[/?#\s]|$))"
_DATABASE = (
    r"(?<![A-Za-z0-9+.-])(?i:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|valkeys?|amqps?|mssql|sqlserver|oracle|db2"
    r"|cockroach(?:db)?|clickhouse|cassandra|couchdb|neo4j|bolt|influxdb|kafka|nats|mqtts?|stomp|pulsar)"
    r"(?:\+[A-Za-z0-9_]{1,16})?(?=://)"
)
_DATABASE_PASSWORD = lazy_pattern(rf"{_DATABASE}{_URL_USER_PART}((?:[^\s:\"'<>]|:(?!//)){{1,256}})@")
_SCHEME = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}(?=://)"
_URL_PASSWORD = lazy_pattern(rf"{_SCHEME}{_URL_USER_PART}((?:[^\s/:\"'<>]|:(?!//)){{1,256}})@(?!sha\d{{3}}:)")
_URL_USER = lazy_pattern(r"(?<![A-Za-z0-9+.-])https?://([A-Za-z0-9_-]{20,256})@", re.IGNORECASE)
_HEADER = lazy_pattern(
    r"authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[a-z][a-z0-9-]{2,20}[ \t]++)?"
    r"([^\s\"',;]{6,}+)",
    re.IGNORECASE,
)
_SCHEME_BEFORE = lazy_pattern(r"(?:bearer|basic|digest|token|api-?key|key)[ \t]+$", re.IGNORECASE)
_BEARER = lazy_pattern(r"(?<![A-Za-z0-9])(?:bearer|basic)[ \t]++([A-Za-z0-9_.~+/-]{12,}+={0,2})", re.IGNORECASE)
_USER_FLAG = lazy_pattern(r"(?:\s-u|--user)[ =]{1,3}[\"']?[^\s:\"']{0,64}[\"']?:[\"']?([^\s\"']{4,200})")
_SHORT_FLAG = lazy_pattern(
    # With a space after -p these prompt for the password and take the word as a database name.
    r"(?:\b(?:mysql|mysqldump|mysqladmin)\b[^\n|;]{0,80}?[ \t]-p"
    r"|\b(?:mongo|mongosh|sshpass|redis-cli)\b[^\n|;]{0,80}?[ \t](?:-p|-a)[ \t]?"
    r"|\bdocker login\b[^\n|;]{0,80}?[ \t]-p[ \t])[\"']?([^\s\"'-][^\s\"']{5,200})"
)
_COOKIE = lazy_pattern(
    r"cookie[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[^\n;=]{1,40}+=[^\n;]{0,100}+;[ \t]?+){0,3}"
    r"[A-Za-z_.-]{0,20}(?:sess|sid|auth|token)[A-Za-z_.-]{0,20}=([A-Za-z0-9%._~+/-]{16,}+)",
    re.IGNORECASE,
)
# Base64 of a file that starts with -----BEGIN: a key, or a certificate that may be followed by one.
_ENCODED_PEM = lazy_pattern(
    rf"LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{{4,}}+(?:{_BREAK}{{1,12}}+[A-Za-z0-9+/_-]{{40,}}+)*+={{0,2}}"
)
_PUTTY = lazy_pattern(
    rf"Private-Lines:[ \t]{{0,4}}\d{{1,4}}{_BREAK}{{1,4}}"
    rf"((?:[A-Za-z0-9+/]{{64}}{_BREAK}{{1,4}}+)*+[A-Za-z0-9+/]{{4,}}+={{0,2}})"
)
_AWS_SECRET = lazy_pattern(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])")
# A line of .pgpass: host, port, database, user, password. Other colon-separated names look alike, so unless the file is
# mentioned nearby, the host and port must be literal, or host and database wildcards.
_PGPASS_HEAD = r"(?<![^\s\"'`=>])[A-Za-z0-9*][A-Za-z0-9.*-]{0,252}+:(?:\d{4,5}|\*):[A-Za-z_*]"
_PGPASS = lazy_pattern(rf"{_PGPASS_HEAD}[\w*-]{{0,62}}+:[A-Za-z_*][\w.*-]{{0,62}}+:([^\s\"'`]{{4,200}}+)")
_PGPASS_HOST = lazy_pattern(r"(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+):\d|\*:(?:\d+|\*):\*:", re.IGNORECASE)
_CRYPT = "[./A-Za-z0-9]"
_HASH = lazy_pattern(
    rf"\$(?:1|apr1)\$({_CRYPT}{{1,8}}\${_CRYPT}{{16,}}+)"
    rf"|\$[56]\$((?:rounds=\d{{1,9}}\$)?{_CRYPT}{{1,16}}\${_CRYPT}{{20,}}+)"
    rf"|\$2[abxy]\$\d\d\$({_CRYPT}{{22,}}+)"
    rf"|\$(?:7|g?y)\$({_CRYPT}{{1,16}}\${_CRYPT}{{1,86}}\${_CRYPT}{{20,}}+)"
    r"|\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z]=[a-z0-9=,]{1,40}\$([A-Za-z0-9+/]{8,128}\$[A-Za-z0-9+/]{16,}+)"
)
_REGISTRY_AUTH = lazy_pattern(r"[\"']auth[\"'][ \t]{0,4}:[ \t]{0,4}[\"']([A-Za-z0-9+/]{8,512}={0,2})[\"']")

_COMMANDS = ("mysql", "mongo", "sshpass", "redis-cli", "docker login")
_HASHES = ("$1$", "$apr1$", "$5$", "$6$", "$2", "$7$", "$y$", "$gy$", "$argon2")
_SCHEME_CHARS, _DATABASE_CHARS = 21, 40

CONTEXTS: tuple[Rule, ...] = (
    Rule("private-key", ("ls0tls1crudjti",), _ENCODED_PEM),
    Rule("private-key", ("private-lines",), _PUTTY),
    Rule("url-password", ("://",), _DATABASE_PASSWORD, shape=lazy_pattern(_DATABASE), near=(_DATABASE_CHARS, 3)),
    Rule("url-password", ("://",), _URL_PASSWORD, shape=lazy_pattern(_SCHEME), near=(_SCHEME_CHARS, 3)),
    Rule("url-token", ("://",), _URL_USER, before=(5, 4)),
    Rule("authorization", ("authorization",), _HEADER),
    Rule("bearer-token", ("bearer", "basic"), _BEARER),
    Rule("registry-auth", ('auth"', "auth'"), _REGISTRY_AUTH, before=(1,)),
    Rule("password", ("-u",), _USER_FLAG, before=(1,)),
    Rule("password", (" -", "\t-"), _SHORT_FLAG, heads=_COMMANDS),
    Rule("cookie", ("cookie",), _COOKIE),
    Rule("pgpass", ("pgpass", ":543", ":643", "*:*:*:"), _PGPASS, shape=lazy_pattern(_PGPASS_HEAD)),
    Rule("password-hash", _HASHES, _HASH),
    Rule(
        "aws-secret",
        ("aws",),
        _AWS_SECRET,
        shape=_AWS_SECRET,
        near=(_AWS_CHARS + _AWS_CHARS_AFTER, _AWS_CHARS_BEFORE + _AWS_CHARS + 1),
    ),
)


def is_likely_secret(kind: str, match: re.Match[str], secret: str) -> bool:
    """Return whether a match is a secret and not a placeholder or a lookalike."""
    if kind == "password-hash":
        return True
    # A password that contains an @ is not an email address.
    if is_harmless(secret.replace("@", "-") if kind == "url-password" else secret):
        return False
    if kind == "authorization":
        # "Authorization: Role-based access control": without a scheme there may as well be prose or code.
        has_scheme = _SCHEME_BEFORE.search(match.string[match.start() : match.start(1)]) is not None
        return is_secret_value(secret, strict=not has_scheme, quoted=False) or is_encoded_pair(secret)
    if kind in ("bearer-token", "cookie"):
        return is_secret_value(secret, strict=True)
    if kind == "registry-auth":
        return is_encoded_pair(secret)
    if kind == "pgpass":
        return _PGPASS_HOST.match(match.group()) is not None or _is_in_pgpass(match)
    return kind != "aws-secret" or _is_of_aws(match, secret)


def _is_in_pgpass(match: re.Match[str]) -> bool:
    """Return whether .pgpass is mentioned near the match. Searching the whole text each time would be quadratic."""
    start, end = match.span()
    return "pgpass" in match.string[max(0, start - _PGPASS_CHARS) : end + _PGPASS_CHARS].lower()


def _is_of_aws(match: re.Match[str], secret: str) -> bool:
    """Return whether the context marks this as an AWS secret key, which has no distinctive format of its own."""
    start, end = match.span()
    around = match.string[max(0, start - _AWS_CHARS_BEFORE) : end + _AWS_CHARS_AFTER].lower()
    mixed = all(any(map(test, secret)) for test in (str.isupper, str.islower, str.isdigit))
    return "aws" in around and "secret" in around and mixed and not is_path(secret) and entropy_bits(secret) > _AWS_BITS
