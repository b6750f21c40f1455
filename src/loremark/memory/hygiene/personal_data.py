"""Personal data, recognized by its form and check digits and replaced by markers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from loremark.memory.extraction.word_patterns import words_from

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+/:@-])([A-Za-z0-9][A-Za-z0-9._%+-]{0,63})@((?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})"
    r"(?![\w@-]|\.\w|:[\w/])"
)
_ROLES = words_from(
    """
    noreply no-reply no_reply donotreply do-not-reply info support admin administrator help hello hallo hi team contact
    kontakt sales billing invoices security abuse postmaster hostmaster webmaster root git ops dev devops alerts alert
    notifications notification notify mailer-daemon bot robot ci cd build builds deploy deployer release releases
    service services svc system daemon test tests tester user username someone somebody you me name your-name yourname
    email mail mailer newsletter news press marketing jobs careers hr legal privacy dpo office feedback hilfe
    service-desk servicedesk helpdesk oncall on-call pager status monitoring grafana jenkins github gitlab runner backup
    db postgres mysql redis api app web www ftp sftp ssh vagrant ubuntu debian ec2-user docker node nobody foo bar alice
    bob demo
    """
)
_ROLE_PART = re.compile(
    r"(?:^|[._+-])(?:no-?reply|bot|robot|svc|service|ci|cd|deploy(?:er)?|signer|system|daemon|runner|alerts?|"
    r"notifications?|test|admin|support)(?:$|[._+-])"
)
_RESERVED = re.compile(
    r"(?:^|\.)(?:example\.(?:com|org|net|edu)|(?:[\w-]+\.)*(?:example|test|invalid|localhost|local|internal|lan)|"
    r"(?:[\w.-]+\.)?gserviceaccount\.com|users\.noreply\.github\.com|noreply\.\S+|domain\.com|company\.com|acme\.com|"
    r"foo\.com|bar\.com|test\.com|email\.com|yourdomain\.\w+|your-?company\.\w+|mydomain\.\w+)$"
)
_NOT_TOP_LEVEL = words_from("png jpg jpeg gif svg webp js ts tsx jsx css py go rs kt java rb php json yaml yml md")

# Possessive: digits can be grouped in many ways, and each is tried once.
_INTERNATIONAL = re.compile(r"(?<![\w+.:/-])(?<!\d )(?:\+|00)[1-9](?:[ ./-]?\(?\d{1,5}+\)?){2,7}+(?![\w.-]?\d)")
_NORTH_AMERICAN = re.compile(r"(?<![\w+.-])\(\d{3}\) ?\d{3}[ .-]\d{4}(?!\w)")
_CALLED = re.compile(
    r"(?:phone|tel(?:ephone|efon|\.)?|mobile|cell|handy|whatsapp|call(?:s|ed)?(?: (?:him|her|them|us|me)(?: back)?)?)"
    r"(?: (?:number|no\.?|is|at|on|under))*\s?[:#]?\s{0,3}((?:\d[ ./-]?){8,13}\d)(?![\w.]?\d)",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_KNOWN_IBANS = frozenset(("DE89370400440532013000", "GB82WEST12345698765432", "CH9300762011623852957"))
_CARD = re.compile(r"(?<![\w.+-])(?:[3-6]\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{4}|3[47]\d{2}[ -]\d{6}[ -]\d{5})(?![\w-]|\.\d)")
_BARE_CARD = re.compile(
    r"(?:card|visa|mastercard|amex|karte|pan)\b[^\n\d]{0,30}(?<![\w.+-])([3-6]\d{12,18})(?![\w-]|\.\d)", re.IGNORECASE
)
# Test card numbers of payment providers.
_TRIAL_CARD = re.compile(
    r"4242|4111111|40000|5555555555554444|5200828282828210|5105105105105100|3782822|3714496|60111111"
)
_NATIONAL_ID = re.compile(
    r"(?:\bssn\b|social security(?: number| no\.?)?|ahv(?:-nummer|-nr\.?)?)\D{0,12}"
    r"(\d{3}-\d{2}-\d{4}|756\.\d{4}\.\d{4}\.\d{2})(?!\d)",
    re.IGNORECASE,
)
_STREET = re.compile(
    r"(?<![\w/])\d{1,5}[A-Za-z]? (?:[A-Z][a-z]+ ){1,3}(?:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Lane|Drive|Boulevard|"
    r"Blvd\.?|Court|Square|Terrace),? (?:[A-Z][A-Za-z]+,? ){1,3}(?:[A-Z]{2},? )?"
    r"(?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z0-9]? \d[A-Z]{2})(?!\w)"
)
_STRASSE = re.compile(
    r"(?<![\w/])[A-ZÄÖÜ][\wäöüß.-]{2,30}(?:straße|strasse|str\.|weg|gasse|allee|platz) \d{1,4}[a-z]?, "
    r"(?:[A-Z]{1,2}-)?\d{4,5} [A-ZÄÖÜ][\wäöüß-]{2,30}"
)


@dataclass(frozen=True, slots=True)
class _Form:
    kind: str
    pattern: re.Pattern[str]
    holds: Callable[[re.Match[str]], bool]


def redact_personal_data(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with personal data replaced by markers, and the kinds found, one per occurrence."""
    kinds: list[str] = []
    for form in _FORMS:
        text = form.pattern.sub(lambda match, form=form: _replaced(match, form, kinds), text)  # type: ignore[misc]
    return text, tuple(kinds)


def _replaced(match: re.Match[str], form: _Form, kinds: list[str]) -> str:
    if not form.holds(match):
        return match.group()
    kinds.append(form.kind)
    if form.kind == "email" or not match.re.groups:
        return f"[redacted:{form.kind}]"
    whole, start = match.group(), match.start(1) - match.start()
    return f"{whole[:start]}[redacted:{form.kind}]{whole[start + len(match.group(1)) :]}"


def _is_a_persons(match: re.Match[str]) -> bool:
    """An address that a person reads, not a role, a program or an example."""
    local, domain = match.group(1).lower(), match.group(2).lower()
    if local in _ROLES or _ROLE_PART.search(local) or _RESERVED.search(domain):
        return False
    return domain.rpartition(".")[2] not in _NOT_TOP_LEVEL


def _is_phone(match: re.Match[str]) -> bool:
    digits = _digits(match.group(match.re.groups))
    # 555-01xx, repeated digits and 123456789 are fictional.
    return 9 <= len(digits) <= 15 and len(set(digits)) > 3 and "55501" not in digits and "123456789" not in digits


def _is_iban(match: re.Match[str]) -> bool:
    compact = match.group().replace(" ", "")
    if not 15 <= len(compact) <= 34 or compact in _KNOWN_IBANS:
        return False
    rearranged = "".join(str(int(letter, 36)) for letter in compact[4:] + compact[:4])
    return int(rearranged) % 97 == 1


def _is_card(match: re.Match[str]) -> bool:
    digits = _digits(match.group(match.re.groups))
    return len(set(digits)) > 3 and _TRIAL_CARD.match(digits) is None and is_luhn_valid(digits)


def is_luhn_valid(digits: str) -> bool:
    """The check digit of card numbers."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _always(match: re.Match[str]) -> bool:
    return True


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


_FORMS = (
    _Form("email", _EMAIL, _is_a_persons),
    _Form("iban", _IBAN, _is_iban),
    _Form("card", _CARD, _is_card),
    _Form("card", _BARE_CARD, _is_card),
    _Form("national-id", _NATIONAL_ID, _always),
    _Form("phone", _INTERNATIONAL, _is_phone),
    _Form("phone", _NORTH_AMERICAN, _is_phone),
    _Form("phone", _CALLED, _is_phone),
    _Form("address", _STREET, _always),
    _Form("address", _STRASSE, _always),
)
