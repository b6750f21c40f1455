"""Proposes to flag items that say hardly anything: too short, small talk, guesses, or instructions to the reader."""

from __future__ import annotations

from loremark.memory.extraction import salience, sentence_splitter
from loremark.memory.extraction.word_patterns import content_terms
from loremark.memory.hygiene.proposals import Proposal, quote_title
from loremark.memory.hygiene.titles import find_title_problem
from loremark.memory.items import Item

FLAG = "quality"
MIN_TERMS = 3
_MIN_CONFIDENT_TERMS = 2
LOW_CONFIDENCE = 0.5
_DOUBTFUL = 0.65
_SURE = 0.75
_TALK_SENTENCES = 4
_CHORE_TERMS = 6


def propose(item: Item, title_problem: str | None) -> Proposal | None:
    """Propose a review. ``title_problem``: the problem of a title that cannot be fixed."""
    if FLAG in item.flags:
        return None
    found = find_quality_problem(item, title_problem)
    if found is None:
        return None
    problem, confidence = found
    return Proposal(
        type="FLAG_QUALITY",
        item_ids=(item.id,),
        description=f"{quote_title(item)} {problem}. It will be flagged for review; nothing else changes.",
        confidence=confidence,
    )


def find_quality_problem(item: Item, title_problem: str | None) -> tuple[str, float] | None:
    """The problem of an item and the confidence in it; None if there is none."""
    text = f"{item.title}. {item.content}"
    if salience.targets_model(text):
        return "gives the reader instructions instead of information", 0.9
    sentence_texts = [sentence.text for sentence in sentence_splitter.split_sentences(item.content, _TALK_SENTENCES)]
    # A title that says nothing adds nothing.
    said = content_terms(item.content) | (
        content_terms(item.title) if find_title_problem(item.title) is None else frozenset()
    )
    if len(said) < (MIN_TERMS if item.confidence < _SURE else _MIN_CONFIDENT_TERMS):
        return "is too short to be useful", 0.85
    is_sure = item.confidence >= _SURE and salience.is_specific(item.content)
    if sentence_texts and not is_sure and all(map(_is_talk, sentence_texts)):
        return "reports on work instead of stating a fact", 0.8
    if salience.is_hedged(text) and item.confidence < _DOUBTFUL and not salience.is_specific(item.content):
        return "only guesses and names nothing specific", 0.75
    if not item.evidence and item.confidence < LOW_CONFIDENCE:
        return f"has no evidence and a confidence of only {item.confidence:.2f}", 0.75
    if title_problem is not None:
        return f"has a title that {title_problem}, and its text offers no better one", 0.7
    return None


def _is_talk(sentence: str) -> bool:
    return salience.is_small_talk(sentence) or (
        salience.is_chore(sentence) and len(content_terms(sentence)) < _CHORE_TERMS
    )
