"""``loremark scan``: run the server's codebase analysis on a local checkout."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from loremark.base.profile import Profile
from loremark.base.redaction.redactor import redact_payload
from loremark.cli import connection
from loremark.cli.output import pluralize
from loremark.client.calls.contexts import populate
from loremark.client.calls.events import send_event
from loremark.client.calls.sessions import enrich
from loremark.entry.checkout import Checkout, blob_hash, open_checkout
from loremark.features.genesis.sandboxed_parser import SandboxedParser
from loremark.memory.codebase.analysis.analysis import analyze_codebase
from loremark.memory.codebase.graph.import_graph import import_counts
from loremark.memory.codebase.payloads import populate_nodes, scan_payload
from loremark.memory.codebase.records import Codebase, CodebaseAnalysis, FileFacts, Finding
from loremark.memory.codebase.security.audit import audit
from loremark.memory.codebase.selection.content_checks import text_of
from loremark.memory.codebase.selection.exclusions import is_hostile_name
from loremark.memory.codebase.selection.file_selection import describe_left_out, list_candidates, select_files
from loremark.memory.codebase.selection.quick_imports import quick_imports

_COMMITS = 60
_IGNORE_FILES = 50
_BATCH = 40

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ScanResult:
    """The result of scanning a folder."""

    checkout: Checkout
    codebase: Codebase
    study: CodebaseAnalysis
    findings: tuple[Finding, ...]
    hashes: dict[str, str]
    left_out: dict[str, int]
    unread: int
    """Files that parsing had no CPU time left for."""

    def to_json(self) -> str:
        fields = {
            "name": self.codebase.name,
            "commitSha": self.checkout.commit,
            "filesTotal": len(self.codebase.paths),
            "filesAnalyzed": len(self.codebase.files),
            "leftOut": self.left_out,
            "filesUnread": self.unread,
            "techStack": self.study.stack,
            "findings": self.findings,
        }
        return msgspec.json.encode(fields).decode()

    def payload(self) -> dict[str, Any]:
        """The event payload, with secrets redacted."""
        payload = scan_payload(
            name=self.codebase.name,
            commit=self.checkout.commit,
            files=self.codebase.files,
            hashes=self.hashes,
            deleted=(),
            findings=self.findings,
        )
        return {**payload, "findings": redact_payload(payload["findings"])[0], "source": "scan"}


async def scan(folder: Path, max_files: int, progress: Progress) -> ScanResult:
    """Select the most relevant files of a folder, parse them, and analyze them together."""
    checkout = open_checkout(folder, _COMMITS)
    ignores = [entry.path for entry in checkout.listed if entry.path.rpartition("/")[2] == ".gitignore"]
    found = list_candidates(checkout.listed, {path: _text(checkout, path) or "" for path in ignores[:_IGNORE_FILES]})
    imported: dict[str, int] = {}
    if len(found.kept) > max_files:
        imports = {entry.path: quick_imports(entry.path, _text(checkout, entry.path) or "") for entry in found.kept}
        imported = import_counts(imports, tuple(imports))
    chosen = select_files(found.kept, max_files, imported)
    facts: dict[str, FileFacts] = {}
    hashes: dict[str, str] = {}
    tried = 0
    reader = SandboxedParser()
    try:
        for start in range(0, len(chosen), _BATCH):
            contents = {path: checkout.read(path) for path in chosen[start : start + _BATCH]}
            readable = {path: content for path, content in contents.items() if content is not None}
            hashes |= {path: blob_hash(content, checkout.commit) for path, content in readable.items()}
            texts = {path: text for path, content in readable.items() if (text := text_of(content)) is not None}
            facts |= {path: FileFacts(None, 0) for path in readable if path not in texts}
            facts |= (await reader.read(texts))[0]
            tried = min(start + _BATCH, len(chosen))
            progress(tried, len(chosen))
            if reader.is_exhausted:
                break
    finally:
        await reader.close()
    paths = tuple(entry.path for entry in checkout.listed if not is_hostile_name(entry.path))
    codebase = Codebase(name=checkout.name, paths=paths, files=facts, commits=checkout.commits)
    results = analyze_codebase(codebase)
    findings = sorted((*results.findings, *audit(facts)), key=lambda finding: -finding.importance)
    unread = len(chosen) - tried + len(hashes.keys() - facts.keys())
    return ScanResult(checkout, codebase, results, tuple(findings), hashes, found.left_out, unread)


def _text(checkout: Checkout, path: str) -> str | None:
    content = checkout.read(path)
    return text_of(content) if content is not None else None


@dataclass(frozen=True)
class Target:
    """The server and project that receive a scan."""

    profile: Profile
    project_id: str


def find_target(arguments: argparse.Namespace) -> Target:
    """The signed-in server and the project. Resolved before the scan, so errors show up early."""
    with connection.open_client() as client:
        project = connection.get_project(arguments, client)
        return Target(connection.get_profile(), project)


def send(scanned: ScanResult, to: Target) -> str:
    """Send the findings as an event and the tree as contexts, and start enrichment. Returns a summary line."""
    with connection.open_client() as client:
        saved = client.send(send_event(to.project_id, "scan_result", scanned.payload()))
        populated = client.send(populate(to.project_id, populate_nodes(scanned.study.nodes), "scan"))
        if not saved.duplicate:
            client.send(enrich(saved.session_id))
    unchanged = " (unchanged since the last scan)" if saved.duplicate else ""
    return (
        f"Sent to {to.profile.url}, project {to.project_id}: {pluralize(len(scanned.findings), 'finding')}{unchanged} "
        f"in session {saved.session_id}; {pluralize(populated.created, 'context')} created, "
        f"{populated.updated} updated."
    )


def summary(scanned: ScanResult) -> str:
    """A readable summary of the scan."""
    read, total = len(scanned.codebase.files), len(scanned.codebase.paths)
    lines = [f"{scanned.codebase.name}: {read:,} of {pluralize(total, 'file')} read."]
    if scanned.left_out:
        lines.append(f"Left out: {describe_left_out(scanned.left_out)}.")
    if scanned.unread:
        lines.append(
            f"Incomplete: {pluralize(scanned.unread, 'file')} not read, because parsing took too much CPU time."
        )
    by_category: dict[str, list[str]] = {}
    for tech in scanned.study.stack:
        by_category.setdefault(tech.category, []).append(f"{tech.name} {tech.version}" if tech.version else tech.name)
    lines += ["", *(f"  {category:<10} {', '.join(names)}" for category, names in by_category.items()), ""]
    lines += [f"  {finding.importance}  {finding.layer:<12}  {finding.title}" for finding in scanned.findings]
    return "\n".join(lines)
