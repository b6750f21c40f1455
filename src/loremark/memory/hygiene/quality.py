"""Items that hardly tell anything: too short, talk, doubt, or words that try to steer whoever reads them."""

from __future__ import annotations

from loremark.memory.extraction import sentences, worth
from loremark.memory.extraction.words import terms
from loremark.memory.hygiene.proposals import Proposal, named
from loremark.memory.hygiene.titles import fault_of
from loremark.memory.items import Item

FLAG = "quality"
LEAST_TERMS = 3
_LEAST_SURE_TERMS = 2
LOW_CONFIDENCE = 0.5
_DOUBTFUL = 0.65
_SURE = 0.75
_TALK_SENTENCES = 4
_CHORE_TERMS = 6


def propose(item: Item, title_fault: str | None) -> Proposal | None:
    """To have a person look at it. ``title_fault``: what is wrong with a title that cannot be mended."""
    if FLAG in item.flags:
        return None
    found = reason(item, title_fault)
    if found is None:
        return None
    told, confidence = found
    return Proposal(
        type="FLAG_QUALITY",
        item_ids=(item.id,),
        description=f"{named(item)} {told}. It is flagged for somebody to look at; nothing else changes.",
        confidence=confidence,
    )


def reason(item: Item, title_fault: str | None) -> tuple[str, float] | None:
    """What is doubtful about an item, and how surely."""
    text = f"{item.title}. {item.content}"
    if worth.is_addressed_to_model(text):
        return "gives orders to whoever reads it instead of telling something", 0.9
    told = [sentence.text for sentence in sentences.split(item.content, _TALK_SENTENCES)]
    # A title that says nothing adds nothing to what is said.
    said = terms(item.content) | (terms(item.title) if fault_of(item.title) is None else frozenset())
    if len(said) < (LEAST_TERMS if item.confidence < _SURE else _LEAST_SURE_TERMS):
        return "is too short to tell anything", 0.85
    is_sure = item.confidence >= _SURE and worth.is_specific(item.content)
    if told and not is_sure and all(map(_is_talk, told)):
        return "tells how work went, not what is known", 0.8
    if worth.is_hedged(text) and item.confidence < _DOUBTFUL and not worth.is_specific(item.content):
        return "only guesses and names nothing exactly", 0.75
    if not item.evidence and item.confidence < LOW_CONFIDENCE:
        return f"rests on no evidence and has a confidence of {item.confidence:.2f}", 0.75
    if title_fault is not None:
        return f"has a title that {title_fault}, and its text yields no better one", 0.7
    return None


def _is_talk(sentence: str) -> bool:
    return worth.is_talk(sentence) or (worth.is_chore(sentence) and len(terms(sentence)) < _CHORE_TERMS)
