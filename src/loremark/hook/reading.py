"""Lets the person's coding agent read finished sessions, in a background process of its own.

The server hands out the prompt and verifies the answer. An answer is saved on disk before it is sent, so that a killed
process neither loses it nor asks for it twice. Whatever fails, the session is enriched without it.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from loremark.base import clock, profile
from loremark.base.profile import Profile
from loremark.hook import delivery, files, headless, http_client, outbox, reading_settings, sessions, spool
from loremark.hook.http_client import Unreachable
from loremark.hook.reading_settings import ReadingSettings

_ANSWER_S = 180.0
_ANSWER_BYTES = 2 << 20
_RESPONSE_BYTES = 4 << 20
_MAX_ATTEMPTS = 2
_MAX_PARTS = 20
_HTTP_S = 60.0
_ANSWER_CHARS = 400_000


class Result(NamedTuple):
    """What came of a session: ``read``, ``nothing``, ``failed`` or ``later``, why, and the use of the day."""

    status: str
    reason: str = ""
    calls_today: int = 0
    tokens_today: int = 0
    job_id: str = ""


def choose_agent(settings: ReadingSettings, session_agent: str) -> str:
    """Return the agent to ask, or an empty string if none of those that come into question is installed."""
    wanted = (settings.agent,) if settings.agent else (session_agent, *sorted(headless.SUPPORTED))
    return next((one for one in wanted if one in headless.SUPPORTED and headless.installed(one)), "")


def read_due_sessions() -> None:
    """Read all sessions that are over, one after the other."""
    settings, saved_profile = reading_settings.load(), profile.load()
    if saved_profile is None or not saved_profile.enrich:
        return
    remove_old_answers()
    waiting = {batch.session for name in outbox.list_names() if (batch := outbox.read(name)) is not None}
    for key in sessions.list_due():
        if key not in waiting and not _read_one(key, saved_profile, settings):
            delivery.enrich(key)


def _read_one(key: str, saved_profile: Profile, settings: ReadingSettings) -> bool:
    """Have a session read. Return False if it should be enriched without that."""
    state = sessions.read(key)
    session_id = state.get("session_id")
    if not settings.enabled or not isinstance(session_id, str) or state.get("url") != saved_profile.url:
        return False
    agent = choose_agent(settings, str(state.get("agent", "")))
    if not agent or reading_settings.has_just_failed(agent):
        return False
    attempts = _number(state.get("read_attempts"))
    sessions.write(key, {**state, "read_attempts": attempts + 1})
    api_key = saved_profile.agent_key(sessions.project_of(state))
    result = _Reading(saved_profile.url, api_key, settings, agent, session_id).run(give_up=attempts >= _MAX_ATTEMPTS)
    if result.status in ("read", "failed"):
        error = result.reason if result.status == "failed" else ""
        reading_settings.save_outcome(agent, error, result.calls_today, result.tokens_today)
    if result.status == "read":
        now = sessions.read(key)
        has_more = now.get("seen") != state.get("seen")  # the session went on meanwhile
        sessions.write(key, {**now, "read_attempts": 0, "pending": has_more, "ended": has_more and now.get("ended")})
    return result.status in ("read", "later")


def read_session(session_id: str, agent: str, *, again: bool) -> Result:
    """Read one session in the foreground, for ``loremark enrich --with``."""
    saved_profile = profile.load()
    if saved_profile is None:
        return Result("failed", "not signed in")
    settings = reading_settings.load()
    return _Reading(saved_profile.url, saved_profile.key, settings, agent, session_id, again=again).run(give_up=False)


class _Reading:
    """The reading of one session by one agent."""

    def __init__(
        self, url: str, api_key: str, settings: ReadingSettings, agent: str, session_id: str, *, again: bool = False
    ) -> None:
        self._url = url
        self._api_key = api_key
        self._settings = settings
        self._agent = agent
        self._session = session_id
        self._again = again

    def run(self, *, give_up: bool) -> Result:
        """Ask the agent part by part. ``give_up``: it did not survive the attempts so far."""
        try:
            state = self._start()
            for _ in range(_MAX_PARTS):
                part = state.get("next")
                if state.get("status") != "open" or not isinstance(part, dict):
                    break
                answer = (
                    {"error": f"{headless.title(self._agent)} did not finish"} if give_up else self._answer(state, part)
                )
                state = self._send(str(state["id"]), {"part": part["part"], **answer})
        except Unreachable as error:
            return Result("later", str(error))
        except _Refused as refused:
            return Result("later" if refused.is_temporary else "nothing", str(refused))
        used = (_number(state.get("callsToday")), _number(state.get("tokensToday")), str(state.get("jobId", "")))
        status = {"answered": "read", "applied": "read", "failed": "failed"}.get(str(state.get("status")), "nothing")
        reason = str(state.get("reason", ""))[:200]
        if status == "nothing" and (
            used[0] >= self._settings.calls_per_day or used[1] >= self._settings.tokens_per_day
        ):
            reason = "daily limit reached; raise it with: loremark reading --sessions N --tokens N"
        return Result(status, reason, *used)

    def _start(self) -> dict[str, Any]:
        return self._post(
            f"/api/v2/sessions/{self._session}/readings",
            {
                "agent": self._agent,
                "again": self._again,
                "callsPerDay": self._settings.calls_per_day,
                "tokensPerDay": self._settings.tokens_per_day,
            },
        )

    def _answer(self, state: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
        """Return the agent's answer, which may have been given before the process was killed."""
        path = _answer_path(str(state["id"]), _number(part.get("part")))
        kept = _read_answer(path)
        if kept is None:
            kept = self._ask(part)
            files.ensure_private_folder(os.path.dirname(path))
            files.write_atomic(path, json.dumps(kept).encode())
        return kept

    def _ask(self, part: dict[str, Any]) -> dict[str, Any]:
        schema = json.dumps(part.get("answerSchema"), separators=(",", ":"))
        prompt = f"{part.get('system', '')}\n\nThe JSON schema of the answer:\n{schema}\n\n{part.get('user', '')}"
        model = self._settings.model or headless.default_model(self._agent)
        try:
            answer = headless.ask(self._agent, prompt, model=model, seconds=_ANSWER_S)
        except headless.HeadlessFailed as failure:
            return {"error": str(failure)[:500] or "no answer"}
        return {
            "text": answer.text[:_ANSWER_CHARS].replace("\0", " "),
            "model": (answer.model or model)[:200],
            "promptTokens": answer.prompt_tokens,
            "completionTokens": answer.completion_tokens,
        }

    def _send(self, reading_id: str, answer: dict[str, Any]) -> dict[str, Any]:
        state = self._post(f"/api/v2/readings/{reading_id}/answers", answer)
        files.remove(_answer_path(reading_id, _number(answer["part"])))
        return state

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._api_key}"}
        response = http_client.request(
            self._url,
            "POST",
            path,
            headers,
            json.dumps(body).encode("utf-8", "replace"),
            seconds=_HTTP_S,
            max_bytes=_RESPONSE_BYTES,
        )
        if response.status != 200:
            raise _Refused(response.status, delivery.error_text(response))
        try:
            state = json.loads(response.body)
        except (ValueError, RecursionError):
            raise _Refused(502, "unexpected response") from None
        if not isinstance(state, dict):
            raise _Refused(502, "unexpected response")
        return state


class _Refused(Exception):
    """The server refused; ``is_temporary`` if it is worth trying again."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"the server responded with status {status}: {text}")
        self.is_temporary = status in (401, 408, 409, 425, 429) or status >= 500


def _answer_path(reading_id: str, part: int) -> str:
    name = "".join(letter for letter in reading_id if letter.isalnum() or letter == "_")[:64]
    return os.path.join(spool.folder(), "answers", f"{name}.{part}.json")


def _read_answer(path: str) -> dict[str, Any] | None:
    data = files.read_bounded(path, _ANSWER_BYTES)
    try:
        kept = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
    return kept if isinstance(kept, dict) else None


def remove_old_answers() -> None:
    """Remove answers that were never sent, because their session or server is gone."""
    folder = os.path.join(spool.folder(), "answers")
    for name in files.list_names(folder):
        path = os.path.join(folder, name)
        try:
            is_old = clock.now_ms() - os.stat(path).st_mtime_ns // 1_000_000 > 14 * clock.DAY_MS
        except OSError:
            continue
        if is_old:
            files.remove(path)


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
