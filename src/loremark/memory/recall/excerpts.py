"""Chooses what to quote of a session: the messages that matter for a goal, shortened to the sentences that do."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from loremark.memory.ranking.terms import read_question
from loremark.memory.recall.turns import Message, Role

CountTokens = Callable[[str], int]

# A message's worth: the score of its turn, more towards the end of the session, where things are settled, plus the
# share of the goal's words it contains. Measured on scenarios by other authors (docs/research/recall.md).
_TURN, _LATE, _WORDS = 0.75, 0.4, 0.7
_REPLY = 0.12
"""A person's reply to the agent: where proposals are accepted, corrected or rejected."""
_LAST = 0.1
"""The last message: the state in which the session ended."""

_SHORT_REPLY_WORDS = 14
"""A reply this short is only understood together with the message it replies to."""
_TOKENS_BY_ROLE: Mapping[Role, int] = {"user": 80, "assistant": 70, "note": 90, "commit": 220}
_LAST_TOKENS = 240
_ASKED_TOKENS = 45
_LINE_TOKENS = 3
_LEAST_TOKENS = 12
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\d\.)\s+|\n+")
_FENCE = re.compile(r"[`~]{3,}\w*")
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class ScoredMessage:
    """A message with the score of the turn it belongs to."""

    message: Message
    score: float


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Quoted messages in order, and their tokens."""

    messages: tuple[Message, ...]
    tokens: int


class GoalWords:
    """The words of a goal, weighted by how rare they are among the texts it is compared with."""

    def __init__(self, goal: str, texts: Iterable[str]) -> None:
        asked = read_question(goal).words
        wanted = frozenset(asked)
        having: Counter[int] = Counter()
        count = 0
        for text in texts:
            having.update(wanted & _words(text))
            count += 1
        self._weights = {word: math.log(1 + (count - having[word] + 0.5) / (having[word] + 0.5)) for word in asked}
        self._total = math.fsum(self._weights.values()) or 1.0

    def share(self, text: str) -> float:
        """The share of the goal's weight that a text contains, 0 to 1."""
        found = _words(text)
        return math.fsum(weight for word, weight in self._weights.items() if word in found) / self._total


def _words(text: str) -> frozenset[int]:
    return frozenset(read_question(text).words)


def quote(session: Sequence[ScoredMessage], goal: GoalWords, budget: int, count_tokens: CountTokens) -> Excerpt:
    """Quote the messages of a session that matter most, within a token budget."""
    worth = _worth(session, goal)
    chosen: dict[int, str] = {}
    used = 0
    for place in sorted(worth, key=lambda place: (-worth[place], place)):
        room = budget - used - _LINE_TOKENS
        if room < _LEAST_TOKENS:
            break
        if place in chosen:
            continue
        message = session[place].message
        limit = _LAST_TOKENS if place == len(session) - 1 else _TOKENS_BY_ROLE[message.role]
        text = shorten(message.text, goal, min(room, limit), count_tokens)
        used += count_tokens(text) + _LINE_TOKENS
        chosen[place] = text
        room = budget - used - _LINE_TOKENS
        if _is_short_reply(session, place) and place - 1 not in chosen and room >= _LEAST_TOKENS:
            asked = shorten(
                session[place - 1].message.text, goal, min(room, _ASKED_TOKENS), count_tokens, keep_end=True
            )
            used += count_tokens(asked) + _LINE_TOKENS
            chosen[place - 1] = asked
    messages = tuple(Message(session[place].message.role, chosen[place]) for place in sorted(chosen))
    return Excerpt(messages, used)


def _worth(session: Sequence[ScoredMessage], goal: GoalWords) -> dict[int, float]:
    last = max(1, len(session) - 1)
    return {
        place: scored.score * (_TURN + _LATE * place / last)
        + _WORDS * goal.share(scored.message.text)
        + (_REPLY if scored.message.role == "user" and place else 0.0)
        + (_LAST if place == last else 0.0)
        for place, scored in enumerate(session)
    }


def _is_short_reply(session: Sequence[ScoredMessage], place: int) -> bool:
    message = session[place].message
    return message.role == "user" and place > 0 and len(message.text.split()) < _SHORT_REPLY_WORDS


def shorten(text: str, goal: GoalWords, limit: int, count_tokens: CountTokens, *, keep_end: bool = False) -> str:
    """Keep the sentences that matter for the goal, in order, within a token limit. Sentences are never changed."""
    if count_tokens(text) <= limit:
        return _one_line(text)
    sentences = [piece for part in _SENTENCE_END.split(text) if (piece := part.strip()) and not _FENCE.fullmatch(piece)]

    def worth(place: int) -> float:
        sentence = sentences[place]
        ends = 0.25 * (place == 0) + 0.6 * (keep_end and place == len(sentences) - 1)
        return goal.share(sentence) / math.sqrt(6 + len(sentence.split())) + ends

    kept: set[int] = set()
    used = 1
    for place in sorted(range(len(sentences)), key=lambda place: (-worth(place), place)):
        tokens = count_tokens(sentences[place]) + 1
        if used + tokens <= limit:
            kept.add(place)
            used += tokens
    if not kept:
        return _truncate(sentences[0] if sentences else text, limit, count_tokens)
    return _joined(sentences, kept)


def _joined(sentences: Sequence[str], kept: set[int]) -> str:
    parts: list[str] = []
    before = -1
    for place in sorted(kept):
        if place != before + 1:
            parts.append(_ELLIPSIS)
        parts.append(sentences[place])
        before = place
    if before != len(sentences) - 1:
        parts.append(_ELLIPSIS)
    return _one_line(" ".join(parts))


def _truncate(text: str, limit: int, count_tokens: CountTokens) -> str:
    words = text.split()
    while words and count_tokens(" ".join(words)) >= limit:
        words = words[: max(1, len(words) * 3 // 4)] if len(words) > 1 else []
    return f"{' '.join(words) or text[: 2 * limit]} {_ELLIPSIS}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def best_sentences(messages: Sequence[Message], question: str, max_chars: int) -> str:
    """The part of a turn to show for a question: whole sentences, about ``max_chars`` characters of them."""
    texts = [message.text for message in messages]
    goal = GoalWords(question, [piece for text in texts for piece in _SENTENCE_END.split(text)])
    whole = _one_line("\n".join(texts))
    return whole if len(whole) <= max_chars else shorten("\n".join(texts), goal, max_chars, len)
