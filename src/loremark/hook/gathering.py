"""From records to batches: turns that have ended, or have been left, become events that wait to be sent.

The order makes a crash at any moment harmless: what was told is noted, the batch is written, then its records are
removed. Work that is taken up again finds the batch and removes what is left of its records first.
"""

from __future__ import annotations

from typing import Any

from loremark.base import clock
from loremark.hook import commits, link, outbox, sessions, spool, turns
from loremark.hook.outbox import Batch
from loremark.hook.record import ANSWER_CHARS, clean
from loremark.hook.spool import Record
from loremark.hook.stripping import strip_injected
from loremark.hook.transcript import last_answer

IDLE_MS = 10 * clock.MINUTE_MS
_MOST_RECORDS = 20_000
_TURN_RECORDS = 400


def finish_begun() -> None:
    """Remove the records of batches that are written: the last step before a crash was not reached."""
    there = set(spool.list_names())
    for name in outbox.list_names():
        batch = outbox.read(name)
        if batch is None:
            outbox.refuse(name, "no batch that can be read")
            continue
        left = [member for member in batch.members if member in there]
        if left:
            spool.remove(left)


def gather(*, everything: bool = False) -> None:
    """Make batches of what is due. ``everything``: also of turns that go on."""
    groups: dict[str, list[tuple[str, Record]]] = {}
    for name in spool.list_names()[:_MOST_RECORDS]:
        record = spool.read(name)
        if record is None or not _is_whole(record):
            _set_aside(name)
        elif record["kind"] == spool.PLACE:
            link.remember_place(record["folder"])
            spool.remove([name])
        elif record["kind"] == spool.SESSION_START:
            sessions.end_others(record)
            spool.remove([name])
        elif record["kind"] in spool.GIT:
            _take_commits(name, record)
        elif record["kind"] == spool.EVENT:
            _take_event(name, record)
        else:
            groups.setdefault(sessions.key_of(record), []).append((name, record))
    for key, members in groups.items():
        _take_session(key, members, everything=everything)


def _is_whole(record: Record) -> bool:
    """Whether it tells where it belongs, as far as its kind must."""
    needed = ("folder",) if record["kind"] in (spool.PLACE, *spool.GIT) else ("project", "url", "agent", "session")
    return all(isinstance(record.get(name), str) for name in needed)


def _set_aside(name: str) -> None:
    """What cannot be read is no record: kept for a person to look at, out of the way."""
    batch = Batch(f"{name}.json", "", "", "", "", {"unreadable": name}, [name])
    outbox.keep(batch)
    outbox.refuse(batch.name, "no record that can be read")
    spool.remove([name])


def _take_event(name: str, record: Record) -> None:
    payload, event = record.get("payload"), record.get("event")
    if not isinstance(payload, dict) or not isinstance(event, str):
        _set_aside(name)
        return
    _keep([name], record, event, payload)
    spool.remove([name])


def _take_commits(name: str, record: Record) -> None:
    found = link.find_link(record["folder"])
    if found is not None:
        told = commits.telling(record, found.project)
        about = {"project": found.project, "url": found.url, "agent": "git", "session": "git"}
        for payload in told.payloads:
            # It names no records: after a crash the record must tell all its events again, which are the same ones.
            _keep([], about, commits.EVENT, payload, outbox.name_of([name], payload))
        commits.remember(told)
    spool.remove([name])


def _take_session(key: str, members: list[tuple[str, Record]], *, everything: bool) -> None:
    state = sessions.read(key)
    at = 0
    for turn in turns.split([record for _, record in members]):
        part = members[at : at + len(turn)]
        at += len(turn)
        is_over = turn[-1]["kind"] in spool.ENDS
        if not is_over and not everything and clock.now_ms() - spool.time_of(part[-1][0]) < IDLE_MS:
            break
        for start in range(0, len(part), _TURN_RECORDS):
            state = _take_turn(key, part[start : start + _TURN_RECORDS], state)


def _take_turn(key: str, part: list[tuple[str, Record]], state: dict[str, Any]) -> dict[str, Any]:
    names = [name for name, _ in part]
    records = [_with_answer(record, spool.time_of(names[0])) for _, record in part]
    is_new, seen = sessions.fresh(state, names, records)
    told = [record for record, new in zip(records, is_new, strict=True) if new]
    payload = turns.payload_of(told, outbox.mark_of(names)) if told else None
    last = records[-1]
    has_ended = last["kind"] == spool.SESSION_END and not last.get("goes_on")
    if payload is not None or has_ended:
        state = {**state, "seen": seen, "ended": has_ended, "family": sessions.family_of(last)}
        sessions.write(key, state)
    if payload is not None:
        _keep(names, records[-1], "session_save", payload)
    spool.remove(names)
    return state


def _with_answer(record: Record, since_ms: int) -> Record:
    """The record with the words that its transcript holds by now."""
    if record["kind"] != spool.TURN_END or record.get("text") or not isinstance(record.get("transcript"), str):
        return record
    said = last_answer(record["transcript"], since_ms - clock.SECOND_MS, int(record.get("at_ms", 0)))
    return {**record, "text": clean(strip_injected(said), ANSWER_CHARS)}


def _keep(members: list[str], about: Record, event: str, payload: dict[str, Any], name: str = "") -> None:
    name = name or outbox.name_of(members, payload)
    outbox.keep(Batch(name, about["project"], about["url"], sessions.key_of(about), event, payload, members))
