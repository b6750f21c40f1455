"""Splits text into clauses and marks those it rejects: in "use X instead of Y", "Y" is superseded."""

from __future__ import annotations

import re

from loremark.memory.prefiltered_pattern import PrefilteredPattern, fold_case

_NEW = "\x1f"  # starts a clause
_FORMER = "\x1e"  # starts a clause that is no longer, or not, true
_CHANGE = (
    r"migrat|mov|switch|chang|upgrad|downgrad|renam|rais|lower|increas|reduc|bump|convert|cut|drop|grow|went|go|set"
    r"|extend"
)
# Prefilter words, pattern, replacement.
_REWRITES: tuple[tuple[PrefilteredPattern, str], ...] = tuple(
    (PrefilteredPattern(holds, pattern), into)
    for holds, pattern, into in (
        ("quarter of an hour", r"\b(?:a )?quarter of an hour\b", "15 minutes"),
        ("half a", r"\bhalf an? (hour|day|year)\b", r"0.5 \1s"),
        ("half a ", r"\bhalf a (minute|second)\b", r"0.5 \1s"),
        (" hour", r"\b(?:every|each|once an|once per) hour\b", "hourly"),
        (" day", r"\b(?:every|each|once a|once per) day\b", "daily"),
        (" night", r"\b(?:(?:every|each|once a) night|at night)\b", "nightly"),
        (" week", r"\b(?:every|each|once a|once per) week\b", "weekly"),
        (
            "at most|more than|later than|longer than| above | over ",
            r"\b(?:at most|no more than|not more than|no later than|no longer than|no (?=\w+ (?:above|over) \d))",
            "maximum ",
        ),
        (
            "at least|less than|fewer than|earlier than",
            r"\b(?:at least|no less than|no fewer than|no earlier than)\b",
            "minimum ",
        ),
        (" once", r"\b(tr(?:y|ies|ied)|retr(?:y|ies|ied)) once\b", r"\1 1 times"),
        (" twice", r"\b(tr(?:y|ies|ied)|retr(?:y|ies|ied)) twice\b", r"\1 2 times"),
        (
            "before|after",
            r"(?:^|(?<=[.!?]\s))(before|after)\s+([^,.;]{3,80}),\s*([^.;\n]{3,200})",
            r"\3 \1 \2",
        ),
        # The old value has the unit of the new one.
        (
            "->|→|=>",
            r"(?<!\S)(\d[\d.,]{0,15})\s{0,2}(->|→|=>)\s{0,2}(\d[\d.,]{0,15}) ?([A-Za-z%]{1,12})(?!\S)",
            r"\1 \4 \2 \3 \4",
        ),
        ("from ", r"\bfrom (\d[\d.,]{0,15}) to (\d[\d.,]{0,15}) ?([A-Za-z%]{1,12})\b", r"from \1 \3 to \2 \3"),
        (
            "->|→|=>",
            r"(?<!\S)(\d[\d.,]{0,15} [A-Za-z%]{1,12}|\S{1,60})\s{0,2}(?:->|→|=>)\s*(?=\S)",
            rf"{_FORMER} \1 {_NEW} ",
        ),
        ("(", r"\((?:was|were|before|previously|formerly|earlier|old)(?: it was)?:? ", f"{_FORMER} "),
        (" from ", r"[(,]?\s?\b(?:up|down) from (?=\d)", f" {_FORMER} "),
        ("(", r"\(([^()\s]{1,30})\)", r" \1 "),
        ("not only", r"\bnot only\b", "also"),
        ("pull", r"\bpull[ -]requests?\b", "PR"),
        ("symbolic link", r"\bsymbolic link", "symlink"),
        (
            "win|won |precedence over|priority over|beat",
            r"\b(?:wins?|won) (?:over|against)\b|\b(?:takes?|has|have) (?:precedence|priority) over\b|\bbeats?\b",
            "override",
        ),
        (" first", r"([^.;:\n]{3,80}?) first,? (?:and )?then ([^.;\n]{3,80})", r"\1 before \2"),
        (
            "instead of|rather than|in place of|as opposed to|r of not",
            r"\b(?:instead of|rather than|in place of|as opposed to|in favou?r of not)\b",
            _FORMER,
        ),
        (
            "the old |the former |the previous ",
            r"\bthe (?:old|former|previous) (?=\d|\w+ (?!and\b))",
            f"{_FORMER} the ",
        ),
        (
            "off |leav",
            r"\b(?:off|leav(?:e|es|ing)) ([^\s,.;]{1,40}),? (?:and )?(?:onto|(?:go|mov|switch)(?:e|es|ing) (?:on)?to) ",
            rf"{_FORMER} \1 {_NEW} use ",
        ),
        (" is out", r"(?<!\S)([^\s,.;]{1,40}) is out, (?=[^\s,.;]{1,40} is in\b)", rf"{_FORMER} \1 {_NEW} "),
        (
            "over",
            r"\b(prefer\w*|favou?r\w*|choos\w*|chose\w*|picked)\b([^.;\n]{1,80}?)\bover\b",
            rf"\1\2{_FORMER}",
        ),
        (
            "replaced|superseded|swapped",
            r"(?<![^\s,.;])([^\s,.;]{1,60}(?: [^\s,.;]{1,60}){0,3}?)"
            r" (?:was|is|are|were|been|has been|have been|be|gets|got) (?:now )?"
            r"(?:replaced|superseded|swapped)(?: out)? (?:by|with|for) ",
            rf"{_FORMER} \1 {_NEW} use ",
        ),
        (
            "replac|swap|substitut",
            r"\b(?:replac\w+|swap\w*|substitut\w+) ([^.;\n]{1,60}?) (?:by|with|for) ",
            rf"{_FORMER} \1 {_NEW} use ",
        ),
        (
            "from ",
            rf"(\b(?:{_CHANGE})\w*\b[^.;\n]{{0,60}}?)\bfrom ([^.;\n]{{1,50}}?) to ",
            rf"\1 {_FORMER} \2 {_NEW} ",
        ),
        (
            "but|because|since|so that|which|while|although|whereas|unless|however|and do|and never|and not|and must",
            r"\b(?:but|because|since|so that|which|while|although|whereas|unless|however)\b"
            r"|\band (?=(?:do|does|never|not|must)\b)",
            _NEW,
        ),
        (
            " on",
            r"\b(is|are|was|be|turned|switched|stays?|mode) on\b(?=\s*(?:by|in|for|until|$|[.,;)\n]))",
            r"\1 enabled",
        ),
        (" off", r"\b(is|are|was|be|turned|switched|stays?|mode) off\b", r"\1 disabled"),
        (
            " second| minute| hour| day| week| month| year",
            r"\b(for|by|after|within|in|under|than|about|shifted|takes?) an? "
            r"(?=(?:second|minute|hour|day|week|month|year)\b)",
            r"\1 1 ",
        ),
        ("n't|n’t", r"n[’']t\b", " not "),
        ("without", r"\b(?:never|not|no)\b([^.,;\n]{1,60}?)\bwithout\b", r"\1 with"),
        ("without", r"\bwithout\b", f"{_NEW} without "),
        ("cannot", r"\bcannot\b", "can not"),
        ("sensitiv", r"\bcase (in)?sensitiv", r"case-\1sensitiv"),
    )
)
_CLAUSE_END = re.compile(r"[!?;\n]+|\.(?=\s|$)|:(?=\s|$)|,(?!\d)|\s[-–—]+\s|[()]")


_MARK = re.compile(f"([{_NEW}{_FORMER}])")


def split_clauses(text: str) -> list[tuple[str, bool]]:
    """Return each clause and whether the text marks it as superseded or rejected."""
    pieces: list[tuple[str, bool]] = []
    for sentence in _CLAUSE_END.split(_rewrite(text)):
        former = False
        for part in _MARK.split(sentence):
            if part in (_NEW, _FORMER):
                former = part == _FORMER
            elif part.strip():
                pieces.append((part, former))
                former = False
    return pieces


def _rewrite(text: str) -> str:
    seen = fold_case(text)
    for cue, into in _REWRITES:
        text, seen = cue.substitute(into, text, seen)
    return text
