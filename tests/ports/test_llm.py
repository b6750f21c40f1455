"""The model port over real HTTP with a scripted server: both APIs, failures, and usage accounting."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from typing import cast

import pytest

from loremark.ports.llm.anthropic_messages import AnthropicMessages
from loremark.ports.llm.breaker import FAILURES, OPEN_S
from loremark.ports.llm.model import CapReached, Completion, ModelFailed, Prompt, ServerAddress, Usage
from loremark.ports.llm.openai_chat import OpenAiChat
from loremark.ports.llm.providers import open_model
from loremark.ports.llm.remote_model import RemoteModel
from loremark.ports.llm.tokens import count
from tests.servers.https import Authority
from tests.servers.process import free_port
from tests.servers.scripted_model import MODEL, Chunks, Drop, Hang, Raw, Refuse, Reply, Request, Say, ScriptedModel

pytestmark = pytest.mark.anyio

KEY = "sk-very-secret-key-0123456789"
PLAIN = Prompt(system="You are brief.", user="How is it?", max_tokens=50)
SCHEMA = {"type": "object", "properties": {"mood": {"type": "string"}}, "required": ["mood"]}
JSON = replace(PLAIN, schema=SCHEMA, schema_name="mood")
TEXT = "all is well, thank you"


class Ledger:
    """A meter that tracks open reservations, with a cap on their number."""

    def __init__(self, cap: int = 1_000) -> None:
        self._cap = cap
        self.reserved: list[int] = []
        self.open: set[str] = set()
        self.usages: list[Usage] = []
        self.released = 0
        self.slow = asyncio.Event()
        self.slow.set()

    async def reserve(self, tokens: int) -> str:
        await self.slow.wait()
        if len(self.reserved) >= self._cap:
            raise CapReached
        self.reserved.append(tokens)
        name = f"r{len(self.reserved)}"
        self.open.add(name)
        return name

    async def spent(self, reservation: str, usage: Usage) -> None:
        await asyncio.sleep(0.01)  # like a database: a settlement that is not awaited is lost
        self.open.remove(reservation)
        self.usages.append(usage)

    async def release(self, reservation: str) -> None:
        await asyncio.sleep(0.01)
        self.open.remove(reservation)
        self.released += 1

    def all_settled(self) -> bool:
        return not self.open and len(self.usages) + self.released == len(self.reserved)


class FakeClock:
    """A clock that the backoff advances instead of waiting."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(params=["openai", "anthropic"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def meter() -> Iterator[Ledger]:
    ledger = Ledger()
    yield ledger
    assert ledger.all_settled()


Open = Callable[..., RemoteModel]


@pytest.fixture
async def opened(server: ScriptedModel, clock: FakeClock) -> AsyncIterator[Open]:
    models: list[RemoteModel] = []

    def open_one(kind: str, *, base_url: str | None = None, timeout_s: float = 30.0) -> RemoteModel:
        provider = OpenAiChat if kind == "openai" else AnthropicMessages
        address = base_url or server.base_url(kind)
        models.append(
            RemoteModel(
                provider("m", base_url=address, api_key=KEY),
                timeout_s=timeout_s,
                sleep=clock.sleep,
                monotonic=clock.monotonic,
            )
        )
        return models[-1]

    yield open_one
    for model in models:
        await model.close()


@pytest.fixture
def model(opened: Open, kind: str) -> RemoteModel:
    return opened(kind)


async def ask(model: RemoteModel, prompt: Prompt, meter: Ledger, streamed: bool) -> tuple[list[str], Completion]:
    if not streamed:
        return [], await model.complete(prompt, meter)
    *pieces, last = [part async for part in model.stream(prompt, meter)]
    assert isinstance(last, Completion)
    return cast(list[str], pieces), last


@pytest.mark.parametrize("streamed", [False, True])
async def test_plain_answer(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, kind: str, streamed: bool
) -> None:
    server.answer(Say(TEXT))
    pieces, completion = await ask(model, PLAIN, meter, streamed)
    assert completion == Completion(TEXT, Usage(11, 7), MODEL)
    assert meter.usages == [Usage(11, 7)]
    assert meter.reserved[0] >= count(PLAIN.system) + count(PLAIN.user) + PLAIN.max_tokens
    if streamed:
        assert len(pieces) > 3
        assert "".join(pieces) == TEXT
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.json["max_tokens"] == PLAIN.max_tokens
    assert ("temperature" in request.json) == (kind == "openai")  # Anthropic rejects it
    assert model.name == f"{kind}:m"


@pytest.mark.parametrize("streamed", [False, True])
async def test_secrets_are_not_sent_to_a_model(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, streamed: bool
) -> None:
    """Including secrets that someone wrote into an item by hand, which nothing has redacted before."""
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    server.answer(Say(TEXT))
    await ask(model, replace(PLAIN, user=f"The deploy key is {token}, kept by ops."), meter, streamed)
    (request,) = server.requests
    assert token not in json.dumps(request.json)
    assert "kept by ops" in json.dumps(request.json)


@pytest.mark.parametrize("streamed", [False, True])
async def test_answer_with_a_schema(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, kind: str, streamed: bool
) -> None:
    server.answer(Say('{"mood": "good"}'))
    _, completion = await ask(model, JSON, meter, streamed)
    assert json.loads(completion.text) == {"mood": "good"}
    body = server.requests[0].json
    if kind == "openai":
        expected = {"name": "mood", "schema": SCHEMA, "strict": True}
        assert body["response_format"] == {"type": "json_schema", "json_schema": expected}
    else:
        assert body["tools"][0]["input_schema"] == SCHEMA
        assert body["tool_choice"]["name"] == "mood"
        assert body["thinking"] == {"type": "disabled"}


async def test_malformed_json_is_returned_to_the_caller(server: ScriptedModel, opened: Open, meter: Ledger) -> None:
    server.answer(Say('{"mood": '))
    assert (await opened("openai").complete(JSON, meter)).text == '{"mood": '


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Say("", completion_tokens=0), "malformed"),
        (Say('{"mood": "x"}', finish="length"), "malformed"),
        (Say('{"mood": "x"}', finish="content_filter"), "refused"),
    ],
)
async def test_unusable_answers_fail(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, streamed: bool, reply: Say, reason: str
) -> None:
    server.answer(reply)
    prompt = JSON if reply.text else PLAIN
    with pytest.raises(ModelFailed) as failed:
        await ask(model, prompt, meter, streamed)
    assert failed.value.reason == reason
    assert len(meter.usages) == len(server.requests) == 1  # it is billed and not retried


@pytest.mark.parametrize("reply", [Raw(b"<html>", "text/html"), Raw(b"{"), Raw(b"[1]"), Raw(b'{"choices": 3}')])
async def test_unreadable_responses_are_malformed(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, kind: str, reply: Raw
) -> None:
    server.answer(reply)
    with pytest.raises(ModelFailed) as failed:
        await model.complete(PLAIN, meter)
    assert failed.value.reason == "malformed"


async def test_oversized_answer_is_refused(server: ScriptedModel, model: RemoteModel, meter: Ledger) -> None:
    server.answer(Say("long " * 210_000))
    with pytest.raises(ModelFailed, match="larger than") as failed:
        await model.complete(PLAIN, meter)
    assert failed.value.reason == "malformed"
    server.answer(Raw(b" " * 17_000_000))
    with pytest.raises(ModelFailed, match="larger than"):
        await model.complete(PLAIN, meter)


@pytest.mark.parametrize("streamed", [False, True])
async def test_retry_after_is_respected(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, clock: FakeClock, streamed: bool
) -> None:
    server.answer(Refuse(429, headers={"Retry-After": "7"}), Say(TEXT))
    _, completion = await ask(model, PLAIN, meter, streamed)
    assert completion.text == TEXT
    assert clock.waits == [7.0]
    assert (meter.released, len(meter.usages)) == (1, 1)


async def test_waiting_is_limited(server: ScriptedModel, model: RemoteModel, meter: Ledger, clock: FakeClock) -> None:
    server.answer(Refuse(429, headers={"Retry-After": "21"}))
    with pytest.raises(ModelFailed) as failed:
        await model.complete(PLAIN, meter)
    assert failed.value.reason == "overloaded"
    assert clock.waits == []
    server.always(Refuse(429))
    with pytest.raises(ModelFailed):
        await model.complete(PLAIN, meter)
    assert len(server.requests) == 1 + 3
    assert meter.usages == []


async def test_deadline_ends_the_attempts(server: ScriptedModel, opened: Open, kind: str, meter: Ledger) -> None:
    server.always(Refuse(429, headers={"Retry-After": "6"}))
    with pytest.raises(ModelFailed) as failed:
        await opened(kind, timeout_s=10.0).complete(PLAIN, meter)
    assert failed.value.reason == "overloaded"
    assert len(server.requests) == 2


@pytest.mark.parametrize("streamed", [False, True])
async def test_server_errors_are_retried(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, clock: FakeClock, streamed: bool
) -> None:
    server.answer(Refuse(500), Drop(), Say(TEXT))
    _, completion = await ask(model, PLAIN, meter, streamed)
    assert completion.text == TEXT
    assert len(clock.waits) == 2
    assert clock.waits[0] <= 1.0
    assert clock.waits[1] <= 2.0
    # The refused attempt is free. The dropped one may have been processed, so it is billed.
    assert (meter.released, len(meter.usages)) == (1, 2)
    server.always(Refuse(529))
    with pytest.raises(ModelFailed) as failed:
        await ask(model, PLAIN, meter, streamed)
    assert failed.value.reason == "overloaded"


@pytest.mark.parametrize("streamed", [False, True])
async def test_hanging_server_times_out(
    server: ScriptedModel, opened: Open, kind: str, meter: Ledger, streamed: bool
) -> None:
    server.answer(Hang())
    with pytest.raises(ModelFailed) as failed:
        await ask(opened(kind, timeout_s=0.3), PLAIN, meter, streamed)
    assert failed.value.reason == "timeout"
    assert len(server.requests) == 1
    assert meter.usages[0].completion_tokens == 0
    assert meter.usages[0].prompt_tokens > 0


async def test_unreachable_server_is_unavailable(opened: Open, kind: str, meter: Ledger) -> None:
    unreachable = opened(kind, base_url=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(ModelFailed) as failed:
        await unreachable.complete(PLAIN, meter)
    assert failed.value.reason == "unavailable"
    assert meter.released == 3


@pytest.mark.parametrize("reply", [Say(TEXT, cut_after=2), Say(TEXT, end_after=2)])
async def test_interrupted_stream_is_billed_and_not_retried(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, kind: str, reply: Say
) -> None:
    server.answer(reply)
    parts = model.stream(PLAIN, meter)
    received = [await anext(parts), await anext(parts)]
    with pytest.raises(ModelFailed) as failed:
        await anext(parts)
    assert failed.value.reason == "broken"
    assert received == [TEXT[:5], TEXT[5:10]]
    assert len(server.requests) == 1
    (usage,) = meter.usages
    assert usage.completion_tokens == count(TEXT[:10])
    assert usage.prompt_tokens == 11 if kind == "anthropic" else usage.prompt_tokens > 0


async def test_interrupted_answer_is_retried(server: ScriptedModel, model: RemoteModel, meter: Ledger) -> None:
    server.answer(Say(TEXT, cut_after=0), Say(TEXT))
    assert (await model.complete(PLAIN, meter)).text == TEXT
    server.answer(Say(TEXT, cut_after=0), Say(TEXT))
    assert (await ask(model, PLAIN, meter, True))[1].text == TEXT
    assert len(meter.usages) == 4


async def test_error_inside_a_stream_is_retried(server: ScriptedModel, model: RemoteModel, meter: Ledger) -> None:
    server.always(Refuse(200, "too many", "overloaded_error"))
    with pytest.raises(ModelFailed, match="too many") as failed:
        await ask(model, PLAIN, meter, True)
    assert failed.value.reason == "overloaded"
    assert len(server.requests) == 3


@pytest.mark.parametrize("streamed", [False, True])
async def test_missing_usage_is_estimated(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, streamed: bool
) -> None:
    server.answer(Say(TEXT, usage=False))
    _, completion = await ask(model, PLAIN, meter, streamed)
    assert completion.usage.completion_tokens == count(TEXT)
    assert completion.usage.prompt_tokens >= count(PLAIN.system) + count(PLAIN.user)
    assert meter.usages == [completion.usage]


@pytest.mark.parametrize("known", ["json_object", None])
async def test_server_without_schema_support(
    server: ScriptedModel, opened: Open, meter: Ledger, known: str | None
) -> None:
    def reply(request: Request) -> Reply:
        requested = (request.json.get("response_format") or {}).get("type")
        return Say("{}") if requested in (known, None) else Refuse(400, f"response_format {requested} is not supported")

    server.always(reply)
    model = opened("openai")
    await model.complete(JSON, meter)
    attempts = len(server.requests)
    assert attempts == (2 if known else 3)
    assert '"mood"' not in server.requests[0].text
    assert '"mood"' in server.requests[-1].text  # the schema is in the prompt instead
    await ask(model, JSON, meter, True)
    assert len(server.requests) == attempts + 1  # it is remembered
    assert meter.released == attempts - 1


async def test_unsupported_parameters_are_left_out(server: ScriptedModel, opened: Open, meter: Ledger) -> None:
    def reply(request: Request) -> Reply:
        for name in ("max_tokens", "temperature", "stream_options"):
            if name in request.json:
                return Refuse(400, f"Unsupported parameter: '{name}'")
        return Say('{"mood": "x"}')

    server.always(reply)
    model = opened("openai")
    await ask(model, JSON, meter, True)
    assert server.requests[-1].json["max_completion_tokens"] == JSON.max_tokens
    assert server.requests[-1].json["response_format"]["type"] == "json_schema"
    await model.complete(JSON, meter)
    assert len(server.requests) == 5


async def test_model_that_always_thinks(server: ScriptedModel, opened: Open, meter: Ledger) -> None:
    def reply(request: Request) -> Reply:
        if request.json.get("thinking") == {"type": "disabled"}:
            return Refuse(400, "thinking.type: disabled is not supported")
        if request.json["tool_choice"]["type"] == "tool":
            return Refuse(400, "tool_choice may not force tool use")
        return Say('{"mood": "x"}')

    server.always(reply)
    assert json.loads((await opened("anthropic").complete(JSON, meter)).text) == {"mood": "x"}


async def test_bad_request_does_not_disable_schemas(server: ScriptedModel, opened: Open, meter: Ledger) -> None:
    server.always(Refuse(400, "the prompt is too long"))
    model = opened("openai")
    with pytest.raises(ModelFailed, match="too long") as failed:
        await model.complete(JSON, meter)
    assert failed.value.reason == "refused"
    server.always(Say("{}"))
    await model.complete(JSON, meter)
    assert server.requests[-1].json["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("status", [307, 401, 404])
async def test_refusal_message_is_short_and_never_contains_the_key(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, status: int
) -> None:
    message = f"Incorrect API key provided: {KEY}. " + "words " * 400
    server.always(Refuse(status, message, headers={"Location": "/elsewhere"}))
    with pytest.raises(ModelFailed) as failed:
        await model.complete(PLAIN, meter)
    assert failed.value.reason == "refused"
    assert KEY not in str(failed.value)
    assert len(str(failed.value)) < 350
    assert failed.value.__cause__ is None
    assert len(server.requests) == meter.released == 1


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("cap", [0, 1])
async def test_cap_stops_calls_before_the_network(
    server: ScriptedModel, model: RemoteModel, streamed: bool, cap: int
) -> None:
    meter = Ledger(cap)
    server.always(Refuse(500))
    with pytest.raises(CapReached):
        await ask(model, PLAIN, meter, streamed)
    assert len(server.requests) == cap
    assert meter.all_settled()


async def test_breaker_opens_and_recovers(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, clock: FakeClock
) -> None:
    server.always(Refuse(500))
    for _ in range(FAILURES):
        with pytest.raises(ModelFailed):
            await model.complete(PLAIN, meter)
    request_count, reserved = len(server.requests), len(meter.reserved)
    with pytest.raises(ModelFailed, match="failed repeatedly") as failed:
        await model.complete(PLAIN, meter)
    assert failed.value.reason == "unavailable"
    assert (len(server.requests), len(meter.reserved)) == (request_count, reserved)

    clock.now += OPEN_S + 1
    with pytest.raises(ModelFailed, match="500"):
        await model.complete(PLAIN, meter)  # the probe
    with pytest.raises(ModelFailed, match="failed repeatedly"):
        await model.complete(PLAIN, meter)

    clock.now += OPEN_S + 1
    gate = threading.Event()
    server.always(Say(TEXT, gate=gate))
    probe = asyncio.create_task(model.complete(PLAIN, meter))
    await asyncio.to_thread(server.wait_for, request_count + 4)
    with pytest.raises(ModelFailed, match="failed repeatedly"):
        await model.complete(PLAIN, meter)  # one probe at a time
    gate.set()
    await probe
    await model.complete(PLAIN, meter)


async def test_abandoned_probe_allows_another(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, clock: FakeClock
) -> None:
    server.always(Refuse(500))
    for _ in range(FAILURES):
        with pytest.raises(ModelFailed):
            await model.complete(PLAIN, meter)
    clock.now += OPEN_S + 1
    with pytest.raises(CapReached):
        await model.complete(PLAIN, Ledger(0))
    server.always(Say(TEXT))
    assert (await model.complete(PLAIN, meter)).text == TEXT


async def test_refusals_do_not_open_the_breaker(server: ScriptedModel, model: RemoteModel, meter: Ledger) -> None:
    server.always(Refuse(404))
    for _ in range(FAILURES + 1):
        with pytest.raises(ModelFailed, match="404"):
            await model.complete(PLAIN, meter)


@pytest.mark.parametrize("streamed", [False, True])
async def test_cancelling_settles_the_reservation(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, streamed: bool
) -> None:
    server.answer(Hang())
    call = asyncio.create_task(ask(model, PLAIN, meter, streamed))
    await asyncio.to_thread(server.wait_for, 1)
    call.cancel()
    await asyncio.sleep(0)
    call.cancel()  # cancelling twice is harmless
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(meter.usages) == 1


async def test_cancelling_while_reserving_releases_the_reservation(
    server: ScriptedModel, model: RemoteModel, meter: Ledger
) -> None:
    meter.slow.clear()
    call = asyncio.create_task(model.complete(PLAIN, meter))
    await asyncio.sleep(0.3)
    call.cancel()
    await asyncio.sleep(0)
    meter.slow.set()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (meter.released, server.requests) == (1, [])


async def test_closed_stream_is_billed_for_what_was_received(
    server: ScriptedModel, model: RemoteModel, meter: Ledger
) -> None:
    gate = threading.Event()
    server.answer(Say(TEXT, gate=gate))
    gate.set()
    async with aclosing(model.stream(PLAIN, meter)) as parts:
        first = await anext(parts)
    assert first == TEXT[:5]
    assert meter.usages[0].completion_tokens == count(TEXT[:5])


def test_open_model() -> None:
    assert open_model("builtin") is None
    for wrong in ("", "openai", "openai:", "gemini:x", "OPENAI:x"):
        with pytest.raises(ValueError, match="a model must be builtin"):
            open_model(wrong)
    for wrong in ("127.0.0.1:9/v1", "ftp://host", "http://", "http://host:port"):
        with pytest.raises(ValueError, match="must start with http"):
            open_model("openai:x", base_url=wrong)
    with pytest.raises(ValueError, match="contains invalid characters") as failed:
        open_model("openai:x", api_key="sk-1\nsk-2")
    assert "sk-1" not in str(failed.value)
    opened = open_model("openai:x", base_url="http://me:secret@127.0.0.1:9/v1/")  # a self-hosted server
    assert opened is not None
    assert opened.address == ServerAddress("http://127.0.0.1:9/v1", has_key=False)


@pytest.mark.parametrize(
    ("kind", "url"), [("openai", "https://api.openai.com/v1"), ("anthropic", "https://api.anthropic.com")]
)
def test_provider_needs_a_key_from_our_settings(kind: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of other tools are never used: neither their keys nor their addresses."""
    for provider in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{provider}_API_KEY", KEY)
        monkeypatch.setenv(f"{provider}_AUTH_TOKEN", KEY)
        monkeypatch.setenv(f"{provider}_BASE_URL", "http://127.0.0.1:9")
    with pytest.raises(ValueError, match="need an API key: set LOREMARK_LLM_API_KEY"):
        open_model(f"{kind}:x")
    opened = open_model(f"{kind}:x", api_key=KEY)
    assert opened is not None
    assert opened.address == ServerAddress(url, has_key=True)


async def test_only_our_key_is_sent(
    server: ScriptedModel, kind: str, meter: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", KEY)
    for api_key in ("", " sk-from-our-settings\n"):
        opened = open_model(f"{kind}:m", base_url=server.base_url(kind), api_key=api_key)
        assert opened is not None
        await opened.complete(PLAIN, meter)
        await opened.close()
    first, second = (
        {name: value for name, value in request.headers.items() if name in ("authorization", "x-api-key")}
        for request in server.requests
    )
    assert first == {}
    assert second["authorization"] == "Bearer sk-from-our-settings"
    assert second.get("x-api-key") == ("sk-from-our-settings" if kind == "anthropic" else None)


async def test_anthropic_address_may_end_in_v1(server: ScriptedModel, opened: Open, meter: Ledger) -> None:
    assert (await opened("anthropic", base_url=server.base_url("anthropic") + "/v1/").complete(PLAIN, meter)).text


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Refuse(401, "bad"), "the model server rejected the API key (401)"),
        (Refuse(404, "The model `m` does not exist"), "does not know this model (404): The model `m` does not exist"),
        (Refuse(404, "Not Found"), "the model server has no such API at this address (404); check its URL"),
        (Refuse(302, "", headers={"Location": "/login"}), "no such API at this address (302); check its URL"),
        (Refuse(402, "You are out of credits"), "responded with status 402: You are out of credits"),
        (Raw(b"<html>a web page</html>", "text/html"), "the model server's response is invalid"),
        (Raw(b'{"error": "Unexpected endpoint"}'), "the model server reported an error: Unexpected endpoint"),
    ],
)
async def test_wrong_settings_are_named_in_one_sentence(
    server: ScriptedModel, model: RemoteModel, meter: Ledger, reply: Reply, sentence: str
) -> None:
    server.always(reply)
    with pytest.raises(ModelFailed) as failed:
        await model.complete(PLAIN, meter)
    assert sentence in str(failed.value)
    assert "\n" not in str(failed.value)


async def test_missing_key_is_named(server: ScriptedModel, kind: str, meter: Ledger) -> None:
    server.always(Refuse(401))
    opened = open_model(f"{kind}:m", base_url=server.base_url(kind))
    assert opened is not None
    with pytest.raises(ModelFailed, match=r"requires an API key \(401\)"):
        await opened.complete(PLAIN, meter)
    await opened.close()


async def test_thinking_without_an_answer_is_explained(
    server: ScriptedModel, model: RemoteModel, meter: Ledger
) -> None:
    server.answer(Say("", finish="length"))
    with pytest.raises(ModelFailed, match="used all 50 tokens before it began to answer") as failed:
        await model.complete(PLAIN, meter)
    assert failed.value.reason == "malformed"


async def test_wrong_host_is_named(opened: Open, meter: Ledger, authority: Authority) -> None:
    with ScriptedModel(authority.server_context()) as private:
        for address, why in (
            (f"http://127.0.0.1:{free_port()}", "connection refused"),
            ("http://no-such-host.invalid/v1", "its host name cannot be resolved"),
            (private.base_url(), "the certificate is not trusted"),
        ):
            with pytest.raises(ModelFailed, match=f"the model server cannot be reached: {why}"):
                await opened("openai", base_url=address).complete(PLAIN, meter)
        assert private.requests == []


async def test_private_certificate_authority(meter: Ledger, authority: Authority) -> None:
    with ScriptedModel(authority.server_context()) as private:
        opened = open_model("openai:m", base_url=private.base_url(), ca_file=str(authority.ca_file))
        assert opened is not None
        assert (await opened.complete(PLAIN, meter)).text == "all is well"
        await opened.close()


STREAM = (
    b": the server is working\r\n\r\n"
    b'data:{"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n'
    b'event: message\ndata: {"model":"m-1","choices":[{"delta":{"content":"caf\xc3\xa9 \\"error\\""}}]}\r\n\r\n'
    b'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"error":null}\n\n'
    b'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'
    b"data: [DONE]\n\n"
)


async def test_stream_arrives_in_any_pieces(server: ScriptedModel, opened: Open, meter: Ledger) -> None:
    """As compatible servers send it: comments, other line ends, and characters cut in half by the network."""
    for size in (1, 7, len(STREAM)):
        server.answer(Chunks(tuple(STREAM[start : start + size] for start in range(0, len(STREAM), size))))
        pieces, completion = await ask(opened("openai"), PLAIN, meter, True)
        assert pieces == ['café "error"']
        assert (completion.model, completion.usage) == ("m-1", Usage(3, 4))


def test_token_count() -> None:
    assert count("") == 0
    assert count("hello world") == 2
    assert count("<|endoftext|>") > 1  # plain text, not a special token
    assert count("\ud800") > 0
    long = "the quick brown fox " * 200_000
    assert count(long) == pytest.approx(200_000 * 4, rel=0.01)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(count, ["hello world"] * 200)) == {2}
