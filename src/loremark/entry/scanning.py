"""``loremark scan``: the same analysis as on the server, on a checkout of one's own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from loremark.base.profile import Profile
from loremark.base.redaction.redacting import redact_payload
from loremark.cli import desk
from loremark.client.calls.contexts import populate
from loremark.client.calls.events import tell_event
from loremark.client.calls.sessions import enrich
from loremark.entry.checkout import Checkout, blob_hash, open_checkout
from loremark.features.genesis.reading import Reader
from loremark.memory.codebase.choosing.choosing import candidates, choose
from loremark.memory.codebase.choosing.contents import text_of
from loremark.memory.codebase.choosing.excluding import is_hostile_name
from loremark.memory.codebase.choosing.glancing import quick_imports
from loremark.memory.codebase.graph.graph import counts
from loremark.memory.codebase.records import Codebase, FileFacts, Finding, Study
from loremark.memory.codebase.security.audit import audit
from loremark.memory.codebase.study.study import study
from loremark.memory.codebase.telling import populate_nodes, scan_payload

_COMMITS = 60
_IGNORE_FILES = 50
_AT_ONCE = 40

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Scanned:
    """What a scan of a folder has found."""

    checkout: Checkout
    codebase: Codebase
    study: Study
    findings: tuple[Finding, ...]
    hashes: dict[str, str]
    left_out: dict[str, int]

    def to_json(self) -> str:
        told = {
            "name": self.codebase.name,
            "commitSha": self.checkout.commit,
            "filesTotal": len(self.codebase.paths),
            "filesAnalyzed": len(self.codebase.files),
            "leftOut": self.left_out,
            "techStack": self.study.stack,
            "findings": self.findings,
        }
        return msgspec.json.encode(told).decode()

    def payload(self) -> dict[str, Any]:
        """What is sent: without secrets, which also the server would take out."""
        told = scan_payload(
            name=self.codebase.name,
            commit=self.checkout.commit,
            files=self.codebase.files,
            hashes=self.hashes,
            deleted=(),
            findings=self.findings,
        )
        return {**told, "findings": redact_payload(told["findings"])[0], "source": "scan"}


async def scan(folder: Path, max_files: int, progress: Progress) -> Scanned:
    """Read a folder: choose its most telling files, read each, look at them together."""
    checkout = open_checkout(folder, _COMMITS)
    ignores = [entry.path for entry in checkout.listed if entry.path.rpartition("/")[2] == ".gitignore"]
    found = candidates(checkout.listed, {path: _text(checkout, path) or "" for path in ignores[:_IGNORE_FILES]})
    imported: dict[str, int] = {}
    if len(found.kept) > max_files:
        imports = {entry.path: quick_imports(entry.path, _text(checkout, entry.path) or "") for entry in found.kept}
        imported = counts(imports, tuple(imports))
    chosen = choose(found.kept, max_files, imported)
    facts: dict[str, FileFacts] = {}
    hashes: dict[str, str] = {}
    reader = Reader()
    try:
        for start in range(0, len(chosen), _AT_ONCE):
            contents = {path: checkout.read(path) for path in chosen[start : start + _AT_ONCE]}
            there = {path: content for path, content in contents.items() if content is not None}
            hashes |= {path: blob_hash(content, checkout.commit) for path, content in there.items()}
            texts = {path: text for path, content in there.items() if (text := text_of(content)) is not None}
            facts |= {path: FileFacts(None, 0) for path in there} | (await reader.read(texts))[0]
            progress(min(start + _AT_ONCE, len(chosen)), len(chosen))
    finally:
        await reader.close()
    paths = tuple(entry.path for entry in checkout.listed if not is_hostile_name(entry.path))
    codebase = Codebase(name=checkout.name, paths=paths, files=facts, commits=checkout.commits)
    told = study(codebase)
    findings = sorted((*told.findings, *audit(facts)), key=lambda finding: -finding.importance)
    return Scanned(checkout, codebase, told, tuple(findings), hashes, found.left_out)


def _text(checkout: Checkout, path: str) -> str | None:
    content = checkout.read(path)
    return text_of(content) if content is not None else None


@dataclass(frozen=True)
class Target:
    """Where a scan is sent to."""

    profile: Profile
    project_id: str


def find_target(arguments: argparse.Namespace) -> Target:
    """The server one is signed in to, and the project there; asked before the work, not after it."""
    with desk.open_client() as client:
        project = desk.get_project(arguments, client)
        return Target(desk.get_profile(), project)


def send(scanned: Scanned, to: Target) -> str:
    """Tell the server of it: the findings as an event to be enriched, the tree as contexts. One line for the user."""
    with desk.open_client() as client:
        kept = client.send(tell_event(to.project_id, "scan_result", scanned.payload()))
        populated = client.send(populate(to.project_id, populate_nodes(scanned.study.nodes), "scan"))
        if not kept.duplicate:
            client.send(enrich(kept.session_id))
    again = " (the same as last time)" if kept.duplicate else ""
    return (
        f"Sent to {to.profile.url}, project {to.project_id}: {len(scanned.findings)} findings{again} become memory in "
        f"session {kept.session_id}; contexts: {populated.created} made, {populated.updated} updated."
    )


def summary(scanned: Scanned) -> str:
    """What a person wants to read of it first."""
    read, total = len(scanned.codebase.files), len(scanned.codebase.paths)
    lines = [f"{scanned.codebase.name}: {read} of {total} files read."]
    if scanned.left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(scanned.left_out.items()))
        lines.append(f"Left out: {reasons}.")
    by_category: dict[str, list[str]] = {}
    for tech in scanned.study.stack:
        by_category.setdefault(tech.category, []).append(f"{tech.name} {tech.version}" if tech.version else tech.name)
    lines += ["", *(f"  {category:<10} {', '.join(names)}" for category, names in by_category.items()), ""]
    lines += [f"  {finding.importance}  {finding.layer:<12}  {finding.title}" for finding in scanned.findings]
    return "\n".join(lines)
