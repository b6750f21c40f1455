"""Cuts a clause into words, names and numbers, and tells what a word means by itself: looked up once, it is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.alternatives import ENVIRONMENTS, EXCLUSIVE
from loremark.memory.measures import NUMBER_WORDS
from loremark.memory.vocabulary import DENIALS, NEGATIONS, PAST, POLES, POSSIBLE, PREDICATE, STOP, SYNONYMS
from loremark.memory.words import canonical, name_words

# Kind, what is written, where it starts and where it ends.
Token = tuple[str, str, int, int]

# What is longer is no word that comes again.
_KNOWN_CHARS = 40
_FILE_END = (
    r"\.(?:py|pyi|tsx?|jsx?|mjs|cjs|go|rs|rb|java|kt|cs|cpp|cc|c|h|php|swift|sql|sh|ya?ml|toml|json|md|txt|html|css|scss"
    r"|lock|cfg|ini|env|proto|tf)\b"
)
# Most words are letters and no more, and are taken first: no other kind can begin with one that ends so.
_TOKEN = re.compile(
    rf"""
    (?P<plain>[A-Za-z]++(?![\w./:+\#’'(@~$*-]))
    |(?P<flag>(?<![\w-])--[A-Za-z][\w-]*)
    |(?P<path>
        (?:[\w.@~$*-]{{1,80}})?(?:/[\w.@{{}}*<>:-]{{1,80}}){{2,12}}/?
        |(?<![\w.])[.~]{{0,2}}/[\w.@{{}}*<>:-]{{1,80}}/?
        |[a-z_.]{{1,40}}/(?=[\w.-]{{0,80}}[_.])[\w.-]{{1,80}}
        |[\w-]{{1,80}}(?:\.[\w-]{{1,40}}){{0,4}}{_FILE_END}(?::\d+)*
    )
    |(?P<date>\b\d{{4}}-\d\d(?:-\d\d)?\b)
    |(?P<clock>\b\d{{1,2}}:\d\d\b)
    |(?P<number>(?<![\w#])v?\d[\d_,]*(?:\.\d+)*(?![\d_]))
    |(?P<word>[^\W\d_][\w+\#’'-]*(?:(?:\.|::)[^\W\d_]\w*)*(?:\(\))?|_\w+)
    """,
    re.VERBOSE,
)
_RELATIONS = {"before", "after", *map(canonical, ("depend", "call", "import", "wrap", "override", "extend", "own"))}
_PLAIN_NAME = re.compile(r"[^a-z0-9+#]")


@dataclass(frozen=True, slots=True)
class Word:
    """What a word tells wherever it stands; ``silent`` is what nothing is compared by, ``pole`` one end of a pair."""

    base: str
    parts: tuple[str, ...]
    name: str
    name_parts: tuple[str, ...]
    number: str | None
    pole: tuple[int, int] | None
    relation: str | None
    is_name: bool
    turns: bool
    past: bool
    possible: bool
    ends_subject: bool
    silent: bool


def tokens_of(text: str) -> list[Token]:
    """In order; of words the kind is ``word``, whatever they are made of."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        found.append(("word" if kind == "plain" else str(kind), match.group(), *match.span()))
    return found


def look_up(raw: str) -> Word:
    """A word as it is written."""
    return _known(raw) if len(raw) <= _KNOWN_CHARS else _look_up(raw)


def _look_up(raw: str) -> Word:
    lower = raw.lower().removesuffix("()").removesuffix("'s").removesuffix("’s").strip("'’-_")
    base = DENIALS.get(lower, canonical(lower))
    relation = lower if lower in ("before", "after") else base
    hyphened = "-" in base
    return Word(
        base=base,
        parts=tuple(canonical(part) for part in base.split("-") if part and part not in STOP) if hyphened else (base,),
        name=_known_name(lower) or _PLAIN_NAME.sub("", lower),
        name_parts=tuple(name_words(raw.removesuffix("()").removesuffix("'s"))),
        number=str(NUMBER_WORDS[lower]) if lower in NUMBER_WORDS else None,
        pole=POLES.get(lower),
        relation=relation if relation in _RELATIONS else None,
        is_name=_is_odd(raw) or _known_name(lower) is not None,
        turns=lower in NEGATIONS or lower in DENIALS,
        past=lower in PAST,
        possible=lower in POSSIBLE,
        ends_subject=lower in PREDICATE,
        silent=lower in NEGATIONS or lower in STOP or lower in ("before", "after", ""),
    )


_known = lru_cache(maxsize=8192)(_look_up)


def _is_odd(raw: str) -> bool:
    """Written as no word of prose is."""
    return any(letter.isupper() or letter.isdigit() or letter in "_.#+" for letter in raw[1:])


def _known_name(lower: str) -> str | None:
    """The name that the tables of alternatives know this word by, whatever its form."""
    forms = (lower, SYNONYMS.get(lower, lower), lower.removesuffix("s"))
    return next((form for form in forms if form in EXCLUSIVE or form in ENVIRONMENTS), None)
