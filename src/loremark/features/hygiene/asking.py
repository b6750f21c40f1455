"""The second look at a plan by a language model; where it fails, the rules' own word stands, and we say so."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.memory.extraction.answers import MalformedAnswer
from loremark.memory.hygiene import second_look
from loremark.memory.hygiene.proposals import Proposal
from loremark.memory.items import Item
from loremark.ports.llm.model import CapReached, LanguageModel, Meter, ModelFailed, Prompt

_ANSWER_TOKENS = 3_000


async def look_again(
    proposals: list[Proposal], items: Mapping[str, Item], model: LanguageModel, meter: Meter
) -> tuple[list[Proposal], list[str]]:
    """What is left of the proposals, and what a person should know about the look."""
    asked = second_look.question(proposals, items)
    if asked is None:
        return proposals, []
    prompt = Prompt(*asked, max_tokens=_ANSWER_TOKENS, schema=second_look.SCHEMA, schema_name="verdicts")
    try:
        completion = await model.complete(prompt, meter)
        verdicts = second_look.read(completion.text, proposals)
    except CapReached:
        return proposals, ["The AI token limit was reached; the built-in engine's plan stands."]
    except ModelFailed as failure:
        return proposals, [f"The model failed ({failure.reason}); the built-in engine's plan stands."]
    except MalformedAnswer:
        return proposals, ["The model's answer could not be read; the built-in engine's plan stands."]
    return second_look.consider(proposals, verdicts, items), []
