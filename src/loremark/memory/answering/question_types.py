"""What type of answer a question asks for, and which sentences look like one."""

from __future__ import annotations

import re
from typing import Literal

QuestionType = Literal["why", "where", "number", "who", "when", "other"]

# The first match wins.
_TYPE_PATTERNS: tuple[tuple[QuestionType, str], ...] = (
    ("why", r"\b(?:why|reasons?|causes?|caused|how come|what for|for what|what keeps|rationale|downside)\b"),
    ("where", r"\bwhere\b|\b(?:which|what) (?:file|folder|directory|module|package|crate|path|repo|repository)s?\b"),
    (
        "number",
        r"\bhow (?:many|much|often|long|big|large|fast|far|late|soon|old|close|frequently)\b"
        r"|\b(?:max|maximum|maximal|min|minimum|limit|timeout|port|sizes?|percent|percentage|share of|number of"
        r"|versions?|default|biggest|largest)\b",
    ),
    ("who", r"\b(?:who|whom|whose)\b"),
    ("when", r"\b(?:when|since|until|what (?:date|day|time|year)|date of)\b"),
)
_COMPILED_TYPES = tuple((kind, re.compile(form, re.IGNORECASE)) for kind, form in _TYPE_PATTERNS)
_DURATION = (
    r"\b\d[\d.,]{0,15}[ -]?(?:ms|s|m|h|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|months?|years?)\b|\d\d:\d\d"
    r"|\b(?:each|every|once|twice|daily|nightly|weekly|monthly|immediately|at once|never|forever|second|minute|hour|day"
    r"|week|month|year)s?\b"
)
_DATE = (
    r"\b(?:19|20)\d\d\b|\b\d{1,9}\.\d|(?:january|february|march|april|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
)
_NUMBER = r"\d|\b(?:no|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|half|dozen|hundred)\b"
_MONEY = (
    r"[€$£¥]|\b(?:eur|euros?|usd|dollars?|cents?|percent|fees?|charg\w+|cheaper|paid|pays?|prices?|costs?|budget)\b"
)
_SIZE = r"\d\s?(?:[kmgt]i?b|bytes?|px|pixels?|kilobytes?|megabytes?|gigabytes?|x)\b|\d{3}"
_PERSON = (
    r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-zà-ÿ]{2,}\b|\b(?:team|lead|owner|admin|officer|role|duty|desk|captain|user)s?\b"
)
# What a question asks for explicitly, and what an answer to it contains.
_WANTED: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(found, 0 if found is _PERSON else re.IGNORECASE))
    for asked, found in (
        (r"\bhow (?:long|often|soon|late|far back)\b|\b(?:until when|timeout|backoff)\b", f"{_DURATION}|{_DATE}"),
        (r"\bhow (?:big|large)\b|\b(?:size|sizes|ram|memory limit|biggest|largest)\b", _SIZE),
        (r"\b(?:how much does|costs?|price|pays?|paid|salary|budget)\b", _MONEY),
        (r"\b(?:date|what day|which (?:day|year|month)|since when|what year)\b", _DATE),
        (r"\b(?:which|what) (?:\w+ )?versions?\b", r"\b\d{1,9}\.\d|\bv\d|\b\d{1,9}\+|version \d"),
        (r"\bport\b", r"\b\d{2,5}\b"),
        (r"\bhow many\b|\b(?:number|count|share|percentage|max|maximum|min|minimum) ", _NUMBER),
        (r"\bwho\b", _PERSON),
    )
)
_STRONG_REASON = re.compile(
    r"\b(?:because|since|so that|due to|reasons?|caused?|therefore|otherwise|avoids?|as|so|too|not enough|instead)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:was|were|had|would|but|costs?|rather than|led to|wanted|without|only)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"[\w.-]/|\b[\w-]{1,60}\.[a-z]{1,5}\b|\b(?:lives?|under|folder|bucket|table|kept|stored)\b", re.IGNORECASE
)
_ANY_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_ANY_TIME = re.compile(f"{_DURATION}|{_DATE}|\\b(?:after|before|until|since)\\b", re.IGNORECASE)
_ANY_PERSON = re.compile(_PERSON)


def classify_question(question: str) -> QuestionType:
    """The first type whose pattern matches."""
    return next((kind for kind, form in _COMPILED_TYPES if form.search(question)), "other")


def lacks_expected_value(question: str, content: str) -> bool:
    """Whether the question asks for a time, size, price or person that the text does not contain."""
    return any(asked.search(question) and not found.search(content) for asked, found in _WANTED)


def gives_reason(sentence: str) -> bool:
    return bool(_STRONG_REASON.search(sentence))


def answer_fit(kind: QuestionType, sentence: str) -> float:
    """How much a sentence looks like an answer to this type of question, 0 to 1."""
    if kind == "why":
        return 1.0 if gives_reason(sentence) else 0.5 if _REASON.search(sentence) else 0.0
    form = {"number": _ANY_NUMBER, "where": _PLACE, "who": _ANY_PERSON, "when": _ANY_TIME}.get(kind)
    return float(form is not None and bool(form.search(sentence)))
