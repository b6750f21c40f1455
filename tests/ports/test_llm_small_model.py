"""The model port with a real small model: token counts, streaming, and JSON constrained to a schema."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest

from loremark.ports.llm.model import Completion, LanguageModel, ModelFailed, Prompt, Usage
from loremark.ports.llm.providers import open_model
from tests.servers import small_model as server

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(server.missing() is not None, reason=server.missing() or ""),
]

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string", "maxLength": 40}, "importance": {"type": "integer", "enum": [1, 2, 3]}},
    "required": ["title", "importance"],
    "additionalProperties": False,
}


class Ledger:
    """A meter without a cap."""

    def __init__(self) -> None:
        self.open = 0
        self.usages: list[Usage] = []

    async def reserve(self, tokens: int) -> str:
        self.open += 1
        return "r"

    async def spent(self, reservation: str, usage: Usage) -> None:
        self.open -= 1
        self.usages.append(usage)

    async def release(self, reservation: str) -> None:
        self.open -= 1


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with server.small_model() as address:
        yield address


@pytest.fixture
async def model(base_url: str, request: pytest.FixtureRequest) -> AsyncIterator[LanguageModel]:
    kind = getattr(request, "param", "openai")
    opened = open_model(f"{kind}:{server.MODEL}", base_url=base_url, timeout_s=120.0)
    assert opened is not None
    yield opened
    await opened.close()


# llama.cpp speaks both APIs, but this model is too small to call the tool that Anthropic's schemas need.
both_apis = pytest.mark.parametrize("model", ["openai", "anthropic"], indirect=True)


def _prompt(**more: object) -> Prompt:
    question = "Our payment service retries a failed call three times. Say what it does."
    return Prompt(system="You are brief.", user=question, max_tokens=48, **more)  # type: ignore[arg-type]


@both_apis
async def test_answer_and_usage(model: LanguageModel) -> None:
    meter = Ledger()
    completion = await model.complete(_prompt(), meter)
    assert completion.text.strip()
    assert completion.usage.prompt_tokens > 10
    assert 0 < completion.usage.completion_tokens <= 48
    assert meter.usages == [completion.usage]
    assert meter.open == 0


@both_apis
async def test_streaming(model: LanguageModel) -> None:
    meter = Ledger()
    *pieces, last = [part async for part in model.stream(_prompt(), meter)]
    assert isinstance(last, Completion)
    assert len(pieces) > 3
    assert "".join(str(piece) for piece in pieces) == last.text
    assert last.usage.completion_tokens > 3
    assert meter.usages == [last.usage]
    assert meter.open == 0


async def test_refusals_of_a_real_server_are_one_sentence(base_url: str) -> None:
    for address, max_words, sentence in (
        (base_url, 9_000, r"status 400: request .* exceeds the available context size"),
        (f"{base_url}/nowhere", 1, r"no such API at this address \(404\)"),
    ):
        opened = open_model(f"openai:{server.MODEL}", base_url=address, timeout_s=120.0)
        assert opened is not None
        with pytest.raises(ModelFailed, match=sentence):
            await opened.complete(Prompt("", "word " * max_words, max_tokens=8), Ledger())
        await opened.close()


@pytest.mark.parametrize("streamed", [False, True])
async def test_schema_is_enforced_even_for_a_weak_model(model: LanguageModel, streamed: bool) -> None:
    prompt = Prompt(
        system="You write a title for a note.",
        user="The team decided to use PostgreSQL.",
        max_tokens=100,
        schema=SCHEMA,
    )
    if streamed:
        last = [part async for part in model.stream(prompt, Ledger())][-1]
        assert isinstance(last, Completion)
        completion = last
    else:
        completion = await model.complete(prompt, Ledger())
    answer = json.loads(completion.text)
    assert set(answer) == {"title", "importance"}
    assert answer["importance"] in (1, 2, 3)
