"""Calls to a model server: reserved, retried, bounded in time, and left alone when they keep failing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from loremark.base import clock, ids
from loremark.base.redaction.redacting import redact
from loremark.ports.llm import billing
from loremark.ports.llm.attempt import Answer, AttemptFailed, Manner, Provider
from loremark.ports.llm.breaker import Breaker
from loremark.ports.llm.model import Completion, Meter, ModelFailed, Prompt
from loremark.ports.llm.tokens import count

ATTEMPTS = 3
LONGEST_ASKED_WAIT_S = 20.0
_FIRST_WAIT_S = 0.5
_FRAME_TOKENS = 32
"""What servers put around the texts: roles, separators, the name of the schema."""

_BAD_REQUEST = (400, 422)

Part = str | Completion


class RemoteModel:
    """A model behind a provider. One object for a model: it remembers how the server wants to be asked."""

    def __init__(
        self,
        provider: Provider,
        *,
        timeout_s: float = 60.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self.name = provider.name
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
        """A whole call. What the server answers, even a refusal, shows that it is well."""
        probe = self._breaker.admit()
        healthy: bool | None = None
        try:
            sent = await asyncio.to_thread(_sendable, prompt)
            async with aclosing(self._attempts(sent, meter, streamed)) as parts:
                async for part in parts:
                    yield part
            healthy = True
        except AttemptFailed as failed:
            healthy = failed.reason in ("refused", "malformed")
            raise ModelFailed(failed.reason, str(failed)) from None
        finally:
            self._breaker.note(probe, healthy)

    async def _attempts(self, prompt: Prompt, meter: Meter, streamed: bool) -> AsyncGenerator[Part, None]:
        """Attempts until one succeeds. Once the caller has been given a piece there is no second beginning."""
        deadline = self._monotonic() + self._timeout_s
        manner = known = self._provider.manner
        failures = 0
        while True:
            spoken = False
            try:
                async with aclosing(self._attempt(prompt, manner, meter, deadline, streamed)) as parts:
                    async for part in parts:
                        spoken = True
                        yield part
            except AttemptFailed as failed:
                if spoken:
                    raise
                other = self._provider.other(prompt, manner, failed) if failed.status in _BAD_REQUEST else None
                if other is not None:
                    manner = other  # not a failure of the server: it does not count as an attempt
                    continue
                failures += 1
                wait_s = self._wait_s(failed, failures)
                if failures == ATTEMPTS or wait_s is None or self._monotonic() + wait_s >= deadline:
                    raise
            else:
                if manner is not known:
                    self._provider.manner = manner
                return
            await self._sleep(wait_s)

    def _wait_s(self, failed: AttemptFailed, failures: int) -> float | None:
        """How long to wait before the next attempt; None: no use in trying again."""
        if not failed.again:
            return None
        if failed.wait_s is not None:
            return failed.wait_s if failed.wait_s <= LONGEST_ASKED_WAIT_S else None
        return ids.fraction() * _FIRST_WAIT_S * 2.0**failures

    async def _attempt(
        self, prompt: Prompt, manner: Manner, meter: Meter, deadline: float, streamed: bool
    ) -> AsyncGenerator[Part, None]:
        """One attempt over the network: reserved before it, and settled however it ends."""
        sent_tokens = await asyncio.to_thread(count, self._provider.sent(prompt, manner)) + _FRAME_TOKENS
        reservation = await billing.reserve(meter, sent_tokens + prompt.max_tokens)
        answer = Answer()
        free = False
        try:
            async with aclosing(self._provider.pieces(prompt, manner, answer, streamed=streamed)) as pieces:
                while (piece := await self._next(pieces, deadline)) is not None:
                    yield piece
            _judge(prompt, answer, streamed)
        except AttemptFailed as failed:
            free = failed.free
            raise
        finally:
            await billing.settle(meter, reservation, answer, sent_tokens, free=free)
        usage = await asyncio.to_thread(answer.usage, sent_tokens)
        yield Completion(answer.text, usage, answer.model or self._provider.model)

    async def _next(self, pieces: AsyncGenerator[str, None], deadline: float) -> str | None:
        """The next piece, or None after the last. Time is only taken while we wait, never while the caller works."""
        try:
            async with asyncio.timeout(max(0.0, deadline - self._monotonic())):
                return await anext(pieces, None)
        except TimeoutError:
            raise AttemptFailed("timeout", f"the model did not answer within {self._timeout_s:g} s") from None


def _judge(prompt: Prompt, answer: Answer, streamed: bool) -> None:
    """Whether what arrived is an answer. What its text is worth, the caller judges."""
    if answer.finish == "refused":
        raise AttemptFailed("refused", "the model declined to answer")
    if streamed and not answer.finish:
        raise AttemptFailed("broken", "the model's answer broke off", again=True)
    if prompt.schema is not None and answer.finish == "length":
        raise AttemptFailed("malformed", f"the model's answer does not fit into {prompt.max_tokens} tokens")
    if not answer.text.strip():
        raise AttemptFailed("malformed", "the model's answer is empty")


def _sendable(prompt: Prompt) -> Prompt:
    """Without lone surrogates, which no encoder takes, and without secrets, wherever what is told came from."""
    return replace(prompt, system=_valid(prompt.system), user=redact(_valid(prompt.user))[0])


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
