"""Ask tickets: issuing, verification and expiry."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from loremark.base import clock, errors, ids
from loremark.base.errors import Refusal
from loremark.features.ask.service import title_of
from loremark.features.ask.tickets import Tickets
from tests.features.ask_client import QUESTION, plan_with, ticket_for
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

SECRET = "shared by two"
CLAIMS = {"project_id": "prj", "team_id": "team", "user_id": "usr", "chat_id": "cht"}


def _tickets(secret: str = SECRET) -> Tickets:
    return Tickets(secret, worker_url="https://worker.example", valid_ms=60_000)


def _issue(tickets: Tickets) -> str:
    return tickets.issue(**{name: ids.new(prefix) for name, prefix in CLAIMS.items()})


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _forged(payload: Any, secret: str = SECRET) -> str:
    """A ticket signed with the secret, with an arbitrary payload."""
    text = _encoded(payload if isinstance(payload, bytes) else json.dumps(payload).encode())
    key = hmac.new(secret.encode(), b"loremark/ask-ticket/v1", hashlib.sha256).digest()
    return f"{text}.{_encoded(hmac.new(key, text.encode(), hashlib.sha256).digest())}"


def _claims(**changes: Any) -> dict[str, Any]:
    known = {"pid": ids.new("prj"), "tid": ids.new("team"), "uid": ids.new("usr"), "sid": ids.new("cht")}
    return {**known, "exp": clock.now_ms() + 60_000, **changes}


def _is_refused(tickets: Tickets, ticket: object) -> bool:
    try:
        tickets.read(ticket)
    except Refusal as refusal:
        return refusal.kind is errors.INVALID_TICKET
    return False


def test_ticket_has_the_contract_form_and_only_these_claims() -> None:
    payload, signature = _issue(_tickets()).split(".")
    assert "=" not in payload + signature
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert list(claims) == ["pid", "tid", "uid", "sid", "exp"]
    assert 0 < claims["exp"] - clock.now_ms() <= 60_000
    assert len(base64.urlsafe_b64decode(signature + "=")) == 32
    assert not _is_refused(_tickets(), _forged(claims)), "the signing key is derived from the secret, for tickets only"


def test_any_change_to_a_ticket_invalidates_it() -> None:
    tickets = _tickets()
    ticket = _issue(tickets)
    assert not _is_refused(tickets, ticket)
    for position in range(len(ticket)):
        replacement = "A" if ticket[position] != "A" else "B"
        assert _is_refused(tickets, ticket[:position] + replacement + ticket[position + 1 :]), position
    payload, _, signature = ticket.partition(".")
    standard = ticket.replace("-", "+").replace("_", "/")
    for malformed in (
        payload,
        signature,
        f"{signature}.{payload}",
        f"{ticket}=",
        f" {ticket}",
        f"{ticket}\n",
        "é.é",
        ".",
    ):
        assert _is_refused(tickets, malformed), malformed
    assert standard == ticket or _is_refused(tickets, standard)


def test_tickets_depend_on_the_secret_and_need_one() -> None:
    ticket = _issue(_tickets())
    for secret in ("shared by others", SECRET + " ", SECRET.upper(), ""):
        assert _is_refused(_tickets(secret), ticket)
    plain = _encoded(hmac.new(SECRET.encode(), ticket.partition(".")[0].encode(), hashlib.sha256).digest())
    assert _is_refused(_tickets(), f"{ticket.partition('.')[0]}.{plain}"), (
        "signed with the secret itself, not with the key derived from it"
    )
    assert _is_refused(_tickets(""), _forged(_claims(), ""))
    with pytest.raises(Refusal) as refused:
        _tickets("").require_worker()
    assert refused.value.kind is errors.WORKER_NOT_CONFIGURED


def test_malformed_claims_are_rejected_even_with_the_right_secret() -> None:
    values: tuple[Any, ...] = (None, 5, "", "x", ["x"])
    expiries: tuple[Any, ...] = (None, "soon", 1.5, True, -1, 0, [])
    wrong: list[Any] = [b"", b"null", b"[]", b"not JSON", b"\xff", b'{"pid":' * 50_000]
    wrong += [_claims(**{name: value}) for name in ("pid", "tid", "uid", "sid") for value in values]
    wrong += [_claims(exp=value) for value in expiries]
    wrong += [_claims(role="owner"), _claims(pid=ids.new("usr"))]
    wrong.append({name: value for name, value in _claims().items() if name != "sid"})
    for payload in wrong:
        assert _is_refused(_tickets(), _forged(payload)), payload
    minimal = {name: value for name, value in _claims().items() if name != "role"}
    assert not _is_refused(_tickets(), _forged(minimal))


def test_ticket_expires() -> None:
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        ticket = _issue(_tickets())
    for late_ms, refused in ((59_999, False), (60_000, True), (10**9, True)):
        with clock.use(lambda at_ms=now_ms + late_ms: at_ms):  # type: ignore[misc]
            assert _is_refused(_tickets(), ticket) == refused


def test_chat_title_is_the_first_question() -> None:
    assert title_of("  Where\n are   sessions kept? ") == "Where are sessions kept?"
    long = title_of("word " * 40)
    assert long.endswith("word…")
    assert len(long) <= 81
    assert title_of("x" * 4_000) == "x" * 80 + "…"


async def test_first_question_creates_a_chat_and_the_second_continues_it(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    issued = await ticket_for(owner, project)
    assert issued["workerUrl"] == f"{service.settings.base_url}/worker"
    claims = json.loads(base64.urlsafe_b64decode(issued["ticket"].partition(".")[0] + "=="))
    assert (claims["pid"], claims["tid"], claims["uid"]) == (project, owner.team_id, owner.user_id)
    listed = (await owner.get(f"/api/v2/chat-sessions?projectId={project}")).json()["sessions"]
    assert [(chat["id"], chat["title"], chat["messageCount"]) for chat in listed] == [(claims["sid"], QUESTION, 0)]
    again = await ticket_for(owner, project, chatSessionId=claims["sid"])
    assert json.loads(base64.urlsafe_b64decode(again["ticket"].partition(".")[0] + "=="))["sid"] == claims["sid"]
    assert (await owner.get(f"/api/v2/chat-sessions?projectId={project}")).json()["total"] == 1


async def test_rejected_question_creates_no_chat(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    for body in (
        {"projectId": project, "question": "ab"},
        {"projectId": project, "question": "x" * 4_001},
        {"projectId": project, "question": QUESTION, "chatSessionId": ids.new("cht")},
        {"projectId": project, "question": QUESTION, "chatSessionId": 5},
        {"projectId": ids.new("prj"), "question": QUESTION},
        {"projectId": [project], "question": QUESTION},
    ):
        assert 400 <= (await owner.post("/api/v2/ask", body)).status_code < 500
    assert (await owner.get(f"/api/v2/chat-sessions?projectId={project}")).json()["total"] == 0


async def test_no_ticket_without_ai_tokens(database_url: str, tmp_path: Path) -> None:
    settings = {"LOREMARK_PLANS_FILE": plan_with(tmp_path, 0)}
    async with run_service(settings_for(tmp_path, database_url, **settings)) as service:
        owner = await service.owner()
        project = await owner.create_project()
        refused = await owner.post("/api/v2/ask", {"projectId": project, "question": QUESTION})
        assert (refused.status_code, refused.json()) == (403, {"error": "AI token limit reached"})
        assert (await owner.get(f"/api/v2/chat-sessions?projectId={project}")).json()["total"] == 0


@pytest.mark.own_service
async def test_secret_is_generated_once_and_readable_only_by_its_owner(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "keys" / "worker.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(base64.b64decode(path.read_text())) == 32
    owner = await service.owner()
    ticket = (await ticket_for(owner, await owner.create_project()))["ticket"]
    assert path.read_text().strip() not in ticket
    assert not _is_refused(_tickets(path.read_text().strip()), ticket)
