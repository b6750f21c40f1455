"""Tokenizes clauses and looks up what a word means on its own. Lookups are cached."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.exclusive_terms import ENVIRONMENTS, EXCLUSIVE_TERMS
from loremark.memory.quantities import NUMBER_WORDS
from loremark.memory.vocabulary import ANTONYMS, NEGATED_SYNONYMS, NEGATIONS, PAST, POSSIBLE, PREDICATE, STOP, SYNONYMS
from loremark.memory.word_normalization import canonical, identifier_words

# Kind, text, start, end.
Token = tuple[str, str, int, int]

# Longer words rarely occur twice; caching them would waste the cache.
_MAX_CACHED_CHARS = 40
_FILE_END = (
    r"\.(?:py|pyi|tsx?|jsx?|mjs|cjs|go|rs|rb|java|kt|cs|cpp|cc|c|h|php|swift|sql|sh|ya?ml|toml|json|md|txt|html|css|scss"
    r"|lock|cfg|ini|env|proto|tf)\b"
)
# Most words consist of letters only and are tried first; no other kind can start with such a word.
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
    """What a word means wherever it occurs.

    ``is_ignored`` words are not compared; ``antonym`` is the pair and the end of it the word stands for.
    """

    base: str
    parts: tuple[str, ...]
    name: str
    name_parts: tuple[str, ...]
    number: str | None
    antonym: tuple[int, int] | None
    relation: str | None
    is_name: bool
    negates: bool
    past: bool
    possible: bool
    ends_subject: bool
    is_ignored: bool


def tokenize(text: str) -> list[Token]:
    """Return the tokens in order. All words have the kind ``word``."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        found.append(("word" if kind == "plain" else str(kind), match.group(), *match.span()))
    return found


def look_up(raw: str) -> Word:
    """Look up a word as written."""
    return _look_up_cached(raw) if len(raw) <= _MAX_CACHED_CHARS else _look_up(raw)


def _look_up(raw: str) -> Word:
    lower = raw.lower().removesuffix("()").removesuffix("'s").removesuffix("’s").strip("'’-_")
    base = NEGATED_SYNONYMS.get(lower, canonical(lower))
    relation = lower if lower in ("before", "after") else base
    hyphened = "-" in base
    return Word(
        base=base,
        parts=tuple(canonical(part) for part in base.split("-") if part and part not in STOP) if hyphened else (base,),
        name=_known_name(lower) or _PLAIN_NAME.sub("", lower),
        name_parts=tuple(identifier_words(raw.removesuffix("()").removesuffix("'s"))),
        number=str(NUMBER_WORDS[lower]) if lower in NUMBER_WORDS else None,
        antonym=ANTONYMS.get(lower),
        relation=relation if relation in _RELATIONS else None,
        is_name=_looks_like_identifier(raw) or _known_name(lower) is not None,
        negates=lower in NEGATIONS or lower in NEGATED_SYNONYMS,
        past=lower in PAST,
        possible=lower in POSSIBLE,
        ends_subject=lower in PREDICATE,
        is_ignored=lower in NEGATIONS or lower in STOP or lower in ("before", "after", ""),
    )


_look_up_cached = lru_cache(maxsize=8192)(_look_up)


def _looks_like_identifier(raw: str) -> bool:
    """Whether it is written unlike a word of prose."""
    return any(letter.isupper() or letter.isdigit() or letter in "_.#+" for letter in raw[1:])


def _known_name(lower: str) -> str | None:
    """The exclusive term or environment that this word is a form of."""
    forms = (lower, SYNONYMS.get(lower, lower), lower.removesuffix("s"))
    return next((form for form in forms if form in EXCLUSIVE_TERMS or form in ENVIRONMENTS), None)
