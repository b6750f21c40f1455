"""Finds secrets by format, by context and by variable name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from loremark.base.redaction.secret_values import is_secret_value
from loremark.base.redaction.token_rules import RULES
from loremark.memory.codebase.security import path_context
from loremark.memory.codebase.security.documentation_comments import find_documentation, is_within
from loremark.memory.codebase.security.secret_contexts import CONTEXTS
from loremark.memory.codebase.security.secret_names import SecretKind, secret_kind, words
from loremark.memory.codebase.security.secret_values import is_placeholder, is_real

MAX = 400
_MAX_TRIES = 4_000
_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$"
_NAME_REACH = 48


class Secret(NamedTuple):
    """The position and kind of a secret, without its value."""

    offset: int
    rule: str
    severity: int
    why: str


_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=(?:\\[nr]|[\s\"'+,#*>|`\\]|[A-Za-z-]{4,20}:"
    r" [^\n]{0,80}\n){0,40}[A-Za-z0-9+/=]{24})"
)
_LOOSE_FORMS = {"jwt": 4, "signature": 3, "google-key": 4, "twilio-key": 4}
# The first is too common in code; the second is covered by the contexts.
_SKIPPED_FORMS = frozenset(["notion-token", "netrc-password"])
# All others are one long word of mixed characters, which is rare in a file.
_FORM_CHARS = 18
_MIXED = re.compile(r"\d|[a-z][A-Z]{1,3}[a-z]{1,2}[A-Z]")
_WHY_FORM = "The file contains what looks like a {}. Anyone who can read the repository can use it."
_CREDENTIAL_WHY = "Credentials are in plain text. Anyone who can read the repository can log in with them."

_STRICT_CONTEXTS = frozenset(["bearer-token", "url-token"])
_TINY_PASSWORDS = words("password passwd pass secret admin root user test guest postgres mysql mongo redis")

_ANCHORS = ("pass", "pwd", "secret", "token", "key", "cred", "_auth", "_pat", "-pat", "jwt", "kennwort")
# Allowed between a name and its value: an assignment with or without a type, an argument, a pair of fields.
_LINK = re.compile(
    r"(?P<close>\\?[\"'`]?\]?\)?)(?:"
    r"(?P<assign>[ \t]{0,40}(?:(?:\|\|=|\?\?=|[:?]?=)(?!=|>)|=>|"
    r"(?::[ \t]{0,4}[A-Za-z][\w<>\[\].|?]{0,30}[ \t]{0,4}|string[ \t]|\{[ \t]?get;[^}\n]{0,20}\}[ \t])=(?=["
    r" \t]{0,4}[\"'`(])))"
    r"|(?P<compare>[ \t]{0,4}(?:={2,3}|!={1,2}))"
    r"|(?P<colon>[ \t]{0,4}:(?![:=/+?-]))"
    r"|(?P<other>[ \t]{0,2}(?:\|\||\?\?)|[ \t]or(?=[ \t]))"
    r"|(?P<pair>[\"']?[,;]?\s{1,40}[\"']?value[\"']?[ \t]{0,3}[:=]|[ \t]\{\s{1,40}default[ \t]{0,10}=)"
    r"|(?P<comma>,)"
    r"|(?P<call>\()"
    r"|(?P<element>>)"
    r"|(?P<fallback>:-)"
    r"|(?P<blank>[ \t]{1,4})"
    r")(?P<block>[ \t]{0,4}[|>][+-]?[ \t]{0,4}\n)?[ \t]{0,40}(?:\(\s{0,40})?"
)
_QUOTED = re.compile(
    r"[rbuf@$]{0,2}(?:\\\"([^\"\\\n]{4,600})\\\"|\"([^\"\n]{4,600})\"|'([^'\n]{4,600})'|`([^`\n]{4,600})`)"
)
_GOES_ON = re.compile(r"\s{0,60}(?:[+.]\s{0,60})?[\"']([^\"'\n]{1,400})[\"']")
_BARE = re.compile(r"[^\s\"'`,;<>(){}\[\]|][^\s\"'`,;<>]{3,600}")
# "PASS: Auto-advance detected and …": a sentence, not a value.
_SENTENCE = re.compile(r"[ \t][A-Za-z]{2,20}[ \t][A-Za-z]{2,20}\b")
_SPACED = re.compile(
    r"(?:^|\n)[ \t]{0,20}(?:ENV|ARG|set|proxy_set_header|add_header|fastcgi_param|setenv|SetEnv)[ \t]$"
)


def find_secrets(path: str, language: str | None, content: str, lower: str) -> list[Secret]:
    """All secrets, unordered; several may be on the same line.

    What documentation in the code only shows, such as a URL with a password, is an example; a token is not.
    """
    if path_context.is_lock(path):
        return []
    shown = [*_by_context(content, lower)]
    if not path_context.is_translation(path) and not path_context.is_minified(path, content):
        shown += _by_name(language, path, content, lower)
    documented = find_documentation(language, content) if shown else []
    return [*_by_form(content, lower), *(one for one in shown if not is_within(one.offset, documented))][:MAX]


def _by_form(content: str, lower: str) -> Iterator[Secret]:
    if "private key" in lower:
        for match in _PRIVATE_KEY.finditer(content):
            yield Secret(match.start(), "private-key", 5, _WHY_FORM.format("private key"))
    runs = "\n".join(word for word in content.split() if len(word) >= _FORM_CHARS and _MIXED.search(word))
    lower_runs = runs.lower()
    for rule in RULES:
        if rule.kind in _SKIPPED_FORMS or not any(anchor in lower_runs for anchor in rule.anchors):
            continue
        if rule.pattern.search(runs) is None:
            continue
        for count, match in enumerate(rule.pattern.finditer(content)):
            if count > MAX:
                break
            secret = match.group(1) if rule.pattern.groups else match.group()
            if not is_placeholder(secret) and len(set(secret)) > 7:
                why = _WHY_FORM.format(rule.kind.replace("-", " "))
                yield Secret(match.start(), rule.kind, _LOOSE_FORMS.get(rule.kind, 5), why)


def _by_context(content: str, lower: str) -> Iterator[Secret]:
    for rule, anchor, severity, pattern in CONTEXTS:
        if anchor not in lower:
            continue
        for count, match in enumerate(pattern.finditer(content)):
            if count > MAX:
                break
            value = next((group for group in match.groups() if group), "")
            if _is_credential(rule, value):
                is_local = "localhost" in match.group() or content.startswith(
                    ("localhost", "127.0.0.1"), match.end() - 1
                )
                is_default = match.group().endswith((f"{value}:{value}@", f"{value}:{value}@{match.group()[-1]}"))
                yield Secret(match.start(), rule, 2 if is_local else 3 if is_default else severity, _CREDENTIAL_WHY)


def _is_credential(rule: str, value: str) -> bool:
    if is_placeholder(value) or value.lower() in _TINY_PASSWORDS:
        return False
    if rule in _STRICT_CONTEXTS:
        return is_secret_value(value, strict=True)
    if rule == "basic-auth":
        return any(map(str.isupper, value)) and any(map(str.islower, value)) and not value.isalpha()
    return not value.isdigit() and (rule != "url-password" or not value.isupper())


def _by_name(language: str | None, path: str, content: str, lower: str) -> Iterator[Secret]:
    is_settings = path_context.is_settings(language) and not path_context.is_document(language, path)
    has_bare = is_settings and path_context.has_bare_values(language)
    done = -1
    for tries, at in enumerate(_anchors(lower)):
        if tries > _MAX_TRIES:
            return
        if at < done:
            continue
        head = content[max(0, at - _NAME_REACH) : at]
        start = at - (len(head) - len(head.rstrip(_NAME_CHARS)))
        tail = content[at : at + _NAME_REACH]
        done = at + (len(tail) - len(tail.lstrip(_NAME_CHARS)))
        name = content[start:done].rstrip(".-$")
        sort = secret_kind(name)
        if sort is not None:
            secret = _under_name(sort, start, start + len(name), content, is_settings=is_settings, has_bare=has_bare)
            if secret is not None:
                yield secret


def _anchors(lower: str) -> Iterator[int]:
    """Positions of possible secret names, in source order."""
    places_found: list[int] = []
    for anchor in _ANCHORS:
        at = lower.find(anchor)
        for _ in range(_MAX_TRIES):
            if at < 0:
                break
            places_found.append(at)
            at = lower.find(anchor, at + len(anchor))
    return iter(sorted(places_found))


def _under_name(
    sort: SecretKind, start: int, end: int, content: str, *, is_settings: bool, has_bare: bool
) -> Secret | None:
    link = _LINK.match(content, end)
    if link is None:
        return None
    how = link.lastgroup if link.lastgroup != "block" else "colon"
    if not _is_linked(how or "", start, link, content):
        return None
    value, is_quoted = _value_at(content, link.end(), may_be_bare=_may_be_bare(how or "", start, content, has_bare))
    if not value or (how == "blank" and value in ("=", ":")):
        return None
    is_assigned = how in ("assign", "compare", "other", "call")
    if not is_real(sort, value, is_quoted=is_quoted, is_settings=is_settings, is_assigned=is_assigned):
        return None
    severity = 3 if sort == "key" or value.isalpha() else 5 if is_settings else 4
    rule = "hard-coded-password" if sort == "password" else f"hard-coded-{sort}"
    why = f"A {sort} is hard-coded in the file. Anyone with the code can read it, and it stays in the Git history."
    return Secret(start, rule, severity, why)


def _is_linked(how: str, start: int, link: re.Match[str], content: str) -> bool:
    before = content[max(0, start - 24) : start]
    close = link.group("close")
    if before.endswith("/"):
        return False
    if how == "comma":
        return any(quote in close for quote in "\"'`") or before.endswith(("'", '"'))
    if how == "element":
        return before.endswith("<") and not close
    if how == "blank":
        return (
            before.endswith(("--", "$", "X-")) or content.startswith("--", start) or _SPACED.search(before) is not None
        )
    if how == "call":
        return not close and "set" in content[start : link.start()].lower()
    return True


def _may_be_bare(how: str, start: int, content: str, has_bare: bool) -> bool:
    if how in ("compare", "call", "comma", "other"):
        return False
    before = content[max(0, start - 2) : start]
    return has_bare or how == "element" or before in ("${", "--")


def _value_at(content: str, at: int, *, may_be_bare: bool) -> tuple[str, bool]:
    quoted = _QUOTED.match(content, at)
    if quoted is not None:
        value: str = next(group for group in quoted.groups() if group is not None)
        end = quoted.end()
        for _ in range(6):
            more = _GOES_ON.match(content, end)
            if more is None:
                break
            value, end = value + more.group(1), more.end()
        return _fallback(value), True
    bare = _BARE.match(content, at) if may_be_bare else None
    if bare is None or _SENTENCE.match(content, bare.end()):
        return "", False
    return _fallback(bare.group().rstrip("}")), False


_FALLBACK = re.compile(r"\$\{[A-Za-z_][\w.-]{0,60}:[-=]?(?![?+])([^{}]{1,300})\}?")


def _fallback(value: str) -> str:
    """The default value in ``${NAME:value}``, which is used if the variable is not set."""
    match = _FALLBACK.fullmatch(value)
    return match.group(1) if match is not None else value
