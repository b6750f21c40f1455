"""The synthesize and security_audit phases, which look at all files together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loremark.base import clock
from loremark.base.redaction.redactor import redact
from loremark.features.genesis import facts, files, store
from loremark.features.genesis.task import Task
from loremark.memory.codebase import prompts
from loremark.memory.codebase.analysis.analysis import analyze_codebase
from loremark.memory.codebase.records import Codebase, CodebaseAnalysis, Commit, FileFacts, Finding
from loremark.memory.codebase.security.audit import audit
from loremark.memory.codebase.selection.exclusions import is_hostile_name
from loremark.ports.git.failures import RepositoryFailed
from loremark.ports.llm.model import CapReached, ModelFailed, Prompt
from loremark.storage.database import Tx

STUDY = "study"
AUDIT = "audit"
MODEL = "model"
NOTES = "notes"
"""Origins of findings. A model's findings start as ``chunk:<number>`` until they are condensed."""
_ANSWER_TOKENS = 4_000


async def study_codebase(task: Task) -> tuple[Codebase, CodebaseAnalysis]:
    """Return the codebase as read so far and its study, computed once per attempt."""
    if task.studied is not None:
        return task.studied
    (paths, commits), known = await asyncio.gather(_paths_and_commits(task), _load_facts(task))
    name = task.project["repo_url"].rstrip("/").rpartition("/")[2].removesuffix(".git")
    codebase = Codebase(name=name, paths=paths, files=known, commits=commits)
    task.studied = codebase, await asyncio.to_thread(analyze_codebase, codebase)
    return task.studied


async def _load_facts(task: Task) -> dict[str, FileFacts]:
    """Return the facts sorted by path, so that the same files always give the same result."""
    found = task.facts if task.facts is not None else await facts.load(task)
    return dict(sorted(found.items()))


async def _paths_and_commits(task: Task) -> tuple[tuple[str, ...], tuple[Commit, ...]]:
    """Return all paths of the repository and its latest commits."""
    entries, history = await task.tree_and_history()
    return tuple(entry.path for entry in entries if not is_hostile_name(entry.path)), tuple(
        Commit(redact(one.subject)[0], one.author, one.date_ms) for one in history
    )


async def synthesize(task: Task) -> None:
    codebase, study_result = await study_codebase(task)
    carried = await _carried_findings(task)
    condensed = await _condense(task, codebase, carried, [tech.name for tech in study_result.stack])
    async with task.finish("synthesize") as tx:
        await save_findings(task, tx, STUDY, study_result.findings)
        if condensed is not None:
            await _replace_chunks(task, tx, condensed)
        await task.meter.charge(tx)
        await task.save(
            tx,
            {
                "tech_stack": store.from_stack(study_result.stack),
                "imports": store.from_imports(study_result.imports),
                "findings_count": await store.count_findings(tx, task.scope, task.scan_id),
            },
        )
    task.meter.forget_charged()


async def security_audit(task: Task) -> None:
    known = task.studied[0].files if task.studied is not None else await _load_facts(task)
    found = await asyncio.to_thread(audit, known)
    async with task.finish("security_audit") as tx:
        await save_findings(task, tx, AUDIT, found)
        await save_findings(task, tx, NOTES, _notes_finding(task))
        await task.save(tx, {"findings_count": await store.count_findings(tx, task.scope, task.scan_id)})


class PartialResults(NamedTuple):
    """Results from the files read so far."""

    study: CodebaseAnalysis
    audit: Sequence[Finding]


async def partial_results(task: Task) -> PartialResults | None:
    """Return the results of a scan that ends early, or None if no facts are known or the repository is unavailable."""
    async with task.deps.database.read() as tx:
        has_facts = bool(await files.list_facts(tx, task.scope, task.scan_id, ""))
    if not has_facts:
        return None
    try:
        codebase, study_result = await study_codebase(task)
    except RepositoryFailed:
        return None
    return PartialResults(study_result, await asyncio.to_thread(audit, codebase.files))


async def save_partial_results(task: Task, tx: Tx, so_far: PartialResults) -> None:
    await save_findings(task, tx, STUDY, so_far.study.findings)
    await save_findings(task, tx, AUDIT, so_far.audit)
    count = await store.count_findings(tx, task.scope, task.scan_id)
    stack, imports = store.from_stack(so_far.study.stack), store.from_imports(so_far.study.imports)
    await task.save(tx, {"tech_stack": stack, "imports": imports, "findings_count": count})


def _notes_finding(task: Task) -> list[Finding]:
    """Return a finding with notes about the scan itself. It is shown to users but never becomes memory."""
    content = "\n".join(f"- {note}" for note in task.notes)
    return [Finding(layer="architecture", title="Scan notes", content=content, importance=1, tags=("scan",))]


async def save_findings(task: Task, tx: Tx, origin: str, found: Sequence[Finding]) -> None:
    """Replace the findings of this origin. Findings identical to the last scan's keep their creation time."""
    dates = await _previous_dates(task, tx)
    now_ms = clock.now_ms()
    dated = [(finding, dates.get((finding.layer, finding.title, finding.content), now_ms)) for finding in found]
    await store.replace_findings(tx, task.scope, task.project_id, task.scan_id, origin, dated)


async def _previous_dates(task: Task, tx: Tx) -> Mapping[tuple[str, str, str], int]:
    before = task.scan["base_scan_id"]
    rows = await store.list_findings(tx, task.scope, before) if before is not None else []
    return {(row["layer"], row["title"], row["content"]): row["created_at_ms"] for row in rows}


async def _carried_findings(task: Task) -> list[Finding]:
    """Return the model's findings of the last complete scan about files that have not changed since."""
    before = task.scan["base_scan_id"]
    if not task.scan["selective"] or before is None:
        return []
    async with task.deps.database.read() as tx:
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
    """Condense the model's findings of all chunks into one list, or return None if there are none."""
    async with task.deps.database.read() as tx:
        rows = await store.list_findings(tx, task.scope, task.scan_id)
    found = [store.to_finding(row) for row in rows if row["origin"].startswith("chunk:")] + carried
    if not found:
        return None
    if task.model is None or len(found) <= prompts.MAX_SYNTHESIS_FINDINGS:
        return found[: prompts.MAX_SYNTHESIS_FINDINGS]
    system, user, schema = prompts.synthesis_prompt(found, stack, codebase.name)
    prompt = Prompt(system, user, max_tokens=_ANSWER_TOKENS, schema=schema, schema_name="findings")
    try:
        completion = await task.model.complete(prompt, task.meter)
        condensed, _ = prompts.read_synthesis_answer(completion.text, codebase.files.keys())
    except (CapReached, ModelFailed, prompts.MalformedAnswer):
        task.note("The model could not summarize its findings. The most important ones were kept.")
        condensed = []
    best = sorted(found, key=lambda finding: -finding.importance)
    return condensed or best[: prompts.MAX_SYNTHESIS_FINDINGS]


async def _replace_chunks(task: Task, tx: Tx, condensed: Sequence[Finding]) -> None:
    rows = await store.list_findings(tx, task.scope, task.scan_id)
    for origin in sorted({row["origin"] for row in rows if row["origin"].startswith("chunk:")}):
        await store.replace_findings(tx, task.scope, task.project_id, task.scan_id, origin, [])
    await save_findings(task, tx, MODEL, condensed)
