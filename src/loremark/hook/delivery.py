"""Send batches from the outbox. Requests are signed when sent; a batch is deleted once the server accepts it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from loremark.base import clock, profile, signing
from loremark.base.profile import Profile
from loremark.hook import http_client, outbox, sessions
from loremark.hook.http_client import Response, Unreachable
from loremark.hook.outbox import Batch

TIMEOUT_S = 15.0
_MAX_AGE_MS = 30 * clock.DAY_MS
_MAX_WAIT_S = 120.0
# Client errors worth retrying; all others are permanent.
_RETRYABLE = frozenset((401, 402, 403, 407, 408, 425, 429))


class Outcome(NamedTuple):
    """What was sent, whether and when to retry, and the last error."""

    sent: int
    projects: tuple[tuple[str, str], ...]
    should_retry: bool
    wait_s: float
    error: str


def send_all() -> Outcome:
    """Send all batches, oldest first. Skips projects and servers that failed with a temporary error."""
    sent, error, should_retry, wait_s = 0, "", False, 0.0
    paused: set[str] = set()
    projects: dict[tuple[str, str], None] = {}
    for name in outbox.list_names():
        batch = outbox.read(name)
        if batch is None:
            outbox.reject(name, "unreadable batch")
            continue
        if batch.url in paused or f"{batch.url} {batch.project}" in paused:
            continue
        response, problem = _send(batch)
        if response is not None and 200 <= response.status < 300:
            _mark_sent(batch, response)
            sent += 1
            projects[batch.url, batch.project] = None
            continue
        error = problem or error_text(response)
        if response is not None and 400 <= response.status < 500 and response.status not in _RETRYABLE:
            outbox.reject(name, f"{response.status} {error}")
        elif clock.now_ms() - _time_of(name) > _MAX_AGE_MS:
            outbox.reject(name, f"gave up after 30 days: {error}")
        elif response is None or response.status in (408, 425, 429) or response.status >= 500:
            should_retry = should_retry or not problem.startswith("not signed in")
            wait_s = max(wait_s, _retry_after(response))
            paused.add(batch.url)
        else:
            paused.add(f"{batch.url} {batch.project}")
    return Outcome(sent, tuple(projects), should_retry, wait_s, error)


def _send(batch: Batch) -> tuple[Response | None, str]:
    saved_profile = profile.load()
    if saved_profile is None or saved_profile.url != batch.url:
        return None, f"not signed in to {batch.url}"
    body = json.dumps({"event": batch.event, "payload": batch.payload}, separators=(",", ":")).encode()
    try:
        secret = saved_profile.secrets.get(batch.project, "")
        if not secret and batch.project not in saved_profile.agent_keys:
            secret = _fetch_secret(saved_profile, batch.project)
        if not secret:
            return _post_with_key(saved_profile, batch), ""
        response = _post_signed(saved_profile.url, batch.project, secret, body)
        if response.status == 401 and (other := _fetch_secret(saved_profile, batch.project)) and other != secret:
            response = _post_signed(saved_profile.url, batch.project, other, body)  # the secret was rotated
        return response, ""
    except Unreachable as error:
        return None, str(error)


def _post_signed(url: str, project: str, secret: str, body: bytes) -> Response:
    timestamp = str(clock.now_ms() // 1_000)
    headers = {
        "Content-Type": "application/json",
        "X-Service-Project": project,
        "X-Service-Timestamp": timestamp,
        "X-Service-Signature": signing.sign_request(secret, timestamp, body),
    }
    return http_client.request(url, "POST", "/api/v2/ingest", headers, body, seconds=TIMEOUT_S)


def _post_with_key(saved_profile: Profile, batch: Batch) -> Response:
    """Send with the API key, for those who can write to the project but can't read its secret."""
    value = {"projectId": batch.project, "event": batch.event, "payload": batch.payload}
    headers = {"Content-Type": "application/json", **_bearer(saved_profile.agent_key(batch.project))}
    return http_client.request(
        saved_profile.url, "POST", "/api/v2/events", headers, json.dumps(value).encode(), seconds=TIMEOUT_S
    )


def _fetch_secret(saved_profile: Profile, project: str) -> str:
    """Fetch and cache the project's secret. Returns an empty string if the server refuses."""
    path = f"/api/projects/{project}/hmac-secret"
    response = http_client.request(saved_profile.url, "GET", path, _bearer(saved_profile.key), seconds=TIMEOUT_S)
    found = _parse_object(response.body).get("secret")
    if response.status >= 500 or response.status == 429:
        raise Unreachable(f"{response.status} {error_text(response)}")
    if response.status != 200 or not isinstance(found, str) or not found:
        return ""
    try:
        profile.save_secret(saved_profile.url, project, found)
    except OSError:
        return found  # usable even if it can't be cached
    return found


def enrich(key: str) -> bool:
    """Ask the server to enrich a session. Returns False if it should be retried later."""
    state = sessions.read(key)
    session, saved_profile = state.get("session_id"), profile.load()
    if not isinstance(session, str) or saved_profile is None or state.get("url") != saved_profile.url:
        return True
    try:
        response = http_client.request(
            saved_profile.url,
            "POST",
            f"/api/v2/sessions/{session}/enrich",
            _bearer(saved_profile.agent_key(sessions.project_of(state))),
            seconds=TIMEOUT_S,
        )
    except Unreachable:
        return False
    if response.status == 429 or response.status >= 500:
        return False
    sessions.write(key, {**state, "pending": False, "ended": False})
    return True


def _mark_sent(batch: Batch, response: Response) -> None:
    """Save the server's session ID, needed to enrich the session later, then delete the batch."""
    session = _parse_object(response.body).get("sessionId")
    if isinstance(session, str) and session.replace("_", "").isalnum() and len(session) <= 64:
        state = sessions.read(batch.session)
        sessions.write(
            batch.session, {**state, "session_id": session, "url": batch.url, "project": batch.project, "pending": True}
        )
    outbox.remove(batch.name)


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def error_text(response: Response | None) -> str:
    """Return the server's error message as one short, printable line."""
    message = _parse_object(response.body).get("error") if response is not None else None
    return "".join(letter for letter in str(message or "no reason given")[:200] if letter.isprintable())


def _retry_after(response: Response | None) -> float:
    value = response.headers.get("retry-after", "") if response is not None else ""
    return min(float(value), _MAX_WAIT_S) if value.isdecimal() and len(value) < 8 else 0.0


def _time_of(name: str) -> int:
    return int(name[:13]) if name[:13].isdecimal() else clock.now_ms()
