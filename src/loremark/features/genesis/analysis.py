"""The phase that reads: chunk by chunk, each one commit, so that another attempt goes on with the next chunk."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence

from loremark.base import clock
from loremark.base.redaction.redacting import redact
from loremark.features.genesis import facts, files, store
from loremark.features.genesis.task import Task
from loremark.memory.codebase import prompting
from loremark.memory.codebase.choosing.contents import text_of
from loremark.memory.codebase.records import FileFacts, Finding
from loremark.ports.git.snapshot import Snapshot
from loremark.ports.llm.model import CapReached, ModelFailed, Prompt

PHASE = "analyze"
_ASKED_CHUNKS = 60
"""A model is asked about so many chunks of a scan, spread evenly."""
_ANSWER_TOKENS = 2_000


async def analyze(task: Task) -> None:
    """Read what each chunk holds, and ask a model about it where there is one.

    What is known already is loaded meanwhile: of a selective scan that is nearly all.
    """
    total = task.scan["chunks_total"]
    known = asyncio.create_task(facts.load(task))
    read: dict[str, FileFacts] = {}
    try:
        async with task.snapshot() as snapshot:
            for chunk in range(task.scan["chunks_processed"], total):
                read |= await _read_chunk(task, snapshot, chunk)
        loaded = await known
    finally:
        known.cancel()
    async with task.finish(PHASE):
        pass
    task.facts = loaded | read


async def _read_chunk(task: Task, snapshot: Snapshot, chunk: int) -> dict[str, FileFacts]:
    total = task.scan["chunks_total"]
    async with task.kit.database.read() as tx:
        named = await files.list_chunk(tx, task.scope, task.scan_id, chunk)
    contents = await snapshot.read([blob for _, blob in named])
    texts = {path: text_of(contents[blob]) if blob in contents else None for path, blob in named}
    found, unreadable = await task.reader.read({path: text for path, text in texts.items() if text is not None})
    found |= {path: FileFacts(None, 0) for path, text in texts.items() if text is None}
    for path in unreadable:
        task.note(f"`{path}` could not be read: the parser did not come to an end with it.")
    told = await _ask(task, chunk, total, texts)
    async with task.run.step() as tx:
        await files.set_facts(tx, task.scope, task.scan_id, found)
        if told:
            now_ms = clock.now_ms()
            dated = [(finding, now_ms) for finding in told]
            await store.replace_findings(tx, task.scope, task.project_id, task.scan_id, f"chunk:{chunk}", dated)
        await task.meter.charge(tx)
        await task.keep(
            tx,
            {
                "chunks_processed": chunk + 1,
                "files_processed": task.scan["files_processed"] + len(named),
                "findings_count": await store.count_findings(tx, task.scope, task.scan_id),
                "progress": task.progress_in(PHASE, (chunk + 1) / total),
            },
        )
    task.meter.forget_charged()
    return found


async def _ask(task: Task, chunk: int, total: int, texts: Mapping[str, str | None]) -> list[Finding]:
    """What a model finds in a chunk. When it fails, what the built-in engine finds stands alone, and we say so."""
    if task.model is None or chunk % math.ceil(total / _ASKED_CHUNKS):
        return []
    readable = await asyncio.to_thread(_without_secrets, texts)
    if not readable:
        return []
    system, user, schema = prompting.chunk_prompt(readable, ())
    prompt = Prompt(system, user, max_tokens=_ANSWER_TOKENS, schema=schema, schema_name="findings")
    try:
        completion = await task.model.complete(prompt, task.meter)
        found, dropped = prompting.read_chunk_answer(completion.text, texts.keys())
    except CapReached:
        task.model = None
        task.note("The AI token limit was reached; the built-in engine did the rest.")
        return []
    except ModelFailed as failure:
        if failure.reason in ("unavailable", "refused"):
            task.model = None
        task.note(f"The model failed ({failure.reason}): {failure}. The built-in engine did its part.")
        return []
    except prompting.MalformedAnswer:
        task.note("The model's answer could not be read; the built-in engine did its part.")
        return []
    if dropped:
        task.note("Findings of the model that name no file of the repository were dropped.")
    return found


def _without_secrets(texts: Mapping[str, str | None]) -> Sequence[tuple[str, str]]:
    """What may be sent out. Cut first, at the end of a line: half of a secret would not be known as one."""
    return [(path, redact(_beginning(text))[0]) for path, text in texts.items() if text]


def _beginning(text: str) -> str:
    cut = text[: prompting.CHUNK_CHARS]
    return cut if len(cut) == len(text) else cut[: cut.rfind("\n") + 1]
