"""Cuts a text into clauses, and tells apart what it says from what it sets aside: use this instead of that."""

from __future__ import annotations

import re

_NEW = "\x1f"  # a clause begins
_FORMER = "\x1e"  # a clause begins that tells what is no longer, or not, so
_CHANGE = (
    r"migrat|mov|switch|chang|upgrad|downgrad|renam|rais|lower|increas|reduc|bump|convert|cut|drop|grow|went|go|set"
    r"|extend"
)
_REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (r"\b(?:a )?quarter of an hour\b", "15 minutes"),
        (r"\bhalf an? (hour|day|year)\b", r"0.5 \1s"),
        (r"\bhalf a (minute|second)\b", r"0.5 \1s"),
        (r"\b(?:every|each|once an|once per) hour\b", "hourly"),
        (r"\b(?:every|each|once a|once per) day\b", "daily"),
        (r"\b(?:(?:every|each|once a) night|at night)\b", "nightly"),
        (r"\b(?:every|each|once a|once per) week\b", "weekly"),
        (
            r"\b(?:at most|no more than|not more than|no later than|no longer than|no (?=\w+ (?:above|over) \d))",
            "maximum ",
        ),
        (r"\b(?:at least|no less than|no fewer than|no earlier than)\b", "minimum "),
        (r"\b(tr(?:y|ies|ied)|retr(?:y|ies|ied)) once\b", r"\1 1 times"),
        (r"\b(tr(?:y|ies|ied)|retr(?:y|ies|ied)) twice\b", r"\1 2 times"),
        (r"(?:^|(?<=[.!?]\s))(before|after)\s+([^,.;]{3,80}),\s*([^.;\n]{3,200})", r"\3 \1 \2"),
        (r"(?<!\S)(\d[\d.,]{0,15} [A-Za-z%]{1,12}|\S{1,60})\s{0,2}(?:->|→|=>)\s*(?=\S)", rf"{_FORMER} \1 {_NEW} "),
        (r"\((?:was|were|before|previously|formerly|earlier|old)(?: it was)?:? ", f"{_FORMER} "),
        (r"\(([^()\s]{1,30})\)", r" \1 "),
        (r"\bnot only\b", "also"),
        (r"\bpull[ -]requests?\b", "PR"),
        (r"\bsymbolic link", "symlink"),
        (
            r"\b(?:wins?|won) (?:over|against)\b|\b(?:takes?|has|have) (?:precedence|priority) over\b|\bbeats?\b",
            "override",
        ),
        (r"([^.;:\n]{3,80}?) first,? (?:and )?then ([^.;\n]{3,80})", r"\1 before \2"),
        (r"\b(?:instead of|rather than|in place of|as opposed to|in favou?r of not)\b", _FORMER),
        (r"\b(prefer\w*|favou?r\w*|choos\w*|chose\w*|picked)\b([^.;\n]{1,80}?)\bover\b", rf"\1\2{_FORMER}"),
        (
            r"(?<![^\s,.;])([^\s,.;]{1,60}(?: [^\s,.;]{1,60}){0,3}?)"
            r" (?:was|is|are|were|been|has been|have been|be|gets|got) (?:now )?"
            r"(?:replaced|superseded|swapped)(?: out)? (?:by|with|for) ",
            rf"{_FORMER} \1 {_NEW} use ",
        ),
        (r"\b(?:replac\w+|swap\w*|substitut\w+) ([^.;\n]{1,60}?) (?:by|with|for) ", rf"{_FORMER} \1 {_NEW} use "),
        (rf"(\b(?:{_CHANGE})\w*\b[^.;\n]{{0,60}}?)\bfrom ([^.;\n]{{1,50}}?) to ", rf"\1 {_FORMER} \2 {_NEW} "),
        (
            r"\b(?:but|because|since|so that|which|while|although|whereas|unless|however)\b"
            r"|\band (?=(?:do|does|never|not|must)\b)",
            _NEW,
        ),
        (r"\b(is|are|was|be|turned|switched|stays?|mode) on\b(?=\s*(?:by|in|for|until|$|[.,;)\n]))", r"\1 enabled"),
        (r"\b(is|are|was|be|turned|switched|stays?|mode) off\b", r"\1 disabled"),
        (
            r"\b(for|by|after|within|in|under|than|about|shifted|takes?) an? "
            r"(?=(?:second|minute|hour|day|week|month|year)\b)",
            r"\1 1 ",
        ),
        (r"n[’']t\b", " not "),
        (r"\b(?:never|not|no)\b([^.,;\n]{1,60}?)\bwithout\b", r"\1 with"),
        (r"\bwithout\b", f"{_NEW} without "),
        (r"\bcannot\b", "can not"),
        (r"\bcase (in)?sensitiv", r"case-\1sensitiv"),
    )
)
_BREAK = re.compile(r"[!?;\n]+|\.(?=\s|$)|:(?=\s|$)|,(?!\d)|\s[-–—]+\s|[()]")


def clauses_of(text: str) -> list[tuple[str, bool]]:
    """Each clause, and whether it tells what is no longer, or not, so."""
    for pattern, into in _REWRITES:
        text = pattern.sub(into, text)
    pieces: list[tuple[str, bool]] = []
    for sentence in _BREAK.split(text):
        former = False
        for part in re.split(f"([{_NEW}{_FORMER}])", sentence):
            if part in (_NEW, _FORMER):
                former = part == _FORMER
            elif part.strip():
                pieces.append((part, former))
                former = False
    return pieces
