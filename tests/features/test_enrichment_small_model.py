"""The pipeline against a real OpenAI-compatible server with a real, very small model on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.features.memory_project import Memory, save
from tests.servers.small_model import small_model
from tests.support.service import run_service, settings_for

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

CHANGES = (
    (
        "decision",
        "Use PgBouncer",
        "We decided to use PgBouncer in transaction mode because workers lacked connections.",
    ),
    ("bugfix", "Fix double charge", "The worker charged twice because the idempotency key was made anew every time."),
)


async def test_small_model_only_adds_items(database_url: str, tmp_path: Path) -> None:
    """Whatever the model says, the job completes, quotes come from the event and the built-in items are kept."""
    pytest.importorskip("xllamacpp", reason="the small model is installed by `make e2e`")
    with small_model() as base_url:
        overrides = {
            "LOREMARK_LLM_SMALL": "openai:smollm2",
            "LOREMARK_LLM_MEDIUM": "openai:smollm2",
            "LOREMARK_LLM_BASE_URL": base_url,
            "LOREMARK_LLM_TIMEOUT_S": "300",
        }
        async with run_service(settings_for(tmp_path, database_url, **overrides)) as service:
            memory = await Memory.of(service)
            sent = await memory.send(save(*CHANGES))
            job = await memory.enrich(sent["sessionId"], seconds=400)
            items = await memory.items()
            session = await memory.session(sent["sessionId"])
    print(f"\n{session['enrichmentModel']}: {job.get('warning', 'no warning')}")
    for item in items:
        print(f"  {item['type']:<14} {item['confidence']:.2f}  {item['title']}")
    assert job["status"] == "completed"
    assert {"decision", "bug"} <= {item["type"] for item in items}
    texts = [text for change in CHANGES for text in change]
    for item in items:
        assert item["evidence"]
        assert all(any(quote["quote"] in text for text in texts) for quote in item["evidence"])
