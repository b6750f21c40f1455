"""The spool on disk: what was acknowledged is whole, whoever is killed; when it is full, details go first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from loremark.base import clock
from loremark.hook import flush, gathering, outbox, sessions, spool, starting, trimming, turns
from tests.hook.desk import Desk

WRITER = """
import sys
from loremark.hook import spool
for number in range(10_000):
    print(spool.put({"kind": "prompt", "text": f"{number} " * 200, "n": number}), number, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_whole_records(here: Desk) -> None:
    told: dict[str, int] = {}
    for round_ in range(3):
        with subprocess.Popen([sys.executable, "-c", WRITER], env=here.environment(), stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline()
            time.sleep(0.02 * round_)
            os.kill(writer.pid, signal.SIGKILL)
            lines = (first + writer.stdout.read()).decode().splitlines()
            told |= {name: int(number) for name, number in (line.split() for line in lines if line.count(" ") == 1)}
    names = spool.list_names()
    assert told.keys() <= set(names)
    for name in names:
        record = spool.read(name)
        assert record is not None
        assert record["text"] == f"{record['n']} " * 200
        assert told.get(name, record["n"]) == record["n"]
    assert len(names) - len(told) <= 3  # at most the one that was being told
    assert (here.spool / "records").stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in (here.spool / "records").iterdir())


def test_many_writers_at_once_each_keep_their_own(here: Desk) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(lambda number: spool.put({"kind": "tool", "n": number}, clean=True), range(200)))
    kept = {name: record["n"] for name in spool.list_names() if (record := spool.read(name)) is not None}
    assert kept == dict(zip(names, range(200), strict=True))


def test_when_it_is_full_the_oldest_details_go_first_and_saves_never(
    here: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    about = {"project": "prj_a", "url": here.url, "agent": "cli", "session": "x"}
    for number in range(20):
        for kind in ("tool", "prompt", "event"):
            spool.put({**about, "kind": kind, "text": "x" * 1_000, "n": number}, clean=True)
    size = trimming.size_bytes()
    assert trimming.trim(size - 10_000) == 9
    tools = [name for name in spool.list_names() if name.endswith(".tool")]
    assert [record["n"] for name in tools if (record := spool.read(name)) is not None] == list(range(9, 20))
    assert trimming.trim(1_000) == 31
    assert {spool.kind_of(name) for name in spool.list_names()} == {"event"}
    assert os.path.exists(trimming.full_path())
    told = flush.status()
    assert (told.waiting, told.dropped, told.records) == (20, 40, {"event": 20})
    assert trimming.trim() == 0
    assert not os.path.exists(trimming.full_path())


def test_what_was_refused_makes_room_for_what_was_not(here: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for number in range(10):
        name = f"{number:013d}-x.json"
        outbox.keep(outbox.Batch(name, "prj_a", here.url, "s", "session_save", {"text": "x" * 10_000}, []))
        outbox.refuse(name, "413 too large")
    spool.put({"kind": "turn_end", "text": "x" * 1_000}, clean=True)
    assert trimming.trim(35_000) == 7
    assert len(spool.list_names()) == 1
    left = sorted(os.listdir(outbox.refused_folder()))
    assert left == sorted(f"{n:013d}-x.json{end}" for n in (7, 8, 9) for end in ("", ".reason")), "the oldest went"
    assert not os.path.exists(trimming.full_path())
    assert flush.status().dropped == 7


def test_every_folder_of_ours_is_private(here: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(here.home / "a" / "b"))
    before = os.umask(0o002)
    try:
        outbox.keep(outbox.Batch("1.json", "prj_a", here.url, "s", "session_save", {}, []))
    finally:
        os.umask(before)
    made = [here.home / "a", *(path for path in (here.home / "a").rglob("*") if path.is_dir())]
    assert len(made) == 5
    assert {path.stat().st_mode & 0o777 for path in made} == {0o700}


def test_a_flusher_that_hangs_ends_and_its_lock_is_free(here: Desk) -> None:
    os.mkfifo(here.home / "pipe")
    script = (
        "import signal, sys; signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
        "from loremark.hook import starting; lock = starting.take_lock(); starting.limit_life(1); open(sys.argv[1])"
    )
    command = [sys.executable, "-c", script, str(here.home / "pipe")]
    assert subprocess.run(command, env=here.environment(), timeout=60).returncode == -signal.SIGALRM
    lock = starting.take_lock()
    assert lock is not None
    os.close(lock)


def test_turns_become_batches_that_are_the_same_after_a_crash(here: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"project": "prj_a", "url": here.url, "agent": "codex", "session": "s"}
    for kind, text in (("prompt", "Why?"), ("turn_end", "So."), ("prompt", "And now?")):
        spool.put({**about, "kind": kind, "text": text}, clean=True)
    # Killed after the batch was written, before its records were removed: twice.
    with monkeypatch.context() as broken:
        broken.setattr(spool, "remove", lambda names: (_ for _ in ()).throw(KeyboardInterrupt))
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                gathering.gather()
    (name,) = outbox.list_names()
    gathering.finish_begun()
    gathering.gather()
    assert outbox.list_names() == [name]
    batch = outbox.read(name)
    assert batch is not None
    assert (batch.payload["notes"], batch.payload["summary"]) == ("Why?", "So.")
    # The turn that goes on waits for its end, or until it was left.
    assert [spool.kind_of(each) for each in spool.list_names()] == ["prompt"]
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + gathering.IDLE_MS + 1):
        gathering.gather()
    assert spool.list_names() == []
    assert len(outbox.list_names()) == 2


def test_only_one_flusher_works_at_a_time(here: Desk) -> None:
    lock = starting.take_lock()
    assert lock is not None
    assert starting.take_lock() is None
    assert flush.status().is_running
    assert not flush.run()
    os.close(lock)
    assert not flush.status().is_running
    assert flush.run()


def test_what_a_person_lays_down_is_a_change_of_its_own() -> None:
    about = {"agent": "codex", "session": "s" * 80}
    said = "We decided to keep sums in cents, because floats drift. Fix it.\n- Never mind.\nRemember: no stack traces."
    payload = turns.payload_of([{**about, "kind": "prompt", "text": said, "branch": "main"}], "n-1")
    assert payload is not None
    assert [(change["category"], change["content"]) for change in payload["changes"]] == [
        ("decision", "We decided to keep sums in cents, because floats drift."),
        ("note", "Remember: no stack traces."),
    ]
    assert payload["branch"] == "main"
    assert len(payload["source"]) <= 50
    assert turns.payload_of([{**about, "kind": "session_end"}], "n-2") is None


def test_the_same_words_another_time_are_no_repetition() -> None:
    record = {"kind": "prompt", "text": "Go on", "agent": "copilot", "session": "s"}
    names = [f"{at:013d}-x{at}.prompt" for at in (1_000, 2_000, 30_000)]
    is_new, seen = sessions.fresh({}, names, [record] * 3)
    assert is_new == [True, False, True]
    # Taken up again, a record is not its own repetition.
    assert sessions.fresh({"seen": seen}, names[:1], [record])[0] == [True]


def test_an_agent_that_tells_no_ends_ends_its_session_by_beginning_another(here: Desk) -> None:
    about = {"project": "prj_a", "url": here.url, "agent": "opencode"}
    for session in ("one", "two"):
        for kind in ("session_start", "prompt", "turn_end"):
            spool.put({**about, "kind": kind, "session": session, "text": "x"}, clean=True)
        gathering.gather()
        key = sessions.key_of({**about, "session": session})
        sessions.write(key, {**sessions.read(key), "session_id": "ses_1", "pending": True})
    assert sessions.list_due() == [sessions.key_of({**about, "session": "one"})]
    spool.put({**about, "kind": "session_start", "session": "three"}, clean=True)
    spool.put({**about, "kind": "session_start", "session": "two", "project": "prj_b"}, clean=True)
    gathering.gather()
    assert set(sessions.list_due()) == {sessions.key_of({**about, "session": each}) for each in ("one", "two")}
    assert spool.list_names() == []
