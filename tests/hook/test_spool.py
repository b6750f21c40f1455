"""The spool: acknowledged records survive crashes, and low-priority records are dropped first when it is full."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from loremark.base import clock
from loremark.hook import batching, flush, outbox, sessions, spawn, spool, spool_limits, turns
from tests.hook.machine import Machine

WRITER = """
import sys
from loremark.hook import spool
for number in range(10_000):
    print(spool.put({"kind": "prompt", "text": f"{number} " * 200, "n": number}), number, flush=True)
"""


def test_a_killed_writer_leaves_complete_records(local_machine: Machine) -> None:
    acknowledged: dict[str, int] = {}
    for round_ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER], env=local_machine.environment(), stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline()
            time.sleep(0.02 * round_)
            os.kill(writer.pid, signal.SIGKILL)
            lines = (first + writer.stdout.read()).decode().splitlines()
            acknowledged |= {
                name: int(number) for name, number in (line.split() for line in lines if line.count(" ") == 1)
            }
    names = spool.list_names()
    assert acknowledged.keys() <= set(names)
    for name in names:
        record = spool.read(name)
        assert record is not None
        assert record["text"] == f"{record['n']} " * 200
        assert acknowledged.get(name, record["n"]) == record["n"]
    assert len(names) - len(acknowledged) <= 3  # at most one per writer was not acknowledged yet
    assert (local_machine.spool / "records").stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in (local_machine.spool / "records").iterdir())


def test_concurrent_writers(local_machine: Machine) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(lambda number: spool.put({"kind": "tool", "n": number}, clean=True), range(200)))
    kept = {name: record["n"] for name in spool.list_names() if (record := spool.read(name)) is not None}
    assert kept == dict(zip(names, range(200), strict=True))


def test_a_full_spool_drops_the_oldest_tool_records_first_and_never_saves(
    local_machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    about = {"project": "prj_a", "url": local_machine.url, "agent": "cli", "session": "x"}
    for number in range(20):
        for kind in ("tool", "prompt", "event"):
            spool.put({**about, "kind": kind, "text": "x" * 1_000, "n": number}, clean=True)
    size = spool_limits.size_bytes()
    assert spool_limits.trim(size - 10_000) == 9
    tools = [name for name in spool.list_names() if name.endswith(".tool")]
    assert [record["n"] for name in tools if (record := spool.read(name)) is not None] == list(range(9, 20))
    assert spool_limits.trim(1_000) == 31
    assert {spool.kind_of(name) for name in spool.list_names()} == {"event"}
    assert os.path.exists(spool_limits.full_marker_path())
    status = flush.status()
    assert (status.waiting, status.dropped, status.records) == (20, 40, {"event": 20})
    assert spool_limits.trim() == 0
    assert not os.path.exists(spool_limits.full_marker_path())


def test_rejected_batches_are_dropped_first(local_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for number in range(10):
        name = f"{number:013d}-x.json"
        outbox.write(outbox.Batch(name, "prj_a", local_machine.url, "s", "session_save", {"text": "x" * 10_000}, []))
        outbox.reject(name, "413 too large")
    spool.put({"kind": "turn_end", "text": "x" * 1_000}, clean=True)
    assert spool_limits.trim(35_000) == 7
    assert len(spool.list_names()) == 1
    left = sorted(os.listdir(outbox.rejected_folder()))
    assert left == sorted(f"{n:013d}-x.json{end}" for n in (7, 8, 9) for end in ("", ".reason")), (
        "the oldest are deleted"
    )
    assert not os.path.exists(spool_limits.full_marker_path())
    assert flush.status().dropped == 7


def test_all_our_folders_are_private(local_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(local_machine.home / "a" / "b"))
    before = os.umask(0o002)
    try:
        outbox.write(outbox.Batch("1.json", "prj_a", local_machine.url, "s", "session_save", {}, []))
    finally:
        os.umask(before)
    made = [local_machine.home / "a", *(path for path in (local_machine.home / "a").rglob("*") if path.is_dir())]
    assert len(made) == 5
    assert {path.stat().st_mode & 0o777 for path in made} == {0o700}


def test_a_stuck_flusher_is_killed_and_releases_its_lock(local_machine: Machine) -> None:
    os.mkfifo(local_machine.home / "pipe")
    script = (
        "import signal, sys; signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
        "from loremark.hook import spawn; lock = spawn.acquire_lock(); spawn.limit_lifetime(1); open(sys.argv[1])"
    )
    command = [sys.executable, "-c", script, str(local_machine.home / "pipe")]
    assert subprocess.run(command, env=local_machine.environment(), timeout=60).returncode == -signal.SIGALRM
    lock = spawn.acquire_lock()
    assert lock is not None
    os.close(lock)


def test_batches_are_identical_after_a_crash(local_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"project": "prj_a", "url": local_machine.url, "agent": "codex", "session": "s"}
    for kind, text in (("prompt", "Why?"), ("turn_end", "So."), ("prompt", "And now?")):
        spool.put({**about, "kind": kind, "text": text}, clean=True)
    # Killed twice between writing the batch and deleting its records.
    with monkeypatch.context() as broken:
        broken.setattr(spool, "remove", lambda names: (_ for _ in ()).throw(KeyboardInterrupt))
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                batching.build_batches()
    (name,) = outbox.list_names()
    batching.remove_batched_records()
    batching.build_batches()
    assert outbox.list_names() == [name]
    batch = outbox.read(name)
    assert batch is not None
    assert (batch.payload["notes"], batch.payload["summary"]) == ("Why?", "So.")
    # An open turn waits until it ends or is idle.
    assert [spool.kind_of(each) for each in spool.list_names()] == ["prompt"]
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + batching.IDLE_MS + 1):
        batching.build_batches()
    assert spool.list_names() == []
    assert len(outbox.list_names()) == 2


def test_only_one_flusher_runs_at_a_time(local_machine: Machine) -> None:
    lock = spawn.acquire_lock()
    assert lock is not None
    assert spawn.acquire_lock() is None
    assert flush.status().is_running
    assert not flush.run()
    os.close(lock)
    assert not flush.status().is_running
    assert flush.run()


def test_explicit_statements_become_changes() -> None:
    about = {"agent": "codex", "session": "s" * 80}
    prompt = (
        "We decided to keep sums in cents, because floats drift. Fix it.\n- Never mind.\nRemember: no stack traces."
    )
    payload = turns.build_payload([{**about, "kind": "prompt", "text": prompt, "branch": "main"}], "n-1")
    assert payload is not None
    assert [(change["category"], change["content"]) for change in payload["changes"]] == [
        ("decision", "We decided to keep sums in cents, because floats drift."),
        ("note", "Remember: no stack traces."),
    ]
    assert payload["branch"] == "main"
    assert len(payload["source"]) <= 50
    assert turns.build_payload([{**about, "kind": "session_end"}], "n-2") is None


def test_the_same_prompt_later_is_not_a_repeat() -> None:
    record = {"kind": "prompt", "text": "Go on", "agent": "copilot", "session": "s"}
    names = [f"{at:013d}-x{at}.prompt" for at in (1_000, 2_000, 30_000)]
    is_new, seen = sessions.find_new({}, names, [record] * 3)
    assert is_new == [True, False, True]
    # A record processed again is not a repeat of itself.
    assert sessions.find_new({"seen": seen}, names[:1], [record])[0] == [True]


def test_a_new_session_ends_the_previous_one_for_agents_without_an_end_event(local_machine: Machine) -> None:
    about = {"project": "prj_a", "url": local_machine.url, "agent": "opencode"}
    for session in ("one", "two"):
        for kind in ("session_start", "prompt", "turn_end"):
            spool.put({**about, "kind": kind, "session": session, "text": "x"}, clean=True)
        batching.build_batches()
        key = sessions.session_key({**about, "session": session})
        sessions.write(key, {**sessions.read(key), "session_id": "ses_1", "pending": True})
    assert sessions.list_due() == [sessions.session_key({**about, "session": "one"})]
    spool.put({**about, "kind": "session_start", "session": "three"}, clean=True)
    spool.put({**about, "kind": "session_start", "session": "two", "project": "prj_b"}, clean=True)
    batching.build_batches()
    assert set(sessions.list_due()) == {sessions.session_key({**about, "session": each}) for each in ("one", "two")}
    assert spool.list_names() == []
