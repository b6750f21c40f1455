"""The fuzz targets: each takes any bytes. It fails by an exception that its parser should not raise, or by hanging."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from loremark.agents import jsonc
from loremark.base.errors import Refusal
from loremark.base.redaction.redactor import redact, redact_payload
from loremark.exchange import detection
from loremark.exchange.chunks import InvalidFileError
from loremark.exchange.notes import to_event
from loremark.features.ingest import payload as ingest
from loremark.features.sessions.payload_depth import is_too_deep
from loremark.features.transfer.line_parser import read_lines
from loremark.hook import agents, gitpatch, record
from loremark.hook import payload as hook_payload
from loremark.memory.codebase import prompts
from loremark.memory.codebase.analysis.analysis import analyze_codebase
from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.parsing.source_reader import load_readers
from loremark.memory.codebase.records import Codebase
from loremark.memory.codebase.security.audit import audit
from loremark.memory.codebase.selection.content_checks import text_of
from loremark.memory.codebase.selection.file_selection import ListedFile, list_candidates, select_files
from loremark.memory.codebase.selection.quick_imports import quick_imports
from loremark.memory.extraction.extract import extract
from loremark.memory.items import RawEvent
from loremark.memory.json_answer import MalformedAnswer
from loremark.memory.reading.answers import parse_answer
from loremark.memory.reading.source_text import SourceText
from loremark.memory.reading.transcript import Passage, passages
from loremark.wire.events import IngestEvent
from tests.fuzz.names import IMPORTS, MANIFESTS, NAMES, SOURCES

_AGENTS = ("claude-code", "codex", "cursor", "gemini", "copilot", "windsurf", "cline", "opencode")
_EVENTS = tuple(IngestEvent)


def _pick(names: tuple[str, ...], data: bytes) -> tuple[str, bytes]:
    """The first byte chooses the name, the rest is the content."""
    return names[data[0] % len(names)] if data else names[0], data[1:]


def _read(names: tuple[str, ...], data: bytes) -> None:
    path, content = _pick(names, data)
    text = text_of(content)
    if text is None:
        return
    quick_imports(path, text)
    facts = {path: read_file(path, text)}
    msgspec.json.encode(facts)
    analyze_codebase(Codebase(name="fuzz", paths=(path,), files=facts))
    audit(facts)


def source(data: bytes) -> None:
    """A source file of a scanned repository."""
    _read(SOURCES, data)


def manifest(data: bytes) -> None:
    """A manifest, lock file, document or configuration of a scanned repository."""
    _read(MANIFESTS, data)


def file_names(data: bytes) -> None:
    """The names of a repository's files, and its .gitignore."""
    ignored, _, names = data.decode(errors="replace").partition("\0")
    listed = [ListedFile(name, len(name)) for name in names.split("\n")[:200] if name]
    found = list_candidates(listed, {".gitignore": ignored})
    select_files(found.kept, 50, {})


def imported(data: bytes) -> None:
    """A file of another tool."""
    name, content = _pick(IMPORTS, data)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        with suppress(InvalidFileError):
            for found in detection.detect(path):
                if found.tool != detection.EXPORT:
                    for note in detection.read(found):
                        to_event(note)


def import_lines(data: bytes) -> None:
    """The lines of a Loremark export that somebody may have edited."""
    with suppress(Refusal):
        read_lines(data)


def event(data: bytes) -> None:
    """The body of a captured event, and what enrichment makes of it."""
    with suppress(Refusal):
        body = ingest.inflate(data, "gzip" if data.startswith(b"\x1f\x8b") else None)
        sent = ingest._decode(body)
        ingest.build_event(sent, "prj_fuzz", "team_fuzz", "fuzz")
        _enrich(sent.event.value, sent.payload)


def payload(data: bytes) -> None:
    """The fields of an event that was accepted."""
    name, content = _pick(_EVENTS, data)
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        fields = msgspec.json.decode(content, type=dict)
        if not is_too_deep(fields, content):
            _enrich(name, fields)


def _enrich(name: str, fields: dict[str, object]) -> None:
    redacted = redact_payload(fields)[0]
    raw = RawEvent("evt_fuzz", name, redacted)
    extract(raw)
    passages([raw])


def session(data: bytes) -> None:
    """The text of a session."""
    text = data.decode(errors="replace")
    turns = [{"role": "user", "content": part} for part in text.split("\0")]
    for name, field in (("session_save", "summary"), ("scan_result", "findings"), ("git_digest", "commits")):
        value: object = text if field == "summary" else [{"title": text, "message": text, "content": text}]
        _enrich(name, {field: value, "messages": turns, "decisions": [text], "diff": text})


def redaction(data: bytes) -> None:
    """Text that may contain secrets. Redacting it again finds nothing more."""
    once = redact(data.decode(errors="replace"))[0]
    redact(once)


def model_answer(data: bytes) -> None:
    """What a language model answered."""
    text = data.decode(errors="replace")
    with suppress(prompts.MalformedAnswer):
        prompts.read_chunk_answer(text, {"a.py"})
    with suppress(prompts.MalformedAnswer):
        prompts.read_synthesis_answer(text, {"a.py"})
    with suppress(MalformedAnswer):
        parse_answer(text, SourceText([Passage(1, "user", text, "evt_fuzz")]), {"item_1"}, branch=None)


def hook(data: bytes) -> None:
    """What an agent tells the hook, possibly cut off."""
    fields = hook_payload.decode(data)
    if fields is None:
        return
    agent = agents.detect(fields)
    kind = agents.record_kind(agent, fields)
    agents.working_folder(fields)
    agents.session_id(fields)
    for name in (agent, *_AGENTS):
        record.prompt_text(name, fields)
        agents.record_kind(name, fields, kind or "")


def patch(data: bytes) -> None:
    """A commit's diff."""
    gitpatch.without_files(data.decode(errors="replace"), lambda path: path.endswith("x"))


def configuration(data: bytes) -> None:
    """An agent's configuration file: JSON with comments."""
    with suppress(jsonc.JsonError):
        jsonc.parse(data.decode(errors="replace"))


TARGETS: dict[str, Callable[[bytes], None]] = {name: globals()[name] for name in NAMES}
load_readers()
