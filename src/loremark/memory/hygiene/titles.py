"""Titles that say little or badly, and better ones made of what the item itself says."""

from __future__ import annotations

import re

from loremark.base.redaction.redacting import MARKER
from loremark.memory.extraction import sentences, titles
from loremark.memory.extraction.words import share_covered, terms, word_set
from loremark.memory.hygiene import clauses
from loremark.memory.hygiene.proposals import Proposal, named
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
_IS_PATH = "is only the name of a file"
_SAYS_NOTHING = (_IS_PLACEHOLDER, _IS_VAGUE, _IS_PATH)
_LEAST_CHARS = 12
_SENTENCES = 3
_SEARCHED = 20
_LEAST_TERMS = 3
_SUBJECT_TERMS = 2
_SURELY_CUT_CHARS = 70
"""So long and cut off, a title was cut by a program that counts; a person may end a short one with dots."""
_LOUD_WORDS = 3
_HANGING = re.compile(
    r"\b(?:for|and|or|but|the|a|an|of|to|with|which|that|in|into|on|at|by|per|via|from|than|between|without|when|if|"
    r"because|is|are|was|were|be|has|have|will|must|can|not|its|their|our|this|these|final|as|so)$"
)
_ABBREVIATIONS = word_set(
    "API UTC SQL HTTP HTTPS JSON XML YAML HTML CSS URL URI UUID CI CD UI UX ID TLS SSL JWT SSO RBAC ORM CDN DNS TTL "
    "CPU RAM GPU AWS GCP S3 EC2 PDF CSV SMS PWA SDK CLI REST GRPC ADR EU US UK GDPR MVP KPI QA PR DB OK"
)


def fault_of(title: str) -> str | None:
    """What is wrong with a title, in words that follow its name; None when nothing is."""
    text = title.strip()
    bare = text.strip(" .:;,!?…*#`'\"-–—()[]")
    if not MARKER.sub("", bare).strip() or _PLACEHOLDER.fullmatch(bare):
        return _IS_PLACEHOLDER
    if _VAGUE.fullmatch(bare):
        return _IS_VAGUE
    if _PATH.fullmatch(text):
        return _IS_PATH
    if is_shouting(text):
        return "is written in capital letters"
    if len(text) > titles.MAX_TITLE_CHARS:
        return f"is longer than {titles.MAX_TITLE_CHARS} characters"
    if _PREFIX.match(text):
        return "starts with a mark of the commit or note it was taken from"
    if _ENDING.search(text) or clauses.is_open(text):
        return "ends in punctuation or is cut off"
    return None


def is_shouting(title: str) -> bool:
    """All in capitals, and more than names are."""
    words = [word for word in _WORD.findall(title) if len(word) > 1]
    loud = [word for word in words if word.isupper() and word not in _ABBREVIATIONS]
    return len([word for word in loud if len(word) >= 4]) >= _LOUD_WORDS and len(loud) >= 0.6 * len(words)


def better_title(item: Item, fault: str) -> str | None:
    """A title made of what the title itself was made of, or of the first sentence that says something; else None."""
    made = _of_sentences(item) if fault in _SAYS_NOTHING else _of_title(item)
    return next((title for title in made if is_good(title, item)), None)


def propose(item: Item) -> Proposal | str | None:
    """A better title; the fault alone, in words, where it says nothing and none can be made; None: it is well."""
    fault = fault_of(item.title)
    if fault is None:
        return None
    better = better_title(item, fault)
    if better is None:
        return fault if fault in _SAYS_NOTHING else None
    is_kept = keeps_subject(item.title, better)
    return Proposal(
        type="RENAME_TITLE",
        item_ids=(item.id,),
        description=f"The title {named(item)} {fault}; “{better}” says it in the item's own words.",
        confidence=0.7 if not is_kept else 0.9 if fault.startswith(("ends", "starts", "is written")) else 0.8,
        before=item.title,
        after=better,
        needs_person=not is_kept,
    )


def keeps_subject(title: str, better: str) -> bool:
    """Whether a better title is about what the title is about; one that says nothing is about nothing."""
    if fault_of(title) in _SAYS_NOTHING:
        return True
    words = _WORD_OR_NUMBER.findall(titles.headline(_bare(title)))
    said = [term for word in words for term in terms(word)]
    return frozenset(said[:_SUBJECT_TERMS]) <= terms(better)


def _of_sentences(item: Item) -> list[str]:
    """Titles of the first sentence that says something; what comes after it may be an aside."""
    told = (sentence.text for sentence in sentences.split(item.content, _SENTENCES)[:_SENTENCES])
    first = next((text for text in told if len(terms(text)) >= _LEAST_TERMS and not titles.is_generic(text)), None)
    if first is None:
        return []
    return [titles.headline(first, capital=True), _stated(first)]


def _of_title(item: Item) -> list[str]:
    """The title mended, or what it states; to either, where it is too short or long for one, the first sentence."""
    bare, mended = _bare(item.title), _mended(item)
    if len(bare) > titles.MAX_TITLE_CHARS:
        return [_stated(bare), mended, *_of_sentences(item)]
    made = _of_cut(item, bare, mended) if _is_cut(item.title) else [mended]
    return made if len(terms(bare)) >= _LEAST_TERMS else [*made, *_of_sentences(item)]


def _of_cut(item: Item, bare: str, mended: str) -> list[str]:
    """What the sentence states that the title was cut off in; where none is found, the title up to a clause's end."""
    whole = clauses.whole_of(bare, [sentence.text for sentence in sentences.split(item.content, _SEARCHED)])
    if whole is not None and clauses.goes_on(bare, whole):
        return [_stated(whole)]
    parted = [_stated(bare)] if clauses.main_of(bare) != bare else []
    return parted if len(bare) >= _SURELY_CUT_CHARS else [mended, *parted]


def _stated(sentence: str) -> str:
    return titles.headline(clauses.main_of(sentence), capital=True)


def _is_cut(title: str) -> bool:
    return _CUT.search(title) is not None or clauses.is_open(title)


def _bare(title: str) -> str:
    """The title without its marks and its ending."""
    text = title.strip()
    for _ in range(3):
        text = _PREFIX.sub("", text, count=1).strip() if _PREFIX.match(text) else text
    return _ENDING.sub("", text).rstrip(" .!,;:…-–—")


def _mended(item: Item) -> str:
    """The title without its marks, its ending and its capitals."""
    text = _bare(item.title)
    if is_shouting(text):
        text = _quieter(text, item.content)
    elif text[:1].islower() and text.split(" ", 1)[0].isalpha():
        text = text[0].upper() + text[1:]
    return titles.headline(text) if len(text) > titles.MAX_TITLE_CHARS else text


def _quieter(title: str, content: str) -> str:
    """Sentence case; words are written as the content writes them."""
    found = [(match.group(), content[max(0, match.start() - 2) : match.start()]) for match in _WORD.finditer(content)]
    # At the start of a sentence a capital says nothing about the word.
    written = {word.lower(): word for word, before in found if not word.istitle() or before[:1].isalnum()}

    def lowered(match: re.Match[str]) -> str:
        word = match.group()
        return word if word in _ABBREVIATIONS else written.get(word.lower(), word.lower())

    text = _WORD.sub(lowered, title)
    return text[:1].upper() + text[1:]


def is_good(title: str, item: Item) -> bool:
    """Whether it says something, in no other words than the item's own."""
    if len(title) < _LEAST_CHARS or title == item.title or title.endswith("…") or MARKER.search(title):
        return False
    if _HANGING.search(title):
        return False
    if len(title) > titles.MAX_TITLE_CHARS or fault_of(title) is not None or titles.is_generic(title):
        return False
    return len(terms(title)) >= _LEAST_TERMS and share_covered(terms(title), terms(f"{item.title} {item.content}")) == 1
