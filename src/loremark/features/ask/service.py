"""Tickets for those who may ask."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.plans import Plans
from loremark.features.ask.tickets import Tickets
from loremark.features.chats import service as chats
from loremark.features.identity import store as people
from loremark.features.metering import service as metering
from loremark.features.projects.access import Right, get_project
from loremark.memory.answering.composing import NOTHING
from loremark.ports.llm import tokens
from loremark.storage.database import Tx
from loremark.wire.answers import NewQuestion

_TITLE_CHARS = 80


async def issue_ticket(tx: Tx, caller: Caller, tickets: Tickets, plans: Plans, asked: NewQuestion) -> str:
    """A ticket for this question. Asking is reading; but a conversation is written, so the project must be alive."""
    project = await get_project(tx, caller, asked.project_id, Right.READ)
    chats.refuse_archived(project)
    chat_id = asked.chat_session_id
    if chat_id is not None and not await _goes_on(tx, caller, chat_id, asked.project_id):
        raise errors.SESSION_NOT_FOUND()
    team = await people.get_team(tx, caller.team_id)
    # What is left must do for the question and the shortest answer: nobody gets tickets that no answer can follow.
    if await metering.tokens_left(tx, caller.scope, plans.get(team["plan"])) < _least_tokens(asked.question):
        raise errors.AI_TOKEN_LIMIT()
    if chat_id is None:
        title = title_of(asked.question)
        chat_id = await chats.open_chat(
            tx, caller.scope, project_id=asked.project_id, user_id=caller.user_id, title=title
        )
    return tickets.issue(project_id=asked.project_id, team_id=caller.team_id, user_id=caller.user_id, chat_id=chat_id)


async def _goes_on(tx: Tx, caller: Caller, chat_id: str, project_id: str) -> bool:
    """Whether it is a conversation that the caller may go on with."""
    return await chats.find_for_answer(tx, caller.scope, chat_id, project_id, caller.user_id) is not None


def _least_tokens(question: str) -> int:
    return tokens.count(question) + tokens.count(NOTHING)


def title_of(question: str) -> str:
    """The question's beginning, in whole words where it has them."""
    words = " ".join(question.split())
    if len(words) <= _TITLE_CHARS:
        return words
    cut = words[:_TITLE_CHARS]
    return (cut.rpartition(" ")[0] or cut) + "…"
