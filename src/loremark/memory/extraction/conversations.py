"""Extracts what an exchange between a person and an agent settled: rules the person states, and confirmed causes.

Most of what agents write is worth recalling but not worth an item, and recall finds it as it was said. So a sentence
becomes an item only in a form that annotators of real sessions kept (docs/research/transcripts.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from loremark.memory.extraction import confidence, salience
from loremark.memory.extraction.facts import EventContext, Fact, files_of, find_files, merge_files
from loremark.memory.extraction.payloads import as_list, first_text
from loremark.memory.extraction.sentence_splitter import Sentence, split_sentences
from loremark.memory.extraction.word_patterns import content_terms
from loremark.memory.spoken_text import spoken_text
from loremark.wire.items import ItemType

_PROMPT_CHARS = 1_500
"""Longer prompts are pasted documents, logs or plans."""
_PROMPT_SENTENCES = 12
_LEAST_TERMS = 4
_AFTER_CAUSE = 2
_SHARED_FILES = 5
_EXCHANGES = 400
# Forms in which a person lays down how things must be, in the languages of the annotated sessions.
_RULE = re.compile(
    r"\b(?:always|never|ever again|from now on|going forward|in the future|as a (?:global |general )?rule|by convention"
    r"|siempre|nunca|de ahora en adelante|immer|niemals|toujours|jamais)\b",
    re.IGNORECASE,
)
_UNWANTED = re.compile(
    r"\b(?:(?:i|we) (?:do not|don['’]?t|never) want|(?:must|should) (?:not|never)|(?:must|should)n['’]t|not allowed"
    r"|no (?:quiero|queremos)|no debe\w*|darf nicht|ne doit pas)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:(?:i|we) prefer|prefiero|let['’]?s (?:use|go with|keep|stick|drop|remove|not)"
    r"|we (?:will|need to|only) use)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since (?:we|it|the|they|you)|so that|otherwise|cannot|can['’]?t"
    r"|porque|ya que|para que|weil|sonst|parce que)\b",
    re.IGNORECASE,
)
# In the past tense a cause is found; in the present tense it is often still a guess.
_CAUSE = re.compile(
    r"\b(?:was|were) caused by\b|\b(?:issue|problem|bug|cause|culprit|reason)(?: here)? was (?:that|because|a|an|the)\b"
    r"|\broot cause (?:was|is|:)|\bturned out (?:that|to be)\b|\b(?:el problema|la causa|el error) era\b",
    re.IGNORECASE,
)
_CAUSE_LEAD = re.compile(
    r"^(?:the|el|la) (?:real |actual |underlying |root )?(?:issue|problem|bug|cause|culprit|reason|problema|causa)"
    r"(?: here)? (?:was|is|era)(?: that| because| que)?:? ",
    re.IGNORECASE,
)
_ANAPHORA = re.compile(
    r"(?:this|that|these|those|it|its|it['’]s|they|both|he|she|here|there|same|which|what|why|how|now|yes"
    r"|no(?=[,.!])|ok(?:ay)?|also|and|but|so|then|maybe|perhaps|if|when|eso|esto|esta?)\b",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"(?:let me|let['’]s see|i['’]?(?:ll|m| will| am)|looking at|based on)\b", re.IGNORECASE)


def is_conversation(payload: dict[str, Any]) -> bool:
    """Whether a saved session is an exchange as it was captured: a prompt and the agent's answer, or a list of them."""
    return bool(_listed(payload)) or (isinstance(payload.get("notes"), str) and isinstance(payload.get("summary"), str))


def settled_facts(payload: dict[str, Any], origin: EventContext) -> Iterator[Fact]:
    """At most one rule of the person and one confirmed cause for each exchange."""
    for entry in _listed(payload)[:_EXCHANGES] or [payload]:
        prompt, answer = (
            first_text(entry, "notes", "prompt", "user"),
            first_text(entry, "summary", "answer", "assistant"),
        )
        shared = files_of(entry, origin.roots)
        shared = shared if len(shared) <= _SHARED_FILES else []
        rule = _rule_in(prompt)
        if rule is not None:
            kind, sentence = rule
            yield _fact(kind, [sentence], confidence.STATED_BY_PERSON, shared, origin)
        cause = _cause_in(answer)
        if cause:
            yield _fact("bug", cause, confidence.CONFIRMED_CAUSE, shared, origin)


def _listed(payload: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in as_list(payload.get("turns")) if isinstance(entry, dict)]


def _rule_in(prompt: str) -> tuple[ItemType, Sentence] | None:
    if len(prompt) > _PROMPT_CHARS:
        return None
    sentences = split_sentences(spoken_text(prompt))
    if len(sentences) > _PROMPT_SENTENCES:
        return None
    for sentence in sentences:
        text = sentence.text
        if not _stands_alone(text):
            continue
        if _RULE.search(text) or _UNWANTED.search(text):
            return "convention", sentence
        if _CHOICE.search(text) and _REASON.search(text):
            return "decision", sentence
    return None


def _cause_in(answer: str) -> Sequence[Sentence]:
    """The last confirmed cause, with what follows it."""
    sentences = split_sentences(spoken_text(answer))
    for place in range(len(sentences) - 1, -1, -1):
        sentence = sentences[place]
        if not _CAUSE.search(sentence.text) or not _stands_alone(sentence.text):
            continue
        following = sentences[place + 1 : place + 1 + _AFTER_CAUSE]
        after = [one for one in following if not one.is_bullet and salience.has_remedy(one.text)]
        return [sentence, *after]
    return ()


def _stands_alone(text: str) -> bool:
    return (
        not salience.is_question(text)
        and not salience.is_small_talk(text)
        and not text.rstrip().endswith(":")
        and not _ANAPHORA.match(text)
        and not _FIRST_WORD.match(text)
        and len(content_terms(text)) >= _LEAST_TERMS
    )


def _fact(
    kind: ItemType, sentences: Sequence[Sentence], sure: float, shared: Sequence[str], origin: EventContext
) -> Fact:
    named = find_files((one.raw for one in sentences), origin.roots)
    title = _CAUSE_LEAD.sub("", sentences[0].text)
    return Fact(
        type=kind,
        lead="" if title == sentences[0].text else title,
        capitalize=True,
        sentences=tuple(sentences),
        files=merge_files(named or shared),
        confidence=sure,
        nearby_files=tuple(shared),
    )
