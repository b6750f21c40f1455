"""Sending what waits: signed at that moment, taken out once the server has it, kept while it is away."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from loremark.base import clock, profile, signing
from loremark.base.profile import Profile
from loremark.hook import outbox, sessions, web
from loremark.hook.outbox import Batch
from loremark.hook.web import Answer, Unreachable

SECONDS = 15.0
_KEPT_MS = 30 * clock.DAY_MS
_MOST_WAIT = 120.0
# What may be different another time; every other refusal is for good.
_LATER = frozenset((401, 402, 403, 407, 408, 425, 429))


class Outcome(NamedTuple):
    """How many were taken, whether what is left may work soon, after how many seconds, and what went wrong last."""

    sent: int
    projects: tuple[tuple[str, str], ...]
    again: bool
    wait: float
    error: str


def send_all() -> Outcome:
    """Send what waits, the oldest first; a project that is refused for now is left alone, a server that is away too."""
    sent, error, again, wait = 0, "", False, 0.0
    stopped: set[str] = set()
    projects: dict[tuple[str, str], None] = {}
    for name in outbox.list_names():
        batch = outbox.read(name)
        if batch is None:
            outbox.refuse(name, "no batch that can be read")
            continue
        if batch.url in stopped or f"{batch.url} {batch.project}" in stopped:
            continue
        answer, problem = _send(batch)
        if answer is not None and 200 <= answer.status < 300:
            _taken(batch, answer)
            sent += 1
            projects[batch.url, batch.project] = None
            continue
        error = problem or _told(answer)
        if answer is not None and 400 <= answer.status < 500 and answer.status not in _LATER:
            outbox.refuse(name, f"{answer.status} {error}")
        elif clock.now_ms() - _time_of(name) > _KEPT_MS:
            outbox.refuse(name, f"kept for 30 days: {error}")
        elif answer is None or answer.status in (408, 425, 429) or answer.status >= 500:
            again = again or not problem.startswith("not signed in")
            wait = max(wait, _retry_after(answer))
            stopped.add(batch.url)
        else:
            stopped.add(f"{batch.url} {batch.project}")
    return Outcome(sent, tuple(projects), again, wait, error)


def _send(batch: Batch) -> tuple[Answer | None, str]:
    person = profile.load()
    if person is None or person.url != batch.url:
        return None, f"not signed in to {batch.url}"
    body = json.dumps({"event": batch.event, "payload": batch.payload}, separators=(",", ":")).encode()
    try:
        secret = person.secrets.get(batch.project) or _fetch_secret(person, batch.project)
        if not secret:
            return _tell(person, batch), ""
        answer = _post(person.url, batch.project, secret, body)
        if answer.status == 401 and (other := _fetch_secret(person, batch.project)) and other != secret:
            answer = _post(person.url, batch.project, other, body)  # the secret was changed on the server
        return answer, ""
    except Unreachable as error:
        return None, str(error)


def _post(url: str, project: str, secret: str, body: bytes) -> Answer:
    timestamp = str(clock.now_ms() // 1_000)
    headers = {
        "Content-Type": "application/json",
        "X-Service-Project": project,
        "X-Service-Timestamp": timestamp,
        "X-Service-Signature": signing.sign_request(secret, timestamp, body),
    }
    return web.ask(url, "POST", "/api/v2/ingest", headers, body, seconds=SECONDS)


def _tell(person: Profile, batch: Batch) -> Answer:
    """As one who may write to the project and does not see its secret: members of a team capture too."""
    told = {"projectId": batch.project, "event": batch.event, "payload": batch.payload}
    headers = {"Content-Type": "application/json", **_bearer(person.key)}
    return web.ask(person.url, "POST", "/api/v2/events", headers, json.dumps(told).encode(), seconds=SECONDS)


def _fetch_secret(person: Profile, project: str) -> str:
    """The project's secret by the person's key, kept for the next time; empty where the server does not give it."""
    path = f"/api/projects/{project}/hmac-secret"
    answer = web.ask(person.url, "GET", path, _bearer(person.key), seconds=SECONDS)
    found = _object(answer.body).get("secret")
    if answer.status >= 500 or answer.status == 429:
        raise Unreachable(f"{answer.status} {_told(answer)}")
    if answer.status != 200 or not isinstance(found, str) or not found:
        return ""
    try:
        profile.keep_secret(person.url, project, found)
    except OSError:
        return found  # it works without being kept
    return found


def enrich(key: str) -> bool:
    """Ask the server to make memory of a session; whether that is done with, one way or the other."""
    state = sessions.read(key)
    session, person = state.get("session_id"), profile.load()
    if not isinstance(session, str) or person is None or state.get("url") != person.url:
        return True
    try:
        answer = web.ask(person.url, "POST", f"/api/v2/sessions/{session}/enrich", _bearer(person.key), seconds=SECONDS)
    except Unreachable:
        return False
    if answer.status == 429 or answer.status >= 500:
        return False
    sessions.write(key, {**state, "pending": False, "ended": False})
    return True


def _taken(batch: Batch, answer: Answer) -> None:
    """Note where it went before it is let go: a session's end needs to know."""
    session = _object(answer.body).get("sessionId")
    if isinstance(session, str) and session.replace("_", "").isalnum() and len(session) <= 64:
        state = sessions.read(batch.session)
        sessions.write(batch.session, {**state, "session_id": session, "url": batch.url, "pending": True})
    outbox.remove(batch.name)


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _told(answer: Answer | None) -> str:
    """What the server says, as one short line that a terminal can show."""
    said = _object(answer.body).get("error") if answer is not None else None
    return "".join(letter for letter in str(said or "no reason given")[:200] if letter.isprintable())


def _retry_after(answer: Answer | None) -> float:
    told = answer.headers.get("retry-after", "") if answer is not None else ""
    return min(float(told), _MOST_WAIT) if told.isdecimal() and len(told) < 8 else 0.0


def _time_of(name: str) -> int:
    return int(name[:13]) if name[:13].isdecimal() else clock.now_ms()
