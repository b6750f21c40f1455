"""Valid chat requests: the actor's own conversation if allowed, otherwise the owner's."""

from __future__ import annotations

from typing import Any

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.chats import service as chats
from loremark.wire.answers import Source
from tests.contract.cast import TEAM, Actor, Ask, Cast, Example
from tests.support.people import Person
from tests.support.service import Service

CHATS: dict[str, Example] = {}

MODEL = "small-1"


def new_source(**fields: Any) -> Source:
    known: dict[str, Any] = {
        "item_id": ids.new("itm"),
        "type": "decision",
        "title": "Sessions are kept in Redis",
        "facts": "They outlive a restart.",
        "schema_key": "root/api/sessions",
        "similarity": 0.75,
        "confidence": 0.9,
        "files": ["src/sessions.py"],
        "used": True,
    }
    return Source(**{**known, **fields})


async def make_chat(person: Person, project: str, **fields: Any) -> str:
    made = await person.post("/api/v2/chat-sessions", {"projectId": project, **fields})
    assert made.status_code == 201, made.text
    return str(made.json()["sessionId"])


async def keep_turn(service: Service, person: Person, chat: str, number: int = 0, **fields: Any) -> bool:
    """Store a question and an answer like the worker does."""
    turn: dict[str, Any] = {
        "question": f"Where are sessions kept? ({number})",
        "answer": f"In **Redis**. ({number})",
        "sources": [new_source(), new_source(used=False)],
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "model": MODEL,
    }
    async with service.runtime.database.write() as tx:
        return await chats.add_turn(tx, Scope(person.team_id), chat, **{**turn, **fields}) is not None


def _author(cast: Cast, actor: Actor, visibility: str) -> Person:
    sees = actor.name in TEAM and (visibility == "public" or actor.name != "unassigned")
    return actor.person if sees else cast.owner


def _on_chat(name: str, json: Any = None, *, owners: bool = False) -> None:
    """Two examples: a private and a public project."""

    def about(visibility: str) -> Example:
        async def ask(cast: Cast, actor: Actor) -> Ask:
            project = await cast.project(visibility)
            author = cast.owner if owners else _author(cast, actor, visibility)
            chat = await make_chat(author, project, title="Where sessions live")
            assert await keep_turn(cast.service, cast.owner, chat)
            assert (await cast.owner.post(f"/api/v2/chat-sessions/{chat}/favorite")).status_code == 200
            return Ask({"id": chat}, dict(json) if json else None, target=chat, project=project)

        return ask

    CHATS[name] = about("private")
    CHATS[f"{name} (public)"] = about("public")


def _on_project(name: str, *, creates: bool) -> None:
    def about(visibility: str) -> Example:
        async def ask(cast: Cast, actor: Actor) -> Ask:
            project = await cast.project(visibility)
            if creates:
                return Ask(json={"projectId": project, "title": "Why Redis?"}, target=project, project=project)
            for _ in range(3):
                await make_chat(cast.owner, project)
            return Ask(query=f"?projectId={project}", target=project, project=project)

        return ask

    CHATS[name] = about("private")
    CHATS[f"{name} (public)"] = about("public")


_CHANGE = {"title": "Where sessions are kept", "status": "archived"}

_on_project("chat.list", creates=False)
_on_project("chat.create", creates=True)
_on_chat("chat.get")
_on_chat("chat.update", _CHANGE)
_on_chat("chat.update (the owner's)", _CHANGE, owners=True)
_on_chat("chat.delete")
_on_chat("chat.delete (the owner's)", owners=True)
_on_chat("chat.favorite")
_on_chat("chat.favorite (the owner's)", owners=True)
_on_chat("chat.messages")
_on_chat("chat.messages (the owner's)", owners=True)
