"""Model calls with token reservation, retries, a deadline and a circuit breaker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from loremark.base import clock
from loremark.base.redaction.redactor import redact
from loremark.ports.llm import metering
from loremark.ports.llm.attempt import Answer, AttemptFailed, Provider, RequestStyle, retry_delay_s
from loremark.ports.llm.breaker import Breaker
from loremark.ports.llm.model import Completion, Meter, ModelFailed, Prompt
from loremark.ports.llm.tokens import count

_FRAME_TOKENS = 32
"""Overhead added by servers: roles, separators, the schema name."""

_BAD_REQUEST = (400, 422)

Part = str | Completion


class RemoteModel:
    """A model behind a provider. Create one per model: it remembers the server's request style."""

    def __init__(
        self,
        provider: Provider,
        *,
        timeout_s: float = 60.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self.name = provider.name
        self.address = provider.address
        self._provider = provider
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._monotonic = monotonic
        self._breaker = Breaker(monotonic)

    async def complete(self, prompt: Prompt, meter: Meter) -> Completion:
        last: Part = ""
        async with aclosing(self._call(prompt, meter, streamed=False)) as parts:
            async for part in parts:
                last = part
        assert isinstance(last, Completion)
        return last

    async def stream(self, prompt: Prompt, meter: Meter) -> AsyncGenerator[Part, None]:
        async with aclosing(self._call(prompt, meter, streamed=True)) as parts:
            async for part in parts:
                yield part

    async def close(self) -> None:
        await self._provider.close()

    async def _call(self, prompt: Prompt, meter: Meter, *, streamed: bool) -> AsyncGenerator[Part, None]:
        """Make a call with retries. Any response, even an error, counts as a healthy server."""
        probe = self._breaker.admit()
        healthy: bool | None = None
        failure = ""
        try:
            sent = await asyncio.to_thread(_sendable, prompt)
            async with aclosing(self._attempts(sent, meter, streamed)) as parts:
                async for part in parts:
                    yield part
            healthy = True
        except AttemptFailed as failed:
            healthy, failure = failed.reason in ("refused", "malformed"), str(failed)
            raise ModelFailed(failed.reason, failure) from None
        finally:
            self._breaker.note(probe, healthy, failure)

    async def _attempts(self, prompt: Prompt, meter: Meter, streamed: bool) -> AsyncGenerator[Part, None]:
        """Retry until an attempt succeeds. After the first piece was yielded there are no retries."""
        deadline = self._monotonic() + self._timeout_s
        style = known = self._provider.style
        failures = 0
        while True:
            spoken = False
            try:
                async with aclosing(self._attempt(prompt, style, meter, deadline, streamed)) as parts:
                    async for part in parts:
                        spoken = True
                        yield part
            except AttemptFailed as failed:
                if spoken:
                    raise
                other = self._provider.fallback_style(prompt, style, failed) if failed.status in _BAD_REQUEST else None
                if other is not None:
                    style = other  # not a server failure, so it does not count as an attempt
                    continue
                failures += 1
                wait_s = retry_delay_s(failed, failures)
                if wait_s is None or self._monotonic() + wait_s >= deadline:
                    raise
            else:
                if style is not known:
                    self._provider.style = style
                return
            await self._sleep(wait_s)

    async def _attempt(
        self, prompt: Prompt, style: RequestStyle, meter: Meter, deadline: float, streamed: bool
    ) -> AsyncGenerator[Part, None]:
        """Make one attempt: reserve tokens before it and settle however it ends."""
        sent_tokens = await asyncio.to_thread(count, self._provider.sent(prompt, style)) + _FRAME_TOKENS
        reservation = await metering.reserve(meter, sent_tokens + prompt.max_tokens)
        answer = Answer()
        free = False
        try:
            async with aclosing(self._provider.pieces(prompt, style, answer, streamed=streamed)) as pieces:
                while (piece := await self._next(pieces, deadline)) is not None:
                    yield piece
            _check_answer(prompt, answer, streamed)
        except AttemptFailed as failed:
            free = failed.free
            raise
        finally:
            await metering.settle(meter, reservation, answer, sent_tokens, free=free)
        usage = await asyncio.to_thread(answer.usage, sent_tokens)
        yield Completion(answer.text, usage, answer.model or self._provider.model)

    async def _next(self, pieces: AsyncGenerator[str, None], deadline: float) -> str | None:
        """Return the next piece, or None at the end. Time the caller spends between pieces does not count."""
        try:
            async with asyncio.timeout(max(0.0, deadline - self._monotonic())):
                return await anext(pieces, None)
        except TimeoutError:
            raise AttemptFailed("timeout", f"the model did not answer within {self._timeout_s:g} s") from None


def _check_answer(prompt: Prompt, answer: Answer, streamed: bool) -> None:
    """Raise if the answer is refused, incomplete or empty. The caller validates the text."""
    if answer.finish == "refused":
        raise AttemptFailed("refused", "the model declined to answer")
    if streamed and not answer.finish:
        raise AttemptFailed("broken", "the model's answer was cut off", again=True)
    if prompt.schema is not None and answer.finish == "length":
        raise AttemptFailed("malformed", f"the model's answer exceeds {prompt.max_tokens} tokens")
    if not answer.text.strip() and answer.finish == "length":
        raise AttemptFailed("malformed", f"the model used all {prompt.max_tokens} tokens before it began to answer")
    if not answer.text.strip():
        raise AttemptFailed("malformed", "the model's answer is empty")


def _sendable(prompt: Prompt) -> Prompt:
    """Remove lone surrogates, which cannot be encoded, and secrets."""
    return replace(prompt, system=_valid(prompt.system), user=redact(_valid(prompt.user))[0])


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
