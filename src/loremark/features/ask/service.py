"""Issuing tickets to callers who may ask questions."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.plans import Plans
from loremark.features.ask.tickets import Tickets
from loremark.features.chats import service as chats
from loremark.features.identity import store as people
from loremark.features.metering import service as metering
from loremark.features.projects.access import Access, get_project
from loremark.memory.answering.extractive_answer import NO_ANSWER
from loremark.ports.llm import tokens
from loremark.storage.database import Tx
from loremark.wire.answers import AskRequest

_TITLE_CHARS = 80


async def issue_ticket(tx: Tx, caller: Caller, tickets: Tickets, plans: Plans, request: AskRequest) -> str:
    """Issue a ticket. Read access is enough, but the project must not be archived because the chat is stored."""
    project = await get_project(tx, caller, request.project_id, Access.READ)
    chats.refuse_archived(project)
    chat_id = request.chat_session_id
    if chat_id is not None and not await _may_continue(tx, caller, chat_id, request.project_id):
        raise errors.SESSION_NOT_FOUND()
    team = await people.get_team(tx, caller.team_id)
    # The remaining tokens must cover the question and the shortest answer.
    if await metering.tokens_left(tx, caller.scope, plans.get(team["plan"])) < _min_tokens(request.question):
        raise errors.AI_TOKEN_LIMIT()
    if chat_id is None:
        title = title_of(request.question)
        chat_id = await chats.open_chat(
            tx, caller.scope, project_id=request.project_id, user_id=caller.user_id, title=title
        )
    return tickets.issue(project_id=request.project_id, team_id=caller.team_id, user_id=caller.user_id, chat_id=chat_id)


async def _may_continue(tx: Tx, caller: Caller, chat_id: str, project_id: str) -> bool:
    """Return whether the caller may continue this chat."""
    return await chats.find_for_answer(tx, caller.scope, chat_id, project_id, caller.user_id) is not None


def _min_tokens(question: str) -> int:
    return tokens.count(question) + tokens.count(NO_ANSWER)


def title_of(question: str) -> str:
    """Return the beginning of the question, cut at a word boundary if possible."""
    words = " ".join(question.split())
    if len(words) <= _TITLE_CHARS:
        return words
    cut = words[:_TITLE_CHARS]
    return (cut.rpartition(" ")[0] or cut) + "…"
