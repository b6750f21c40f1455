"""Quotations from sessions and commits, for questions that no item covers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from loremark.base import clock
from loremark.base.briefing_markers import plain_name
from loremark.base.caller import Scope
from loremark.features.ask.reading import read_passages
from loremark.features.recall.service import Recall, SaidTurn, TurnHit
from loremark.memory.answering.records import Passage
from loremark.memory.answering.unreviewed_answer import select_quotations
from loremark.memory.recall.excerpts import best_sentences
from loremark.memory.recall.turns import transcript
from loremark.ports.reader.reader import Reader
from loremark.wire.answers import Source

_TURNS = 4
_TITLE_CHARS = 80
_EXCERPT_CHARS = 600
_AGENT_CHARS = 24
_SHA_CHARS = 7


@dataclass(frozen=True)
class Quotation:
    """Something said in a session, or a commit message: as a passage, and as shown with the answer."""

    passage: Passage
    session_id: str
    excerpt: str

    def to_source(self, *, used: bool) -> Source:
        passage = self.passage
        return Source(
            item_id=passage.item_id,
            type="implementation",
            title=passage.title,
            facts=self.excerpt,
            schema_key="",
            similarity=round(passage.similarity, 4),
            confidence=passage.confidence,
            files=list(passage.files),
            used=used,
            session_id=self.session_id,
            reviewed=False,
        )


async def find_quotations(recall: Recall, reader: Reader, scope: Scope, project_id: str, text: str) -> list[Quotation]:
    """Find what was said that clearly answers a question, the best match first."""
    hits = await recall.find(scope, project_id, text, limit=_TURNS)
    found = {hit.turn.id: _quotation(hit, text) for hit in hits}
    passages = [quotation.passage for quotation in found.values()]
    texts = [transcript(hit.turn.before, hit.turn.messages) for hit in hits]
    confidences = await read_passages(reader, text, passages, texts)
    kept = await asyncio.to_thread(select_quotations, passages, confidences)
    return [found[passage.item_id] for passage in kept]


def _quotation(hit: TurnHit, text: str) -> Quotation:
    turn = hit.turn
    said = "\n".join(message.text for message in turn.messages)
    passage = Passage(
        item_id=turn.id,
        type="implementation",
        title=" ".join(turn.messages[0].text.split())[:_TITLE_CHARS],
        content=said,
        schema_key="",
        files=turn.files,
        confidence=0.0,
        similarity=hit.similarity,
        origin=_origin(turn),
    )
    return Quotation(passage, turn.session_id, best_sentences(turn.messages, text, _EXCERPT_CHARS))


def _origin(turn: SaidTurn) -> str:
    date = clock.iso(turn.said_at_ms)[:10]
    if turn.kind == "commit":
        return f"{f'commit {plain_name(turn.commit_sha, _SHA_CHARS)}' if turn.commit_sha else 'a commit'} on {date}"
    agent = plain_name(turn.agent, _AGENT_CHARS)
    return f"a session with {agent} on {date}" if agent else f"a session on {date}"
