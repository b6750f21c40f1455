"""One attempt to get an answer: how it is asked for, what has arrived of it, and why it failed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Literal, Protocol

from loremark.base import clock
from loremark.ports.llm.model import Prompt, Reason, Usage
from loremark.ports.llm.tokens import count

ANSWER_BYTES = 1_000_000
WORDS_CHARACTERS = 300
_NAME_CHARACTERS = 200

Finish = Literal["", "done", "length", "refused"]
Form = Literal["schema", "object", "plain"]


class AttemptFailed(Exception):
    """Why an attempt gave no answer, whether another may, and whether it was free of charge."""

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
class Manner:
    """How a server wants to be asked: found out by its refusals, and kept for the next call."""

    form: Form = "schema"
    without: frozenset[str] = frozenset()

    def without_one_of(self, names: tuple[str, ...], words: str) -> Manner | None:
        """The manner that leaves out what the server complains of, if it is something we can do without."""
        for name in names:
            if name in words and name not in self.without:
                return replace(self, without=self.without | {name})
        return None


class Answer:
    """What has arrived so far. Its size is bounded, whatever was agreed about tokens."""

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
    def model(self, told: str) -> None:
        self._model = told[:_NAME_CHARACTERS]

    def usage(self, sent_tokens: int) -> Usage:
        """What it has cost by now: as the server says, and where it says nothing, by our own count."""
        return Usage(
            prompt_tokens=max(self.prompt_tokens or 0, 0) or sent_tokens,
            completion_tokens=max(self.completion_tokens or 0, 0) or count(self.text),
        )


class Provider(Protocol):
    """A kind of server. It makes single attempts and judges nothing."""

    name: str
    model: str
    manner: Manner

    def sent(self, prompt: Prompt, manner: Manner) -> str:
        """All the text an attempt sends, for counting."""
        ...

    def pieces(self, prompt: Prompt, manner: Manner, answer: Answer, *, streamed: bool) -> AsyncGenerator[str, None]:
        """The text as it comes, also put into ``answer``; raises ``AttemptFailed``. Unstreamed it is one piece."""
        ...

    def other(self, prompt: Prompt, manner: Manner, failed: AttemptFailed) -> Manner | None:
        """Another manner of asking, worth trying after this refusal."""
        ...

    async def close(self) -> None: ...


def from_status(status: int, headers: Mapping[str, str], words: str) -> AttemptFailed:
    """The server has answered with an error instead of working: that costs nothing."""
    if status in (401, 403):
        text = f"the model server does not accept the key ({status})"  # some servers repeat it in their words
    else:
        text = f"the model server answered {status}" + (f": {words}" if words else "")
    reason: Reason = "refused"
    if status in (429, 503, 529):
        reason = "overloaded"
    elif status >= 500 or status in (408, 409):
        reason = "unavailable"
    return AttemptFailed(
        reason, text, status=status, again=reason != "refused", free=True, wait_s=_asked_wait_s(headers)
    )


def from_stream_error(body: object, words: str) -> AttemptFailed:
    """The server has begun to answer, and then sent an error."""
    crowded = any(name in str(body)[:1_000] for name in ("overloaded", "rate_limit"))
    return AttemptFailed(
        "overloaded" if crowded else "broken", f"the model server broke off: {words or 'no reason given'}", again=True
    )


def words_of(body: object, key: str | None) -> str:
    """What a server says about its refusal, on one line, short, and without our key."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    text = " ".join(str(body or "").split())
    return (text.replace(key, "…") if key else text)[:WORDS_CHARACTERS]


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
