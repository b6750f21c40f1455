"""The analyze phase. Each chunk is one commit, so that another attempt resumes with the next chunk."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence

from loremark.base import clock
from loremark.base.redaction.redactor import redact
from loremark.features.genesis import facts, files, store
from loremark.features.genesis.task import Task
from loremark.memory.codebase import prompts
from loremark.memory.codebase.records import FileFacts, Finding
from loremark.memory.codebase.selection.content_checks import text_of
from loremark.ports.git.snapshot import Snapshot
from loremark.ports.llm.model import CapReached, ModelFailed, Prompt
from loremark.storage.database import Tx

PHASE = "analyze"
_MAX_MODEL_CHUNKS = 60
"""Maximum number of chunks sent to a model, spread evenly over the scan."""
_ANSWER_TOKENS = 2_000


async def analyze(task: Task) -> None:
    """Parse the files of each chunk, and analyze them with a model if one is configured.

    Known facts are loaded in parallel; in a selective scan that is nearly all of them.
    """
    total = task.scan["chunks_total"]
    known = asyncio.create_task(facts.load(task))
    read: dict[str, FileFacts] = {}
    try:
        async with task.snapshot() as snapshot:
            for chunk in range(task.scan["chunks_processed"], total):
                read |= await _read_chunk(task, snapshot, chunk)
                if task.parser.is_exhausted:
                    break
        loaded = await known
    finally:
        known.cancel()
    async with task.finish(PHASE) as tx:
        incomplete = await describe_unread(task, tx)
        if incomplete is not None:
            task.note(incomplete)
            await task.save(tx, {})
    task.facts = loaded | read


async def describe_unread(task: Task, tx: Tx) -> str | None:
    """Say how many files the CPU budget did not suffice for, or return None if all were read."""
    unread = await files.count_unread(tx, task.scope, task.scan_id)
    if not unread:
        return None
    return (
        f"This scan is incomplete: {unread} of {task.scan['files_total']} files were not read, because parsing took "
        "too much CPU time. The server administrator can raise LOREMARK_SCAN_CPU_S."
    )


async def _read_chunk(task: Task, snapshot: Snapshot, chunk: int) -> dict[str, FileFacts]:
    total = task.scan["chunks_total"]
    async with task.deps.database.read() as tx:
        named = await files.list_chunk(tx, task.scope, task.scan_id, chunk)
    contents = await snapshot.read([blob for _, blob in named])
    texts = {path: text_of(contents[blob]) if blob in contents else None for path, blob in named}
    found, unreadable = await task.parser.read({path: text for path, text in texts.items() if text is not None})
    found |= {path: FileFacts(None, 0) for path, text in texts.items() if text is None}
    for path in unreadable:
        task.note(f"Could not parse `{path}`: the parser timed out or crashed.")
    from_model = await _ask(task, chunk, total, texts)
    async with task.run.step() as tx:
        await files.set_facts(tx, task.scope, task.scan_id, found)
        if from_model:
            now_ms = clock.now_ms()
            dated = [(finding, now_ms) for finding in from_model]
            await store.replace_findings(tx, task.scope, task.project_id, task.scan_id, f"chunk:{chunk}", dated)
        await task.meter.charge(tx)
        await task.save(
            tx,
            {
                "chunks_processed": chunk + 1,
                "files_processed": task.scan["files_processed"] + len(found),
                "findings_count": await store.count_findings(tx, task.scope, task.scan_id),
                "progress": task.progress_in(PHASE, (chunk + 1) / total),
            },
        )
    task.meter.forget_charged()
    return found


async def _ask(task: Task, chunk: int, total: int, texts: Mapping[str, str | None]) -> list[Finding]:
    """Return the model's findings in a chunk. If it fails, add a note and rely on the built-in engine."""
    if task.model is None or chunk % math.ceil(total / _MAX_MODEL_CHUNKS):
        return []
    readable = await asyncio.to_thread(_redact_texts, texts)
    if not readable:
        return []
    system, user, schema = prompts.chunk_prompt(readable, ())
    prompt = Prompt(system, user, max_tokens=_ANSWER_TOKENS, schema=schema, schema_name="findings")
    try:
        completion = await task.model.complete(prompt, task.meter)
        found, dropped = prompts.read_chunk_answer(completion.text, texts.keys())
    except CapReached:
        task.model = None
        task.note("AI token limit reached. The built-in engine analyzed the remaining files.")
        return []
    except ModelFailed as failure:
        if failure.reason in ("unavailable", "refused"):
            task.model = None
        task.note(f"The model failed ({failure.reason}): {failure}. The built-in engine was used instead.")
        return []
    except prompts.MalformedAnswer:
        task.note("The model returned an invalid answer. The built-in engine was used instead.")
        return []
    if dropped:
        task.note("Dropped model findings about files that are not in the repository.")
    return found


def _redact_texts(texts: Mapping[str, str | None]) -> Sequence[tuple[str, str]]:
    """Truncate at a line end, then redact. Half of a secret would not be recognized."""
    return [(path, redact(_beginning(text))[0]) for path, text in texts.items() if text]


def _beginning(text: str) -> str:
    cut = text[: prompts.CHUNK_CHARS]
    return cut if len(cut) == len(text) else cut[: cut.rfind("\n") + 1]
