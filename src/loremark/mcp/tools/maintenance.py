"""Check on a memory: the latest codebase scan, suggested cleanups, and health statistics."""

from __future__ import annotations

from collections import Counter
from contextlib import aclosing
from typing import Annotated

import msgspec
from msgspec import Meta

from loremark.client.calls.genesis import get_scan
from loremark.client.calls.hygiene import analyze
from loremark.client.calls.items import list_items
from loremark.client.calls.sessions import list_sessions
from loremark.mcp.formatting import fenced, one_line, pluralize, truncate
from loremark.mcp.memory import Memory
from loremark.mcp.tool import Arguments, MemoryResult, Progress, Result, Tool
from loremark.wire.hygiene import HygieneAction, HygieneMode

_ACTIONS = 30
_ACTION_CHARS = 300
_PAGE = 500
_MAX_ITEMS = 3_000


class ScanStatus(Result):
    scanned: bool
    phase: str
    percent: int
    files: int
    findings: int
    tech_stack: list[str]
    error: str
    started_at: str
    completed_at: str


async def _genesis(memory: Memory, given: Arguments, progress: Progress) -> ScanStatus:
    project_id = await memory.project_id(given.project)
    scan = (await memory.client.send(get_scan(project_id))).scan
    if scan is None:
        return ScanStatus(
            scanned=False, phase="none", percent=0, files=0, findings=0, tech_stack=[], error="", started_at="",
            completed_at="",
        )  # fmt: skip
    return ScanStatus(
        scanned=True,
        phase=scan.phase,
        percent=round(scan.progress if scan.progress > 1 else scan.progress * 100),
        files=scan.files_processed,
        findings=scan.findings_count,
        tech_stack=scan.tech_stack[:40],
        error=scan.error or "",
        started_at=scan.started_at,
        completed_at=scan.completed_at or "",
    )


def _render_scan(scan: ScanStatus) -> str:
    if not scan.scanned:
        return "The codebase has not been scanned yet. Run `loremark scan` to scan it on this machine."
    counts = f"{pluralize(scan.files, 'file')}, {pluralize(scan.findings, 'finding')}"
    text = f"Scan: {scan.phase}, {scan.percent}%, {counts}."
    stack = f" Tech stack: {', '.join(scan.tech_stack)}." if scan.tech_stack else ""
    return text + stack + (f" Error: {one_line(scan.error)}" if scan.error else "")


GENESIS = Tool(
    "memory_genesis",
    "Get scan status",
    "Get the progress and statistics of the latest codebase scan. Use it to check whether the memory covers the "
    "codebase. Does not start a scan.",
    Arguments,
    ScanStatus,
    _genesis,
    _render_scan,
)


class HygieneArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mode: Annotated[HygieneMode, Meta(description="quick checks the newest items, weekly checks many more.")] = "quick"


class Proposal(msgspec.Struct, kw_only=True, rename="camel"):
    id: str
    type: str
    description: str
    items: list[str]
    confidence: float


class Plan(MemoryResult):
    plan_id: str
    items_analyzed: int
    actions: list[Proposal]
    left_out: int
    expires_at: str


async def _hygiene(memory: Memory, given: HygieneArguments, progress: Progress) -> Plan:
    project_id = await memory.project_id(given.project)
    await progress(0, 1, "Analyzing memory")
    plan = await memory.client.send(analyze(project_id, given.mode))
    await progress(1, 1, f"{pluralize(plan.items_analyzed, 'item')} analyzed")
    return Plan(
        plan_id=plan.plan_id,
        items_analyzed=plan.items_analyzed,
        actions=[_proposal(action) for action in plan.actions[:_ACTIONS]],
        left_out=max(0, len(plan.actions) - _ACTIONS),
        expires_at=plan.expires_at,
    )


def _proposal(action: HygieneAction) -> Proposal:
    several = action.item_ids if isinstance(action.item_ids, list) else []
    single = [action.item_id] if isinstance(action.item_id, str) else []
    return Proposal(
        id=action.id,
        type=action.type,
        description=truncate(action.description, _ACTION_CHARS),
        items=several or single,
        confidence=action.confidence,
    )


def _render_plan(plan: Plan) -> str:
    if not plan.actions:
        return f"{pluralize(plan.items_analyzed, 'item')} analyzed. Nothing to clean up."
    lines = [
        f"- {action.id} {action.type} ({action.confidence:.2f}): {one_line(action.description, _ACTION_CHARS)} "
        f"[{', '.join(action.items)}]"
        for action in plan.actions
    ]
    rest = f"\n({plan.left_out} more)" if plan.left_out else ""
    first = (
        f"Plan {plan.plan_id}. Nothing changes until the user applies actions with "
        f"`loremark hygiene --plan {plan.plan_id} --select IDS` (action IDs, separated by commas)."
    )
    return fenced("\n".join([first, *lines]) + rest)


HYGIENE = Tool(
    "memory_hygiene",
    "Suggest cleanups",
    "Create a cleanup plan for the project's memory: duplicates to merge, items to deprecate, titles to fix, secrets "
    "to remove. It only makes suggestions, which the user reviews and applies. Use it when asked to review or clean "
    "up the memory.",
    HygieneArguments,
    Plan,
    _hygiene,
    _render_plan,
)


class Health(Result):
    items: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    by_flag: dict[str, int]
    mean_confidence: float
    without_files: int
    last_session_at: str
    complete: bool


async def _health(memory: Memory, given: Arguments, progress: Progress) -> Health:
    project_id = await memory.project_id(given.project)
    status: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    confidence, without_files, complete = 0.0, 0, True
    async with aclosing(memory.client.paginate(list_items(project_id, limit=_PAGE))) as items:  # type: ignore[type-var]
        async for item in items:
            if status.total() >= _MAX_ITEMS:
                complete = False
                break
            status[item.status] += 1
            kinds[item.type] += 1
            flags.update(item.flags)
            confidence += item.confidence
            without_files += not item.files
            if status.total() % _PAGE == 0:
                await progress(status.total(), None, f"{status.total()} items counted")
    sessions = await memory.client.send(list_sessions(project_id, limit=1))
    return Health(
        items=status.total(),
        by_status=dict(sorted(status.items())),
        by_type=dict(sorted(kinds.items())),
        by_flag=dict(sorted(flags.items())),
        mean_confidence=round(confidence / status.total(), 3) if status else 0.0,
        without_files=without_files,
        last_session_at=sessions[0].created_at if sessions else "",
        complete=complete,
    )


def _render_health(health: Health) -> str:
    if not health.items:
        return "The memory is empty. Save what you learn with memory_save, or run `loremark scan`."
    scope = pluralize(health.items, "item") if health.complete else f"The newest {health.items} items"
    lines = [
        f"{scope}: {_counts(health.by_status)}.",
        f"Types: {_counts(health.by_type)}.",
        f"Flags: {_counts(health.by_flag) or 'none'}.",
        f"Mean confidence {health.mean_confidence:.2f}; {health.without_files} without files.",
    ]
    lines += [f"Drafts to review: {drafts}."] if (drafts := health.by_status.get("draft", 0)) else []
    lines += [f"Last session: {health.last_session_at}."] if health.last_session_at else []
    return "\n".join(lines)


def _counts(counted: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counted.items())


EVAL = Tool(
    "memory_eval",
    "Check memory health",
    "Get statistics about the project's memory: items by status, type and flag (stale, conflict, low confidence), "
    "drafts to review, and the time of the last captured session. Use it to judge how reliable the memory is.",
    Arguments,
    Health,
    _health,
    _render_health,
)
