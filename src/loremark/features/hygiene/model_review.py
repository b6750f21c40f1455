"""Review of proposed actions by a language model."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.memory.hygiene import model_review
from loremark.memory.hygiene.proposals import Proposal
from loremark.memory.items import Item
from loremark.memory.json_answer import MalformedAnswer
from loremark.ports.llm.model import CapReached, LanguageModel, Meter, ModelFailed, Prompt

_ANSWER_TOKENS = 3_000


async def review_proposals(
    proposals: list[Proposal], items: Mapping[str, Item], model: LanguageModel, meter: Meter
) -> tuple[list[Proposal], list[str]]:
    """Return the proposals after review, and notes for the user. If the model fails, the proposals are unchanged."""
    question = model_review.build_prompt(proposals, items)
    if question is None:
        return proposals, []
    prompt = Prompt(*question, max_tokens=_ANSWER_TOKENS, schema=model_review.SCHEMA, schema_name="verdicts")
    try:
        completion = await model.complete(prompt, meter)
        verdicts = model_review.parse_verdicts(completion.text, proposals)
    except CapReached:
        return proposals, ["AI token limit reached. The suggestions were not reviewed by a model."]
    except ModelFailed as failure:
        return proposals, [f"The model failed ({failure.reason}). The suggestions were not reviewed by a model."]
    except MalformedAnswer:
        return proposals, ["The model returned an invalid answer. The suggestions were not reviewed by a model."]
    return model_review.apply_verdicts(proposals, verdicts, items), []
