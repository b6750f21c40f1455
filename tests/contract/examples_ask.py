"""Valid requests to ask: for a ticket, and with a ticket."""

from __future__ import annotations

from typing import Any

from tests.contract.cast import TEAM, Actor, Ask, Cast, Example
from tests.contract.examples_chats import make_chat
from tests.support.people import Person

ASK: dict[str, Example] = {}

QUESTION = "Where are sessions kept?"


async def make_ticket(person: Person, project: str, **fields: Any) -> str:
    made = await person.post("/api/v2/ask", {"projectId": project, "question": QUESTION, **fields})
    assert made.status_code == 200, made.text
    return str(made.json()["ticket"])


def _for_ticket(name: str, visibility: str, *, goes_on: bool = False) -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(visibility)
        body = {"projectId": project, "question": QUESTION}
        if goes_on:
            sees = actor.name in TEAM and (visibility == "public" or actor.name != "unassigned")
            body["chatSessionId"] = await make_chat(actor.person if sees else cast.owner, project)
        return Ask(json=body, target=project, project=project)

    ASK[name] = ask


_for_ticket("ask.ticket", "private")
_for_ticket("ask.ticket (public)", "public")
_for_ticket("ask.ticket (goes on)", "private", goes_on=True)


async def _with_ticket(cast: Cast, actor: Actor) -> Ask:
    """A ticket acts for the user it was issued to, whoever sends it."""
    ticket = await make_ticket(cast.owner, await cast.project())
    return Ask(json={"ticket": ticket, "question": QUESTION})


ASK["worker.ask"] = _with_ticket
