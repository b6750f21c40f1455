"""One attempt at a model call: its request style, partial answer and error."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Literal, Protocol

from loremark.base import clock, ids
from loremark.ports.llm.model import Prompt, Reason, ServerAddress, Usage
from loremark.ports.llm.tokens import count

ATTEMPTS = 3
LONGEST_ASKED_WAIT_S = 20.0
_FIRST_WAIT_S = 0.5
ANSWER_BYTES = 1_000_000
WORDS_CHARACTERS = 300
_NAME_CHARACTERS = 200

Finish = Literal["", "done", "length", "refused"]
Form = Literal["schema", "object", "plain"]


class AttemptFailed(Exception):
    """Why an attempt failed, whether to retry (``again``), and whether it cost nothing (``free``)."""

    def __init__(
        self,
        reason: Reason,
        text: str,
        *,
        status: int = 0,
        again: bool = False,
        free: bool = False,
        wait_s: float | None = None,
    ) -> None:
        super().__init__(text)
        self.reason: Reason = reason
        self.status = status
        self.again = again
        self.free = free
        self.wait_s = wait_s


@dataclass(frozen=True)
class RequestStyle:
    """The request options a server accepts, learned from its errors and kept for later calls."""

    form: Form = "schema"
    without: frozenset[str] = frozenset()

    def omit_rejected(self, names: tuple[str, ...], words: str) -> RequestStyle | None:
        """Return a style without the option named in the error, or None if it is not optional."""
        for name in names:
            if name in words and name not in self.without:
                return replace(self, without=self.without | {name})
        return None


class Answer:
    """The text received so far, limited in size regardless of max_tokens."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._bytes = 0
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.finish: Finish = ""
        self._model = ""

    def add(self, piece: str) -> str:
        self._bytes += len(piece.encode("utf-8", "replace"))
        if self._bytes > ANSWER_BYTES:
            raise AttemptFailed("malformed", f"the model's answer is larger than {ANSWER_BYTES} bytes")
        self._pieces.append(piece)
        return piece

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def model(self) -> str:
        return self._model

    @model.setter
    def model(self, name: str) -> None:
        self._model = name[:_NAME_CHARACTERS]

    def usage(self, sent_tokens: int) -> Usage:
        """Return the usage reported by the server, or our own count."""
        return Usage(
            prompt_tokens=max(self.prompt_tokens or 0, 0) or sent_tokens,
            completion_tokens=max(self.completion_tokens or 0, 0) or count(self.text),
        )


class Provider(Protocol):
    """A model API. Makes single attempts, without retries."""

    name: str
    model: str
    style: RequestStyle
    address: ServerAddress

    def sent(self, prompt: Prompt, style: RequestStyle) -> str:
        """Return all text an attempt sends, for counting tokens."""
        ...

    def pieces(
        self, prompt: Prompt, style: RequestStyle, answer: Answer, *, streamed: bool
    ) -> AsyncGenerator[str, None]:
        """Yield text as it arrives and add it to ``answer``."""
        ...

    def fallback_style(self, prompt: Prompt, style: RequestStyle, failed: AttemptFailed) -> RequestStyle | None:
        """Return another style to try after this error, or None."""
        ...

    async def close(self) -> None: ...


def from_status(status: int, headers: Mapping[str, str], words: str, has_key: bool) -> AttemptFailed:
    """Return the failure for an HTTP error status, which costs nothing."""
    if status in (401, 403):  # without the server's words, because some servers repeat the key
        text = f"the model server {'rejected the' if has_key else 'requires an'} API key ({status})"
    elif status == 404 and "model" in words.lower():
        text = f"the model server does not know this model ({status}): {words}"
    elif status < 400 or status in (404, 405):
        text = f"the model server has no such API at this address ({status}); check its URL"
    else:
        text = f"the model server responded with status {status}" + (f": {words}" if words else "")
    reason: Reason = "refused"
    if status in (429, 503, 529):
        reason = "overloaded"
    elif status >= 500 or status in (408, 409):
        reason = "unavailable"
    return AttemptFailed(
        reason, text, status=status, again=reason != "refused", free=True, wait_s=_asked_wait_s(headers)
    )


def from_stream_error(body: object, words: str) -> AttemptFailed:
    """Return the failure for an error sent with a successful status."""
    crowded = any(name in str(body)[:1_000] for name in ("overloaded", "rate_limit"))
    return AttemptFailed(
        "overloaded" if crowded else "broken",
        f"the model server reported an error: {words or 'no reason given'}",
        again=True,
    )


def error_message(body: object, key: str) -> str:
    """Return the server's error message on one line, truncated and without our key; empty for a web page."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    text = " ".join(str(body or "").split())
    text = "" if text.startswith("<") else text
    return (text.replace(key, "…") if key else text)[:WORDS_CHARACTERS]


def retry_delay_s(failed: AttemptFailed, failures: int) -> float | None:
    """Return the delay before the next attempt, or None to give up."""
    if not failed.again or failures == ATTEMPTS:
        return None
    if failed.wait_s is not None:
        return failed.wait_s if failed.wait_s <= LONGEST_ASKED_WAIT_S else None
    return ids.fraction() * _FIRST_WAIT_S * 2.0**failures


def _asked_wait_s(headers: Mapping[str, str]) -> float | None:
    asked = headers.get("retry-after", "")
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - clock.now_ms() / 1000)
    except ValueError:
        return None
