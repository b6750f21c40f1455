"""Finds secrets in prose: a keyword such as "password", and a few words later a token that is not a word."""

from __future__ import annotations

import re

from loremark.base.redaction.lazy_pattern import lazy_pattern
from loremark.base.redaction.secret_values import is_harmless, is_ordinary
from loremark.base.redaction.text_search import find_all, matches, shift_back

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from loremark.base.redaction.text_search import Span

_WORDS_BETWEEN = 9
_CHARS_BETWEEN = 140
_LEAST_CHARS = 7
_HEX_CHARS = 24
_LONG_CHARS = 10

# After the first group a weak value is enough; after the second it must look strong.
_SECRET_WORD = lazy_pattern(
    r"(?<![A-Za-z0-9_./-])(?<!redacted:)(?:"
    r"(pass(?:words?|wd|phrases?|code)|pwd?|creds?|credentials?|passwort|kennwort|mot de passe)"
    r"|((?:client_)?secrets?|api[ -]keys?|tokens?|log(?:ged)? ?in|sign in))(?![A-Za-z0-9_(./-])",
    re.IGNORECASE,
)
# Prefixes of these keywords; a text without any of them is skipped. Two keywords may start before their anchor.
_BEGINNINGS = ("pw", "cred", "kennwort", "api", "token", "log", "sign in")
_LATE = ("pass", "secret")
_BEFORE_LATE = (len("mot de "), 0)
PROSE_ANCHORS = (*_BEGINNINGS, *_LATE)
_TOKEN = lazy_pattern(rf"[^\s\"'`<>()\[\],;]{{{_LEAST_CHARS},}}+")
_END = lazy_pattern(r"\n|\[redacted:|[.!?](?=\s+[A-Z]\w*\s)")
_QUOTED = lazy_pattern(
    r"[\s:=]{0,3}(?:(?:is|was|now|changed to|set to) ){0,2}([\"'`])((?:[a-z]{2,12}[ -]){2,7}[a-z]{2,12})\1"
)
_DIGIT = lazy_pattern(r"\d")
_HEX = lazy_pattern(r"[0-9a-f]+")
_NAME = lazy_pattern(
    r"(?:\w[\w-]{0,30})?#\d+\w{0,3}(?:['’]s)?|A-Za-z\S*|[A-Z]{2,}-\d+|\d{1,4}-\d\d?-\d\d?\S*|[a-z]+\d{1,3}|[a-z]+-20\d\d\S*|#?\d+\w{0,3}|v?\d+(?:\.\d+)+\S*|[\d.,:/x×-]+\w{0,4}"
)
# "*corev1.Secret", "2*time.Second", ".*/\\1/p": a type, an expression or a pattern.
_CODE = lazy_pattern(r"(?:[*&]|\d+\*)[A-Za-z_]\w*(?:\.\w+)*[(){}\[\],;]*|\.\*.*|\\.*")
_SYMBOLS = frozenset("!#$%^&*?+~=@")


def find_prose_secrets(text: str, lower: str) -> list[Span]:
    """Return the spans of secrets that follow a keyword, each with its replacement."""
    spans: list[Span] = []
    position = 0
    judged: dict[tuple[str, bool], int] = {}  # a token may be near several keywords; check it once
    places = find_all(lower, _BEGINNINGS) + shift_back(find_all(lower, _LATE), _BEFORE_LATE)
    for word in matches(text, _SECRET_WORD, sorted(places)):
        if word.start() < position:
            continue
        place = _secret_after(text, word.end(), word.group(1) is not None, judged)
        if place is not None:
            spans.append((*place, "[redacted:password]"))
            position = place[1]
    return spans


def _secret_after(
    text: str, start: int, is_weak_enough: bool, judged: dict[tuple[str, bool], int]
) -> tuple[int, int] | None:
    near = text[start : start + _CHARS_BETWEEN]
    quoted = _QUOTED.match(near) if is_weak_enough else None
    if quoted is not None:
        return start + quoted.start(2), start + quoted.end(2)
    if _DIGIT.search(near) is None:
        return None
    end = _END.search(near)
    near = near[: end.start()] if end is not None else near
    for token in _TOKEN.finditer(near):
        if near.count(" ", 0, token.start()) > _WORDS_BETWEEN:
            break
        asked = (token.group(), is_weak_enough)
        if asked not in judged:
            judged[asked] = _secret_chars(*asked)
        if judged[asked]:
            return start + token.start(), start + token.start() + judged[asked]
    return None


def _secret_chars(token: str, is_weak_enough: bool) -> int:
    """Return how many characters of a token are the secret; 0 if it is not one."""
    value = token.rstrip(".:" if _is_strong(token) else ".:!?")
    is_secret = len(value) >= _LEAST_CHARS and _is_value(value, is_weak_enough=is_weak_enough)
    return len(value) if is_secret else 0


def _is_value(value: str, *, is_weak_enough: bool) -> bool:
    digits = sum(map(str.isdigit, value))
    if (
        not digits
        or value[1:].isalpha()
        or not any(map(str.isalpha, value))
        or is_harmless(value)
        or is_ordinary(value)
    ):
        return False
    if (
        _NAME.fullmatch(value)
        or _CODE.fullmatch(value)
        or "://" in value
        or ("_" in value.strip("_") and value.replace("_", "").isupper())
    ):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= _HEX_CHARS
    if _is_strong(value):
        return is_weak_enough or bool(_SYMBOLS & set(value)) or len(value) >= _LONG_CHARS
    # Words joined with a number, such as Plank-Otter-7719
    parts = re.split(r"[-_.]", value)
    return digits >= (2 if is_weak_enough else 4) and len(parts) >= 3 and all(part.isalnum() for part in parts)


def _is_strong(value: str) -> bool:
    """Return whether it mixes letters, digits and a symbol, or both cases with digits inside, as no name does."""
    digits = any(map(str.isdigit, value))
    if digits and any(map(str.isalpha, value)) and _SYMBOLS & set(value.rstrip("!?")) and value[:1] not in "$%@#=&-+":
        return "=" not in value.rstrip("=") and "@" not in value
    inside = re.sub(r"^[A-Z]?[a-z]+|[a-z]*\d*$", "", value)
    cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    return cases and digits and any(map(str.isdigit, inside)) and re.fullmatch(r"[A-Za-z0-9_-]+", value) is not None
