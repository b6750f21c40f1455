"""Build batches from spool records: ended or idle turns become events in the outbox.

A crash at any point is harmless: state is saved first, then the batch is written, then its records are deleted. After a
crash, the remaining records of existing batches are deleted first.
"""

from __future__ import annotations

from typing import Any

from loremark.base import clock
from loremark.hook import commits, link, outbox, sessions, spool, turns
from loremark.hook.injected_text import strip_injected
from loremark.hook.outbox import Batch
from loremark.hook.record import ANSWER_CHARS, clean
from loremark.hook.spool import Record
from loremark.hook.transcript import last_answer

IDLE_MS = 10 * clock.MINUTE_MS
_MAX_RECORDS = 20_000
_TURN_RECORDS = 400


def remove_batched_records() -> None:
    """Delete leftover records of existing batches after a crash."""
    existing = set(spool.list_names())
    for name in outbox.list_names():
        batch = outbox.read(name)
        if batch is None:
            outbox.reject(name, "unreadable batch")
            continue
        left = [member for member in batch.members if member in existing]
        if left:
            spool.remove(left)


def build_batches(*, include_open_turns: bool = False) -> None:
    """Batch what is ready. ``include_open_turns``: also turns that have not ended."""
    groups: dict[str, list[tuple[str, Record]]] = {}
    for name in spool.list_names()[:_MAX_RECORDS]:
        record = spool.read(name)
        if record is None or not _is_valid(record):
            _reject_record(name)
        elif record["kind"] == spool.UNRESOLVED_FOLDER:
            link.resolve_repository(record["folder"])
            spool.remove([name])
        elif record["kind"] == spool.SESSION_START:
            sessions.end_previous(record)
            spool.remove([name])
        elif record["kind"] in spool.GIT_HOOKS:
            _batch_commits(name, record)
        elif record["kind"] == spool.EVENT:
            _batch_event(name, record)
        else:
            groups.setdefault(sessions.session_key(record), []).append((name, record))
    for key, members in groups.items():
        _batch_session(key, members, include_open_turns=include_open_turns)


def _is_valid(record: Record) -> bool:
    """Return whether the record has the fields its kind requires."""
    needed = (
        ("folder",)
        if record["kind"] in (spool.UNRESOLVED_FOLDER, *spool.GIT_HOOKS)
        else ("project", "url", "agent", "session")
    )
    return all(isinstance(record.get(name), str) for name in needed)


def _reject_record(name: str) -> None:
    """Move an unreadable record to the rejected folder for inspection."""
    batch = Batch(f"{name}.json", "", "", "", "", {"unreadable": name}, [name])
    outbox.write(batch)
    outbox.reject(batch.name, "unreadable record")
    spool.remove([name])


def _batch_event(name: str, record: Record) -> None:
    payload, event = record.get("payload"), record.get("event")
    if not isinstance(payload, dict) or not isinstance(event, str):
        _reject_record(name)
        return
    _write_batch([name], record, event, payload)
    spool.remove([name])


def _batch_commits(name: str, record: Record) -> None:
    found = link.find_link(record["folder"])
    if found is not None:
        report = commits.build_report(record, found.project)
        about = {"project": found.project, "url": found.url, "agent": "git", "session": "git"}
        # While capture is paused, commits only count as reported, so that later ones don't bring them along.
        for payload in report.payloads if not record.get("paused") else ():
            # No record names: after a crash the record must produce all its events again, and they are identical.
            _write_batch([], about, commits.EVENT, payload, outbox.batch_name([name], payload))
        commits.mark_reported(report)
    spool.remove([name])


def _batch_session(key: str, members: list[tuple[str, Record]], *, include_open_turns: bool) -> None:
    state = sessions.read(key)
    at = 0
    for turn in turns.split_turns([record for _, record in members]):
        part = members[at : at + len(turn)]
        at += len(turn)
        is_over = turn[-1]["kind"] in spool.TURN_BOUNDARIES
        if not is_over and not include_open_turns and clock.now_ms() - spool.timestamp_ms(part[-1][0]) < IDLE_MS:
            break
        for start in range(0, len(part), _TURN_RECORDS):
            state = _batch_turn(key, part[start : start + _TURN_RECORDS], state)


def _batch_turn(key: str, part: list[tuple[str, Record]], state: dict[str, Any]) -> dict[str, Any]:
    names = [name for name, _ in part]
    records = [_with_answer(record, spool.timestamp_ms(names[0])) for _, record in part]
    is_new, seen = sessions.find_new(state, names, records)
    fresh = [record for record, new in zip(records, is_new, strict=True) if new]
    payload = turns.build_payload(fresh, outbox.content_hash(names)) if fresh else None
    last = records[-1]
    has_ended = last["kind"] == spool.SESSION_END and not last.get("continues")
    if payload is not None or has_ended:
        state = {
            **state,
            "seen": seen,
            "ended": has_ended,
            "agent_key": sessions.agent_key(last),
            "agent": last["agent"],
        }
        sessions.write(key, state)
    if payload is not None:
        _write_batch(names, records[-1], "session_save", payload)
    spool.remove(names)
    return state


def _with_answer(record: Record, since_ms: int) -> Record:
    """Fill in the answer from the transcript, which is complete by now."""
    if record["kind"] != spool.TURN_END or record.get("text") or not isinstance(record.get("transcript"), str):
        return record
    answer = last_answer(record["transcript"], since_ms - clock.SECOND_MS, int(record.get("at_ms", 0)))
    return {**record, "text": clean(strip_injected(answer), ANSWER_CHARS)}


def _write_batch(members: list[str], about: Record, event: str, payload: dict[str, Any], name: str = "") -> None:
    name = name or outbox.batch_name(members, payload)
    outbox.write(Batch(name, about["project"], about["url"], sessions.session_key(about), event, payload, members))
