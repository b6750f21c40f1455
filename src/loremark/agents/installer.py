"""Plan and apply the changes that install us into an agent's files, or uninstall us."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from loremark.agents import executable_path, files, merging
from loremark.agents.agent import USER, Agent, FilePlan, Server, SetupOptions
from loremark.agents.changes import Block, Change, Member, WholeFile
from loremark.agents.errors import EditError
from loremark.agents.files import FileState
from loremark.agents.ledger import Claim, Ledger, Record, digest


class Step(NamedTuple):
    """The change to one file; ``after`` is None if it is deleted."""

    path: str
    target: str
    before: bytes | None
    after: bytes | None
    mode: int | None
    record: Record | None
    """The new ledger record, or None if the file has nothing of ours left."""
    executable: bool = False

    @property
    def is_change(self) -> bool:
        return self.before != self.after


class Plan(NamedTuple):
    steps: list[Step]
    notes: list[str]
    """Messages for the user: files that were left unchanged and why, or an executable that may not be found."""

    @property
    def is_change(self) -> bool:
        return any(step.is_change for step in self.steps)


def owner_of(name: str, options: SetupOptions) -> str:
    return f"{name}:user" if options.scope == USER else f"{name}:project:{os.path.realpath(options.locations.project)}"


def current_server(agent: Agent, options: SetupOptions, ledger: Ledger) -> Server:
    """Return the transport chosen when the agent was installed, or else the requested one."""
    owner = owner_of(agent.name, options)
    for record in ledger.list_records():
        for claim in record.claims:
            url = _find_url(claim.changes) if claim.owner == owner else None
            if url is not None:
                return Server(url)
    return options.server


def _find_url(changes: Sequence[Change]) -> str | None:
    for change in changes:
        if isinstance(change, Member) and isinstance(change.value, dict):
            found = change.value.get("url") or change.value.get("serverUrl")
            if isinstance(found, str):
                return found
        if isinstance(change, Block) and change.table:
            return next((line[7:-1] for line in change.text.split("\n") if line.startswith('url = "')), None)
    return None


def plan_install(agent: Agent, options: SetupOptions, ledger: Ledger) -> Plan:
    """Plan the installation. Raises EditError if a required file can't be edited."""
    if options.server.url is not None and not agent.supports_http:
        raise EditError(f"{agent.title} can't read the API key from an environment variable; install it without --http")
    options = executable_path.with_executable(options)
    plan = plan_files(agent.files(options), owner_of(agent.name, options), _roots(agent, options), ledger)
    warning = executable_path.path_warning(options) if options.scope != USER and plan.is_change else None
    return plan._replace(notes=[*plan.notes, warning]) if warning is not None else plan


def plan_files(planned_files: Sequence[FilePlan], owner: str, roots: Sequence[str], ledger: Ledger) -> Plan:
    plan = Plan([], [])
    for planned in planned_files:
        try:
            plan.steps.append(_install_step(planned, owner, roots, ledger))
        except EditError as error:
            if not planned.is_optional:
                raise EditError(f"{planned.path} was left unchanged: {error}") from None
            plan.notes.append(f"{planned.path} was left unchanged: {error}")
    return plan


def plan_uninstall(agent: Agent, options: SetupOptions, ledger: Ledger) -> Plan:
    """Plan the removal of everything in the ledger, and of our entries in files it doesn't know."""
    return plan_removal(agent.files(options), owner_of(agent.name, options), _roots(agent, options), ledger)


def plan_removal(planned_files: Sequence[FilePlan], owner: str, roots: Sequence[str], ledger: Ledger) -> Plan:
    plan = Plan([], [])
    recorded = [record for record in ledger.list_records() if owner in record.owners()]
    known = {record.path for record in recorded}
    planners: list[tuple[str, Callable[[], Step | None]]]
    planners = [(record.path, partial(_uninstall_step, record, owner)) for record in recorded]
    planners += [(planned.path, partial(_untracked_step, planned, known, roots, ledger)) for planned in planned_files]
    for path, make in planners:
        try:
            step = make()
        except EditError as error:
            plan.notes.append(f"{path} was left unchanged: {error}")
        else:
            plan.steps.extend([step] if step is not None else [])
    return plan


def apply_plan(plan: Plan, ledger: Ledger) -> None:
    """Apply the plan. Raises EditError if a file has changed since; completed steps stay in the ledger."""
    emptied: set[str] = set()
    for step in plan.steps:
        now = files.read(step.target, os.path.dirname(step.target))
        if now.content != step.before:
            raise EditError(f"{step.path} was just changed by another program; try again")
        if step.record is not None:
            _write(step, step.record, ledger)
            continue
        known = ledger.find(step.target)
        emptied.update(known.folders if known else [])
        if step.is_change and step.after is None:
            files.delete(step.target)
        elif step.is_change and step.after is not None:
            files.write(step.target, step.after, step.mode)
        ledger.drop(step.target)
    _reassign_folders(files.remove_empty(emptied), ledger)


def _write(step: Step, record: Record, ledger: Ledger) -> None:
    """Update the ledger before the file, so a crash in between can be undone."""
    if step.is_change:
        record.folders = sorted({*record.folders, *files.missing_folders(step.target)})
    ledger.save(record)
    if step.is_change and step.after is not None:
        files.write(step.target, step.after, step.mode, step.executable)


def _reassign_folders(folders: Sequence[str], ledger: Ledger) -> None:
    """Assign folders that are not empty yet to the remaining files in them."""
    for record in ledger.list_records() if folders else []:
        inside = [folder for folder in folders if record.path.startswith(folder + os.sep)]
        if inside:
            record.folders = sorted({*record.folders, *inside})
            ledger.save(record)


def _roots(agent: Agent, options: SetupOptions) -> list[str]:
    if options.scope != USER:
        return [options.locations.project]
    return [options.locations.home, *agent.roots(options.locations)]


def read_file(path: str, roots: Sequence[str]) -> FileState:
    """Read a file that must resolve to a path below one of the roots."""
    first_error = None
    for root in roots:
        try:
            return files.read(path, root)
        except EditError as error:
            first_error = first_error or error
    raise first_error or EditError("no folder is configured for it")


def _install_step(planned: FilePlan, owner: str, roots: Sequence[str], ledger: Ledger) -> Step:
    found = read_file(planned.path, roots)
    record = ledger.find(found.target)
    claims = [claim for claim in (record.claims if record else []) if claim.owner != owner]
    claims.append(Claim(owner, list(planned.changes)))
    changes = _merge_claims(claims)
    base = _base(found, record, changes)
    fresh = merging.apply(base, changes)
    # Update existing entries in place, because others may have been added after them.
    starts_clean = base == found.content or (base is None and _has_whole_file(changes))
    after = fresh.content if starts_clean else merging.apply(found.content, changes).content
    new_record = Record(
        path=found.target,
        root=roots[0],
        original=base,
        mode=found.mode if base is not None else None,
        after=digest(after),
        undo_infos=fresh.undo_infos,
        claims=claims,
        folders=record.folders if record else [],
    )
    executable = any(isinstance(change, WholeFile) and change.executable for change in planned.changes)
    mode = found.mode
    if found.content is None and owner.endswith(f":{USER}"):
        mode = 0o700 if executable else 0o600  # agents may store tokens in these files later
    return Step(planned.path, found.target, found.content, after, mode, new_record, executable)


def _merge_claims(claims: Sequence[Claim]) -> list[Change]:
    """Merge the changes of all owners. For the same entry, the last one wins."""
    kept: dict[object, Change] = {}
    for claim in claims:
        for change in claim.changes:
            kept[(type(change), getattr(change, "path", None))] = change
    return list(kept.values())


def _base(found: FileState, record: Record | None, changes: Sequence[Change]) -> bytes | None:
    """Return the file's content without our changes."""
    if found.content is None:
        return None
    if record is None:
        reverted = merging.revert(found.content, changes, None)
        if (reverted.is_bare and reverted.content != found.content) or _is_our_whole_file(found, changes):
            return None
        return reverted.content
    return _content_without_us(found.content, record)


def _has_whole_file(changes: Sequence[Change]) -> bool:
    return any(isinstance(change, WholeFile) for change in changes)


def _is_our_whole_file(found: FileState, changes: Sequence[Change]) -> bool:
    return _has_whole_file(changes) and merging.is_owned_file((found.content or b"").decode(errors="replace"))


def _content_without_us(content: bytes, record: Record) -> bytes | None:
    """Return a tracked file without our changes: the exact original if nothing else has changed it."""
    if digest(content) == record.after:
        return record.original
    if content == record.original:
        return content
    reverted = merging.revert(content, _merge_claims(record.claims), record.undo_infos)
    return None if reverted.is_bare and record.original is None else reverted.content


def _uninstall_step(record: Record, owner: str) -> Step:
    found = files.read(record.path, record.root)
    claims = [claim for claim in record.claims if claim.owner != owner]
    if found.content is None:
        return Step(record.path, found.target, None, None, None, None)
    base = _content_without_us(found.content, record)
    if not claims:
        return Step(record.path, found.target, found.content, base, found.mode, None)
    kept = _merge_claims(claims)
    applied = merging.apply(base, kept)
    left = Record(
        record.path, record.root, base, record.mode, digest(applied.content), applied.undo_infos, claims, record.folders
    )
    return Step(record.path, found.target, found.content, applied.content, found.mode, left)


def _untracked_step(planned: FilePlan, known: set[str], roots: Sequence[str], ledger: Ledger) -> Step | None:
    """Plan the removal of our changes from a file that is not in the ledger, as after a clone."""
    found = read_file(planned.path, roots)
    if found.content is None or found.target in known or ledger.find(found.target) is not None:
        return None
    base = _base(found, None, planned.changes)
    return None if base == found.content else Step(planned.path, found.target, found.content, base, found.mode, None)
