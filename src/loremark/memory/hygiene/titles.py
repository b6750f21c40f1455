"""Proposes better titles, made of the item's own words."""

from __future__ import annotations

import re

from loremark.base.redaction.redactor import MARKER
from loremark.memory.extraction import sentence_splitter, titles
from loremark.memory.extraction.word_patterns import content_terms, coverage, words_from
from loremark.memory.hygiene import title_clauses
from loremark.memory.hygiene.proposals import Proposal, quote_title
from loremark.memory.items import Item

_VAGUE = re.compile(
    r"(?:(?:some|several|various|minor|small|misc(?:ellaneous)?|general|more|other|a few|many|quick|further)\s+)*"
    r"(?:(?:bug|code|small|minor|important|new|work|session|daily|project|recent|latest)\s+)?"
    r"(?:fix(?:e[sd])?(?: (?:a |the |some )?(?:bugs?|issues?|problems?|errors?|it|this|things))?|bugs?|issues?|"
    r"problems?|updates?|updated|changes?|changed|improvements?|stuff|things|notes?|summary|misc(?:ellaneous)?|"
    r"cleanups?|refactor(?:ing|ed)?|tweaks?|work|progress|info(?:rmation)?|details|learnings?|observations?|ideas?|"
    r"decisions?|session|memory|item|entry|instruction|done|todos?|tasks?)"
    r"(?: (?:\d{1,4}|to (?:the )?(?:code|project|app)|in (?:the )?(?:code|project|app)|from today|of the day|"
    r"and fix(?:es)?))?",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:untitled|no title|title|placeholder|tbd|n/?a|none|null|undefined|test(?:ing)?|asdf\w*|foo|bar|baz|xxx+|"
    r"lorem ipsum|new (?:item|memory|entry|note)|(?:item|memory|entry|note)\s?#?\d{1,5}|\W*)",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"\[?\b(?:wip|draft|tmp|temp)\b\]?\s?[:\-–—]?\s+|"
    r"(?:build|chore|ci|docs?|feat|feature|fix|hotfix|bugfix|perf|refactor|revert|style|tests?)(?:\([^()]{0,60}\))?!?:\s|"
    r"\[(?:bug|fix|todo|feat|feature|chore)\]\s?|(?:todo|fixme|xxx|hack)\s?[:\-–—]\s",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?:[,;:!]|\.{2,}|…|(?<![.\d])(?<!\betc)(?<!\b[A-Za-z])\.|\s[-–—])\s*$")
_CUT = re.compile(r"(?:\.{2,}|…)\s*$")
_PATH = re.compile(
    r"`?(?:[\w.@-]+/)+[\w.@*-]*`?|`?[\w-]+\.(?:py|tsx?|jsx?|go|rs|kts?|java|rb|php|cs|cpp?|h|sql|ya?ml|json|toml|md|"
    r"sh|swift|css|html)`?"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9'-]*")
_WORD_OR_NUMBER = re.compile(r"[A-Za-z0-9]+")
_IS_PLACEHOLDER = "is a placeholder"
_IS_VAGUE = "does not say what it is about"
_IS_PATH = "is only a file name"
_SAYS_NOTHING = (_IS_PLACEHOLDER, _IS_VAGUE, _IS_PATH)
_MIN_CHARS = 12
_SENTENCES = 3
_SEARCHED = 20
_MIN_TERMS = 3
_SUBJECT_TERMS = 2
_SURELY_CUT_CHARS = 70
"""A title this long that is cut off was cut by a program; people may end a short one with dots."""
_LOUD_WORDS = 3
_HANGING = re.compile(
    r"\b(?:for|and|or|but|the|a|an|of|to|with|which|that|in|into|on|at|by|per|via|from|than|between|without|when|if|"
    r"because|is|are|was|were|be|has|have|will|must|can|not|its|their|our|this|these|final|as|so)$"
)
_ABBREVIATIONS = words_from(
    "API UTC SQL HTTP HTTPS JSON XML YAML HTML CSS URL URI UUID CI CD UI UX ID TLS SSL JWT SSO RBAC ORM CDN DNS TTL "
    "CPU RAM GPU AWS GCP S3 EC2 PDF CSV SMS PWA SDK CLI REST GRPC ADR EU US UK GDPR MVP KPI QA PR DB OK"
)


def find_title_problem(title: str) -> str | None:
    """What is wrong with a title, as the rest of a sentence; None if nothing is."""
    text = title.strip()
    bare = text.strip(" .:;,!?…*#`'\"-–—()[]")
    if not MARKER.sub("", bare).strip() or _PLACEHOLDER.fullmatch(bare):
        return _IS_PLACEHOLDER
    if _VAGUE.fullmatch(bare):
        return _IS_VAGUE
    if _PATH.fullmatch(text):
        return _IS_PATH
    if is_shouting(text):
        return "is in capital letters"
    if len(text) > titles.MAX_TITLE_CHARS:
        return f"is longer than {titles.MAX_TITLE_CHARS} characters"
    if _PREFIX.match(text):
        return "starts with a commit or note prefix"
    if _ENDING.search(text) or title_clauses.is_open(text):
        return "is cut off or ends in punctuation"
    return None


def is_shouting(title: str) -> bool:
    """All in capitals, beyond abbreviations."""
    words = [word for word in _WORD.findall(title) if len(word) > 1]
    loud = [word for word in words if word.isupper() and word not in _ABBREVIATIONS]
    return len([word for word in loud if len(word) >= 4]) >= _LOUD_WORDS and len(loud) >= 0.6 * len(words)


def better_title(item: Item, fault: str) -> str | None:
    """A title made from the current one or from the first informative sentence; None if neither works."""
    made = _of_sentences(item) if fault in _SAYS_NOTHING else _of_title(item)
    return next((title for title in made if is_good(title, item)), None)


def propose(item: Item) -> Proposal | str | None:
    """A better title; only the problem if the title says nothing and none can be made; None if the title is fine."""
    fault = find_title_problem(item.title)
    if fault is None:
        return None
    better = better_title(item, fault)
    if better is None:
        return fault if fault in _SAYS_NOTHING else None
    is_kept = keeps_subject(item.title, better)
    return Proposal(
        type="RENAME_TITLE",
        item_ids=(item.id,),
        description=f"The title {quote_title(item)} {fault}. “{better}” is clearer and uses the item's own words.",
        confidence=0.7 if not is_kept else 0.9 if fault.startswith(("is cut off", "starts", "is in capital")) else 0.8,
        before=item.title,
        after=better,
        needs_review=not is_kept,
    )


def keeps_subject(title: str, better: str) -> bool:
    """Whether a better title has the same subject; a title that says nothing has none."""
    if find_title_problem(title) in _SAYS_NOTHING:
        return True
    words = _WORD_OR_NUMBER.findall(titles.headline(_bare(title)))
    said = [term for word in words for term in content_terms(word)]
    return frozenset(said[:_SUBJECT_TERMS]) <= content_terms(better)


def _of_sentences(item: Item) -> list[str]:
    """Titles from the first informative sentence; later ones may be asides."""
    candidates = (
        sentence.text for sentence in sentence_splitter.split_sentences(item.content, _SENTENCES)[:_SENTENCES]
    )
    first = next(
        (text for text in candidates if len(content_terms(text)) >= _MIN_TERMS and not titles.is_generic(text)), None
    )
    if first is None:
        return []
    return [titles.headline(first, capital=True), _stated(first)]


def _of_title(item: Item) -> list[str]:
    """The repaired title or its main clause; if it is too short or long, also the first sentence."""
    bare, repaired = _bare(item.title), _repaired(item)
    if len(bare) > titles.MAX_TITLE_CHARS:
        return [_stated(bare), repaired, *_of_sentences(item)]
    made = _of_cut(item, bare, repaired) if _is_cut(item.title) else [repaired]
    return made if len(content_terms(bare)) >= _MIN_TERMS else [*made, *_of_sentences(item)]


def _of_cut(item: Item, bare: str, repaired: str) -> list[str]:
    """The main clause of the sentence the title was cut from; otherwise the title up to a clause's end."""
    whole = title_clauses.find_full_sentence(
        bare, [sentence.text for sentence in sentence_splitter.split_sentences(item.content, _SEARCHED)]
    )
    if whole is not None and title_clauses.continues(bare, whole):
        return [_stated(whole)]
    parted = [_stated(bare)] if title_clauses.main_clause(bare) != bare else []
    return parted if len(bare) >= _SURELY_CUT_CHARS else [repaired, *parted]


def _stated(sentence: str) -> str:
    return titles.headline(title_clauses.main_clause(sentence), capital=True)


def _is_cut(title: str) -> bool:
    return _CUT.search(title) is not None or title_clauses.is_open(title)


def _bare(title: str) -> str:
    """The title without its prefixes and its ending."""
    text = title.strip()
    for _ in range(3):
        text = _PREFIX.sub("", text, count=1).strip() if _PREFIX.match(text) else text
    return _ENDING.sub("", text).rstrip(" .!,;:…-–—")


def _repaired(item: Item) -> str:
    """The title without its prefixes, its ending and its capitals."""
    text = _bare(item.title)
    if is_shouting(text):
        text = _to_sentence_case(text, item.content)
    elif text[:1].islower() and text.split(" ", 1)[0].isalpha():
        text = text[0].upper() + text[1:]
    return titles.headline(text) if len(text) > titles.MAX_TITLE_CHARS else text


def _to_sentence_case(title: str, content: str) -> str:
    """Sentence case, with words spelled as in the content."""
    found = [(match.group(), content[max(0, match.start() - 2) : match.start()]) for match in _WORD.finditer(content)]
    # At the start of a sentence a capital says nothing about the word.
    written = {word.lower(): word for word, before in found if not word.istitle() or before[:1].isalnum()}

    def lowered(match: re.Match[str]) -> str:
        word = match.group()
        return word if word in _ABBREVIATIONS else written.get(word.lower(), word.lower())

    text = _WORD.sub(lowered, title)
    return text[:1].upper() + text[1:]


def is_good(title: str, item: Item) -> bool:
    """Whether a title is informative and uses only the item's own words."""
    if len(title) < _MIN_CHARS or title == item.title or title.endswith("…") or MARKER.search(title):
        return False
    if _HANGING.search(title):
        return False
    if len(title) > titles.MAX_TITLE_CHARS or find_title_problem(title) is not None or titles.is_generic(title):
        return False
    return (
        len(content_terms(title)) >= _MIN_TERMS
        and coverage(content_terms(title), content_terms(f"{item.title} {item.content}")) == 1
    )
