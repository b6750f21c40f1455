"""The two phases that look at all files together: what a newcomer should know, and what a security review would say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loremark.base import clock
from loremark.base.redaction.redacting import redact
from loremark.features.genesis import facts, files, store
from loremark.features.genesis.task import Task
from loremark.memory.codebase import prompting
from loremark.memory.codebase.choosing.excluding import is_hostile_name
from loremark.memory.codebase.records import Codebase, Commit, FileFacts, Finding, Study
from loremark.memory.codebase.security.audit import audit
from loremark.memory.codebase.study.study import study
from loremark.ports.git.failures import RepositoryFailed
from loremark.ports.llm.model import CapReached, ModelFailed, Prompt
from loremark.storage.database import Tx

STUDY = "study"
AUDIT = "audit"
MODEL = "model"
NOTES = "notes"
"""Origins of findings; those of a model's look at a chunk begin with ``chunk:`` until they are put together."""
_ANSWER_TOKENS = 4_000


async def look_at_all(task: Task) -> tuple[Codebase, Study]:
    """The codebase as far as it was read, and what it says; put together once."""
    if task.seen is not None:
        return task.seen
    (paths, commits), known = await asyncio.gather(_around(task), _known(task))
    name = task.project["repo_url"].rstrip("/").rpartition("/")[2].removesuffix(".git")
    codebase = Codebase(name=name, paths=paths, files=known, commits=commits)
    task.seen = codebase, await asyncio.to_thread(study, codebase)
    return task.seen


async def _known(task: Task) -> dict[str, FileFacts]:
    """In the order of their paths, wherever they come from: the same files tell the same."""
    found = task.facts if task.facts is not None else await facts.load(task)
    return dict(sorted(found.items()))


async def _around(task: Task) -> tuple[tuple[str, ...], tuple[Commit, ...]]:
    """What the repository says besides the files that were read: all paths, and the last commits."""
    entries, past = await task.around()
    return tuple(entry.path for entry in entries if not is_hostile_name(entry.path)), tuple(
        Commit(redact(one.subject)[0], one.author, one.date_ms) for one in past
    )


async def synthesize(task: Task) -> None:
    codebase, told = await look_at_all(task)
    carried = await _carried_findings(task)
    condensed = await _condense(task, codebase, carried, [tech.name for tech in told.stack])
    async with task.finish("synthesize") as tx:
        await keep_findings(task, tx, STUDY, told.findings)
        if condensed is not None:
            await _replace_chunks(task, tx, condensed)
        await task.meter.charge(tx)
        await task.keep(
            tx,
            {
                "tech_stack": store.from_stack(told.stack),
                "imports": store.from_imports(told.imports),
                "findings_count": await store.count_findings(tx, task.scope, task.scan_id),
            },
        )
    task.meter.forget_charged()


async def security_audit(task: Task) -> None:
    known = task.seen[0].files if task.seen is not None else await _known(task)
    found = await asyncio.to_thread(audit, known)
    async with task.finish("security_audit") as tx:
        await keep_findings(task, tx, AUDIT, found)
        await keep_findings(task, tx, NOTES, _noted(task))
        await task.keep(tx, {"findings_count": await store.count_findings(tx, task.scope, task.scan_id)})


class SoFar(NamedTuple):
    """All that the files read by now have told."""

    study: Study
    audit: Sequence[Finding]


async def told_so_far(task: Task) -> SoFar | None:
    """For a scan that ends early; None where nothing has been read, or the repository is out of reach."""
    if not task.scan["files_processed"]:
        return None
    try:
        codebase, told = await look_at_all(task)
    except RepositoryFailed:
        return None
    return SoFar(told, await asyncio.to_thread(audit, codebase.files))


async def keep_all(task: Task, tx: Tx, so_far: SoFar) -> None:
    await keep_findings(task, tx, STUDY, so_far.study.findings)
    await keep_findings(task, tx, AUDIT, so_far.audit)
    count = await store.count_findings(tx, task.scope, task.scan_id)
    stack, imports = store.from_stack(so_far.study.stack), store.from_imports(so_far.study.imports)
    await task.keep(tx, {"tech_stack": stack, "imports": imports, "findings_count": count})


def _noted(task: Task) -> list[Finding]:
    """What people should know of the scan itself: it is shown with the findings, and never becomes memory."""
    told = "\n".join(f"- {sentence}" for sentence in task.notes)
    return [
        Finding(layer="architecture", title="What the scan has left out", content=told, importance=1, tags=("scan",))
    ]


async def keep_findings(task: Task, tx: Tx, origin: str, found: Sequence[Finding]) -> None:
    """In the place of what this origin had found; what the last scan told in the same words keeps its time."""
    dates = await _dates_before(task, tx)
    now_ms = clock.now_ms()
    dated = [(finding, dates.get((finding.layer, finding.title, finding.content), now_ms)) for finding in found]
    await store.replace_findings(tx, task.scope, task.project_id, task.scan_id, origin, dated)


async def _dates_before(task: Task, tx: Tx) -> Mapping[tuple[str, str, str], int]:
    before = task.scan["after_scan_id"]
    rows = await store.list_findings(tx, task.scope, before) if before is not None else []
    return {(row["layer"], row["title"], row["content"]): row["created_at_ms"] for row in rows}


async def _carried_findings(task: Task) -> list[Finding]:
    """What a model found at the last complete scan in files that have not changed since."""
    before = task.scan["after_scan_id"]
    if not task.scan["selective"] or before is None:
        return []
    async with task.kit.database.read() as tx:
        rows = await store.list_findings(tx, task.scope, before)
        found = [store.to_finding(row) for row in rows if row["origin"] not in (STUDY, AUDIT)]
        found = [finding for finding in found if finding.files]
        if not found:
            return []
        then = await files.list_blobs(tx, task.scope, before)
        now = await files.list_blobs(tx, task.scope, task.scan_id)
    return [finding for finding in found if all(path in now and then.get(path) == now[path] for path in finding.files)]


async def _condense(
    task: Task, codebase: Codebase, carried: list[Finding], stack: Sequence[str]
) -> list[Finding] | None:
    """The model's findings of all chunks as one list; None where no model has found anything."""
    async with task.kit.database.read() as tx:
        rows = await store.list_findings(tx, task.scope, task.scan_id)
    found = [store.to_finding(row) for row in rows if row["origin"].startswith("chunk:")] + carried
    if not found:
        return None
    if task.model is None or len(found) <= prompting.MAX_SYNTHESIS_FINDINGS:
        return found[: prompting.MAX_SYNTHESIS_FINDINGS]
    system, user, schema = prompting.synthesis_prompt(found, stack, codebase.name)
    prompt = Prompt(system, user, max_tokens=_ANSWER_TOKENS, schema=schema, schema_name="findings")
    try:
        completion = await task.model.complete(prompt, task.meter)
        condensed, _ = prompting.read_synthesis_answer(completion.text, codebase.files.keys())
    except (CapReached, ModelFailed, prompting.MalformedAnswer):
        task.note("The model could not put its findings together; the most important ones were kept.")
        condensed = []
    best = sorted(found, key=lambda finding: -finding.importance)
    return condensed or best[: prompting.MAX_SYNTHESIS_FINDINGS]


async def _replace_chunks(task: Task, tx: Tx, condensed: Sequence[Finding]) -> None:
    rows = await store.list_findings(tx, task.scope, task.scan_id)
    for origin in sorted({row["origin"] for row in rows if row["origin"].startswith("chunk:")}):
        await store.replace_findings(tx, task.scope, task.project_id, task.scan_id, origin, [])
    await keep_findings(task, tx, MODEL, condensed)
