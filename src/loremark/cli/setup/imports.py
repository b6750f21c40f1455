"""Import what is known already: instruction files, decision records, past commits and past agent sessions."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from loremark.base import clock
from loremark.base.folders import environment_overrides
from loremark.base.session_source import session_source
from loremark.cli import output
from loremark.cli.event_sender import Sent, send_history, send_notes
from loremark.cli.import_ledger import ImportLedger
from loremark.cli.step_report import State, Step
from loremark.client.calls.sessions import list_sessions
from loremark.client.client import Client
from loremark.exchange import adr, claude_code, codex, detection, instructions, memory_bank, past_sessions
from loremark.exchange.chunks import InvalidFileError
from loremark.exchange.notes import Note, to_event
from loremark.exchange.past_sessions import TITLES, PastSession
from loremark.hook import capture_settings, commits, gitpaths
from loremark.hook.exclusions import Exclusions
from loremark.hook.git import GitError
from loremark.hook.link import Link

_READERS = {claude_code.TOOL: claude_code.read, codex.TOOL: codex.read}
_DOCUMENTS = (
    instructions.TOOL,
    adr.TOOL,
    memory_bank.TOOL,
)
_NOUNS = {
    instructions.TOOL: ("instruction file", "instruction files"),
    adr.TOOL: ("decision record", "decision records"),
    memory_bank.TOOL: ("memory bank page", "memory bank pages"),
}
_VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "XDG_DATA_HOME")
_MAX_SESSIONS = 100
_LISTED = 6


class Document(NamedTuple):
    """A note about the project, with the name and version to remember it by."""

    key: str
    version: str
    note: Note


class ImportPlan(NamedTuple):
    """What is new, and the number of what was imported before."""

    documents: list[Document]
    known_documents: int
    commits: int
    known_commits: int
    sessions: list[PastSession]
    known_sessions: int
    left_out: int
    """Sessions that are older than the newest hundred."""
    unreadable: list[str]
    problems: list[str]


def plan(folder: str, link: Link | None, max_commits: int, captured: frozenset[str] = frozenset()) -> ImportPlan:
    """Find what can be imported. ``captured``: the sources of sessions that the server has from the agents' hooks."""
    ledger = ImportLedger(link.url, link.project) if link is not None else None
    problems: list[str] = []
    documents = list(_find_documents(folder, problems))
    new = [each for each in documents if ledger is None or not ledger.is_current(each.key, each.version)]
    of_all, unreported = _count_commits(folder, link, max_commits)
    home, variables = os.path.expanduser("~"), environment_overrides(_VARIABLES)
    found = past_sessions.find(_working_trees(folder), home, variables)
    fresh = [
        session
        for session in found
        if not (ledger is not None and ledger.is_current(session.key, _version(session)))
        and session_source(session.tool, session.id) not in captured
    ]
    return ImportPlan(
        documents=new,
        known_documents=len(documents) - len(new),
        commits=unreported,
        known_commits=of_all - unreported,
        sessions=fresh[:_MAX_SESSIONS],
        known_sessions=len(found) - len(fresh),
        left_out=max(len(fresh) - _MAX_SESSIONS, 0),
        unreadable=past_sessions.list_unreadable(folder, home, variables),
        problems=problems,
    )


def list_captured(client: Client, project: str) -> frozenset[str]:
    """The sources of the sessions that the server has."""
    return frozenset(session.source for session in client.paginate(list_sessions(project, limit=200)))


def _find_documents(folder: str, problems: list[str]) -> Iterator[Document]:
    try:
        sources = [source for source in detection.detect(Path(folder)) if source.tool in _DOCUMENTS]
    except InvalidFileError as error:
        problems.append(str(error))
        return
    for source in sources:
        try:
            notes = list(detection.read(source))
        except InvalidFileError as error:
            problems.append(str(error))
            continue
        numbers: Counter[str] = Counter()
        for note in notes:
            numbers[note.origin] += 1
            payload = json.dumps(to_event(note).payload, sort_keys=True).encode()
            version = hashlib.sha256(payload).hexdigest()[:20]
            yield Document(f"{note.tool}:{note.origin}:{numbers[note.origin]}", version, note)


def _count_commits(folder: str, link: Link | None, limit: int) -> tuple[int, int]:
    """The number of past commits within the limit, and of those that are new to the project."""
    if limit == 0:
        return 0, 0
    try:
        history = commits.backfill(folder, link.project if link is not None else "", None, None, limit)
    except GitError:  # no repository, or no commits
        return 0, 0
    return history.commits, history.unreported


def _working_trees(folder: str) -> list[str]:
    repository = gitpaths.find_repository(folder)
    return [folder] if repository is None or repository.top != folder else gitpaths.list_worktrees(repository)


def _version(session: PastSession) -> str:
    return str(session.size)


# ── descriptions


def describe(found: ImportPlan, *, with_sessions: bool, max_commits: int) -> list[Step]:
    """The imports, before anything is done."""
    return [
        _documents_step(found, "planned"),
        _commits_step(found, "planned", max_commits),
        _sessions_step(found, "planned", with_sessions=with_sessions),
    ]


def _documents_step(found: ImportPlan, state: State, done: Sent | None = None) -> Step:
    problems = (*found.problems, *(done.failed if done is not None else ()))
    if not found.documents:
        known = f"Imported before: {output.pluralize(found.known_documents, 'document')}"
        nothing = "No instruction files, decision records or memory bank in this folder"
        is_known = found.known_documents > 0
        return Step("Documents", "unchanged" if is_known else "skipped", known if is_known else nothing, problems)
    kinds = Counter(each.note.tool for each in found.documents)
    counts = output.join([output.pluralize(count, *_NOUNS[tool]) for tool, count in kinds.items()])
    names = list(dict.fromkeys(each.note.origin for each in found.documents))
    more = [f"and {len(names) - _LISTED} more"] if len(names) > _LISTED else []
    verb = "Import" if state == "planned" else "Imported"
    return Step("Documents", state, f"{verb} {counts}", (*names[:_LISTED], *more, *problems))


def _commits_step(found: ImportPlan, state: State, max_commits: int) -> Step:
    if max_commits == 0:
        return Step("Commits", "skipped", "No past commits are imported (--commits 0)")
    if not found.commits + found.known_commits:
        return Step("Commits", "skipped", "There are no commits in this folder")
    if not found.commits:
        return Step("Commits", "unchanged", f"Imported before: {output.pluralize(found.known_commits, 'commit')}")
    verb = "Import" if state == "planned" else "Imported"
    known = f"; {found.known_commits:,} were imported before" if found.known_commits else ""
    return Step("Commits", state, f"{verb} {output.pluralize(found.commits, 'past commit')}{known}")


def _sessions_step(found: ImportPlan, state: State, *, with_sessions: bool, done: Sent | None = None) -> Step:
    details = [f"{found.left_out} older sessions are left out"] if found.left_out else []
    if found.unreadable:
        details.append(f"Not imported, because their format is not supported yet: {output.join(found.unreadable)}")
    details += done.failed if done is not None else []
    if not with_sessions and (found.sessions or found.known_sessions):
        return Step(
            "Sessions", "skipped", "Past agent sessions are not imported (they are with --sessions)", tuple(details)
        )
    if not found.sessions:
        if found.known_sessions:
            known = f"Imported or captured before: {output.pluralize(found.known_sessions, 'session')}"
            return Step("Sessions", "unchanged", known, tuple(details))
        titles = output.join(list(TITLES.values()), "or")
        return Step("Sessions", "skipped", f"No past sessions of {titles} in this folder", tuple(details))
    kinds = Counter(session.tool for session in found.sessions)
    counts = output.join(
        [TITLES[tool] if len(kinds) == 1 else f"{count:,} of {TITLES[tool]}" for tool, count in kinds.items()]
    )
    days = sorted(clock.iso(session.modified_ms)[:10] for session in found.sessions)
    period = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    verb = "Import" if state == "planned" else "Imported"
    total = output.pluralize(len(found.sessions), "past session")
    separator = " of" if len(kinds) == 1 else ":"
    return Step("Sessions", state, f"{verb} {total}{separator} {counts} ({period})", tuple(details))


# ── sending


@contextmanager
def _sending(link: Link) -> Iterator[tuple[ImportLedger, Sent]]:
    """What was sent is remembered for the enrichment, also if sending is interrupted."""
    ledger, sent = ImportLedger(link.url, link.project), Sent()
    try:
        yield ledger, sent
    finally:
        output.clear_progress()
        if sent.sessions:
            ledger.add_unenriched(sent.sessions)


def send_documents(client: Client, link: Link, found: ImportPlan) -> Step:
    with _sending(link) as (ledger, sent):
        for number, document in enumerate(found.documents, 1):
            output.progress(f"Importing documents: {number} of {len(found.documents)}")
            send_notes(client, link.project, [document.note], _ignore, sent)
            ledger.add(document.key, document.version)
    return _documents_step(found, "done", sent)


def send_commits(client: Client, link: Link, found: ImportPlan, max_commits: int) -> Step:
    if max_commits and found.commits:
        with _sending(link) as (_, sent):
            history = commits.backfill(link.folder, link.project, None, None, max_commits)
            send_history(client, link.project, history, lambda count: _show_commits(count, found.commits), sent)
    return _commits_step(found, "done", max_commits)


def _show_commits(count: int, of_all: int) -> None:
    output.progress(f"Importing commits: {output.bar(count, of_all)} {count:,} of {of_all:,}")


def send_sessions(client: Client, link: Link, found: ImportPlan, *, with_sessions: bool) -> Step:
    prefix = capture_settings.private_prefix(link.folder)
    excluded = capture_settings.exclusions(link.folder)
    wanted = found.sessions[::-1] if with_sessions else []  # oldest first, as they happened
    with _sending(link) as (ledger, sent):
        for number, session in enumerate(wanted, 1):
            output.progress(f"Importing sessions: {output.bar(number, len(wanted))} {number:,} of {len(wanted):,}")
            notes = (_without_excluded(note, link.folder, excluded) for note in read_session(session, prefix))
            send_notes(client, link.project, notes, _ignore, sent)
            ledger.add(session.key, _version(session))
    return _sessions_step(found, "done", with_sessions=with_sessions, done=sent)


def read_session(session: PastSession, private_prefix: str) -> Iterator[Note]:
    return _READERS[session.tool](session.file, private_prefix)


def _without_excluded(note: Note, folder: str, excluded: Exclusions) -> Note:
    """The note without files that must not be captured."""

    def kept(files: Iterable[str]) -> list[str]:
        return [path for path in files if not excluded.covers(os.path.normpath(os.path.join(folder, path)))]

    turns = [{**turn, "files": kept(turn.get("files", ()))} for turn in note.extra.get("turns", ())]
    return replace(note, files=tuple(kept(note.files)), extra={**note.extra, "turns": turns})


def _ignore(count: int) -> None:
    """The caller shows the progress."""
