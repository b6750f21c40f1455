"""Putting our entries into the files of an agent, and taking them out again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from loremark.agents import files, merging, program
from loremark.agents.agent import USER, Agent, FileWish, Server, Wish
from loremark.agents.changes import Block, Change, Member, Whole
from loremark.agents.files import Found
from loremark.agents.ledger import Claim, Ledger, Record, digest
from loremark.agents.refusal import Refused


class Step(NamedTuple):
    """What becomes of one file; ``after`` is None where it goes."""

    path: str
    target: str
    before: bytes | None
    after: bytes | None
    mode: int | None
    record: Record | None
    """As it shall stand in the ledger; None: nothing of ours is in the file any more."""
    executable: bool = False

    @property
    def is_change(self) -> bool:
        return self.before != self.after


class Plan(NamedTuple):
    steps: list[Step]
    notes: list[str]
    """What the person should know: files that were left alone, and why; a program that may not be found."""

    @property
    def is_change(self) -> bool:
        return any(step.is_change for step in self.steps)


def owner_of(name: str, wish: Wish) -> str:
    return f"{name}:user" if wish.scope == USER else f"{name}:project:{os.path.realpath(wish.places.project)}"


def server_of(agent: Agent, wish: Wish, ledger: Ledger) -> Server:
    """The transport that was chosen when the agent was set up; else as wished."""
    owner = owner_of(agent.name, wish)
    for record in ledger.list_records():
        for claim in record.claims:
            url = _url_in(claim.changes) if claim.owner == owner else None
            if url is not None:
                return Server(url)
    return wish.server


def _url_in(changes: Sequence[Change]) -> str | None:
    for change in changes:
        if isinstance(change, Member) and isinstance(change.value, dict):
            found = change.value.get("url") or change.value.get("serverUrl")
            if isinstance(found, str):
                return found
        if isinstance(change, Block) and change.table:
            return next((line[7:-1] for line in change.text.split("\n") if line.startswith('url = "')), None)
    return None


def plan_install(agent: Agent, wish: Wish, ledger: Ledger) -> Plan:
    """What would change; refused as a whole if a file that matters cannot be merged."""
    if wish.server.url is not None and not agent.speaks_http:
        raise Refused(f"{agent.title} cannot read a key from a variable, so it is set up without --http")
    wish = program.settled(wish)
    plan = plan_files(agent.files(wish), owner_of(agent.name, wish), _roots(agent, wish), ledger)
    told = program.warning(wish) if wish.scope != USER and plan.is_change else None
    return plan._replace(notes=[*plan.notes, told]) if told is not None else plan


def plan_files(wishes: Sequence[FileWish], owner: str, roots: Sequence[str], ledger: Ledger) -> Plan:
    plan = Plan([], [])
    for wished in wishes:
        try:
            plan.steps.append(_install_step(wished, owner, roots, ledger))
        except Refused as refused:
            if not wished.is_optional:
                raise Refused(f"{wished.path} was left alone: {refused}") from None
            plan.notes.append(f"{wished.path} was left alone: {refused}")
    return plan


def plan_uninstall(agent: Agent, wish: Wish, ledger: Ledger) -> Plan:
    """What would be taken back: what the ledger knows, and what is found of ours where it knows nothing."""
    return plan_removal(agent.files(wish), owner_of(agent.name, wish), _roots(agent, wish), ledger)


def plan_removal(wishes: Sequence[FileWish], owner: str, roots: Sequence[str], ledger: Ledger) -> Plan:
    plan = Plan([], [])
    recorded = [record for record in ledger.list_records() if owner in record.owners()]
    known = {record.path for record in recorded}
    makers: list[tuple[str, Callable[[], Step | None]]]
    makers = [(record.path, partial(_uninstall_step, record, owner)) for record in recorded]
    makers += [(wished.path, partial(_clear_step, wished, known, roots, ledger)) for wished in wishes]
    for path, make in makers:
        try:
            step = make()
        except Refused as refused:
            plan.notes.append(f"{path} was left alone: {refused}")
        else:
            plan.steps.extend([step] if step is not None else [])
    return plan


def carry_out(plan: Plan, ledger: Ledger) -> None:
    """Do it. A file that changed since it was planned is refused; what was done before stands in the ledger."""
    emptied: set[str] = set()
    for step in plan.steps:
        now = files.find(step.target, os.path.dirname(step.target))
        if now.content != step.before:
            raise Refused(f"{step.path} has just been changed by another program; try again")
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
    _hand_over(files.remove_empty(emptied), ledger)


def _write(step: Step, record: Record, ledger: Ledger) -> None:
    """The ledger first: should we be ended in between, it still knows the way back."""
    if step.is_change:
        record.folders = sorted({*record.folders, *files.missing_folders(step.target)})
    ledger.save(record)
    if step.is_change and step.after is not None:
        files.write(step.target, step.after, step.mode, step.executable)


def _hand_over(folders: Sequence[str], ledger: Ledger) -> None:
    """Folders of ours that still hold something go with the last file of ours in them."""
    for record in ledger.list_records() if folders else []:
        inside = [folder for folder in folders if record.path.startswith(folder + os.sep)]
        if inside:
            record.folders = sorted({*record.folders, *inside})
            ledger.save(record)


def _roots(agent: Agent, wish: Wish) -> list[str]:
    if wish.scope != USER:
        return [wish.places.project]
    return [wish.places.home, *agent.roots(wish.places)]


def find_file(path: str, roots: Sequence[str]) -> Found:
    """The file, which must really lie below one of the roots."""
    refused = None
    for root in roots:
        try:
            return files.find(path, root)
        except Refused as error:
            refused = refused or error
    raise refused or Refused("there is no place for it")


def _install_step(wished: FileWish, owner: str, roots: Sequence[str], ledger: Ledger) -> Step:
    found = find_file(wished.path, roots)
    record = ledger.find(found.target)
    claims = [claim for claim in (record.claims if record else []) if claim.owner != owner]
    claims.append(Claim(owner, list(wished.changes)))
    changes = _all_changes(claims)
    base = _base(found, record, changes)
    fresh = merging.apply(base, changes)
    # In place where something of ours is there already: others may have added theirs behind it.
    is_anew = base == found.content or (base is None and _is_whole(changes))
    after = fresh.content if is_anew else merging.apply(found.content, changes).content
    made = Record(
        path=found.target,
        root=roots[0],
        original=base,
        mode=found.mode if base is not None else None,
        after=digest(after),
        traces=fresh.traces,
        claims=claims,
        folders=record.folders if record else [],
    )
    executable = any(isinstance(change, Whole) and change.executable for change in wished.changes)
    mode = found.mode
    if found.content is None and owner.endswith(f":{USER}"):
        mode = 0o700 if executable else 0o600  # agents go on to keep tokens in such files
    return Step(wished.path, found.target, found.content, after, mode, made, executable)


def _all_changes(claims: Sequence[Claim]) -> list[Change]:
    """The wishes of all owners, each once; the newest last word on the same entry."""
    kept: dict[object, Change] = {}
    for claim in claims:
        for change in claim.changes:
            kept[(type(change), getattr(change, "path", None))] = change
    return list(kept.values())


def _base(found: Found, record: Record | None, changes: Sequence[Change]) -> bytes | None:
    """The file without anything of ours."""
    if found.content is None:
        return None
    if record is None:
        reverted = merging.revert(found.content, changes, None)
        if (reverted.is_bare and reverted.content != found.content) or _is_ours_whole(found, changes):
            return None
        return reverted.content
    return _without(found.content, record)


def _is_whole(changes: Sequence[Change]) -> bool:
    return any(isinstance(change, Whole) for change in changes)


def _is_ours_whole(found: Found, changes: Sequence[Change]) -> bool:
    return _is_whole(changes) and merging.is_whole_ours((found.content or b"").decode(errors="replace"))


def _without(content: bytes, record: Record) -> bytes | None:
    """What a file we know looks like without us: exactly as before, if nobody else changed it since."""
    if digest(content) == record.after:
        return record.original
    if content == record.original:
        return content
    reverted = merging.revert(content, _all_changes(record.claims), record.traces)
    return None if reverted.is_bare and record.original is None else reverted.content


def _uninstall_step(record: Record, owner: str) -> Step:
    found = files.find(record.path, record.root)
    claims = [claim for claim in record.claims if claim.owner != owner]
    if found.content is None:
        return Step(record.path, found.target, None, None, None, None)
    base = _without(found.content, record)
    if not claims:
        return Step(record.path, found.target, found.content, base, found.mode, None)
    kept = _all_changes(claims)
    applied = merging.apply(base, kept)
    left = Record(
        record.path, record.root, base, record.mode, digest(applied.content), applied.traces, claims, record.folders
    )
    return Step(record.path, found.target, found.content, applied.content, found.mode, left)


def _clear_step(wished: FileWish, known: set[str], roots: Sequence[str], ledger: Ledger) -> Step | None:
    """Ours in a file of which this machine's ledger knows nothing, as after a clone."""
    found = find_file(wished.path, roots)
    if found.content is None or found.target in known or ledger.find(found.target) is not None:
        return None
    base = _base(found, None, wished.changes)
    return None if base == found.content else Step(wished.path, found.target, found.content, base, found.mode, None)
