"""Whatever the hook is handed, wherever it runs: it ends well, says nothing, and no secret reaches the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loremark.hook import hook, payload, record, spool, starting
from loremark.hook.link import Link
from tests.hook.desk import COMMAND, Desk
from tests.memory.secret_samples import SECRETS


def hostile(desk: Desk) -> dict[str, bytes]:
    known = desk.claude("UserPromptSubmit")
    whole = json.dumps({**known, "prompt": "x"}).encode()
    return {
        "nothing": b"",
        "no JSON": b"hello <b>there</b>",
        "a list": b"[1, 2, 3]",
        "bad UTF-8": whole.replace(b'"x"', b'"\xff\xfe\x80 x"'),
        "NULs": whole.replace(b'"x"', b'"a\\u0000b\x00c"'),
        "half a pair": whole.replace(b'"x"', b'"\\ud800 x"'),
        "deep": b'{"session_id":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "deep at its end": whole[:-1] + b',"z":' + b'{"a":' * 100_000,
        "10 MB": json.dumps({**known, "prompt": "word " * 2_000_000}).encode(),
        "cut off": whole[:-9],
        "wrong types": json.dumps({name: [1, {"a": None}] for name in known} | {"hook_event_name": "Stop"}).encode(),
        "a place that is none": json.dumps({**known, "cwd": "/no/such\0place", "prompt": "x"}).encode(),
        "up and away": json.dumps({**known, "cwd": "../../../..", "session_id": "../../x", "prompt": "x"}).encode(),
        "numbers": b'{"session_id": 1e999, "hook_event_name": NaN}',
    }


def test_hostile_payloads_do_no_harm(here: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    assert starting.take_lock() is not None  # no flusher shall start from this process
    for name, given in hostile(here).items():
        there = os.memfd_create("given")
        os.write(there, given)
        os.lseek(there, 0, os.SEEK_SET)
        before = os.dup(0)
        os.dup2(there, 0)
        started = time.process_time()
        try:
            hook.run(["claude"])
        finally:
            os.dup2(before, 0)
            os.close(before)
            os.close(there)
        assert time.process_time() - started < 1.0, name
    assert capfd.readouterr() == ("", "")
    kept = [read for name in spool.list_names() if (read := spool.read(name)) is not None]
    assert len(kept) >= 5
    assert all(len(json.dumps(each)) < 40_000 and "\0" not in json.dumps(each) for each in kept)
    assert {Path(name).parent for name in spool.list_names()} == {Path()}


def test_of_a_payload_that_was_cut_the_beginning_is_kept() -> None:
    told = {"session_id": "s-123", "n": {"a": [1, 2]}, "prompt": "one two three " * 2_000, "last": 1}
    whole = json.dumps(told)
    for length in (*range(80), len(whole) // 2, *range(len(whole) - 40, len(whole))):
        found = payload.decode(whole[:length].encode()) or {}
        prompt = found.pop("prompt", "")
        assert found.items() <= told.items()
        assert str(told["prompt"]).startswith(prompt)
        assert bool(prompt) == (length > 12_000)


def test_secrets_never_reach_the_disk(here: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for line, _ in SECRETS:
        for kind, said in (
            (spool.PROMPT, {"prompt": line}),
            (spool.TURN_END, {"last_assistant_message": "x " * 300 + line}),
            (spool.TOOL, {"tool_name": "Bash", "tool_input": {"command": line}}),
        ):
            told = here.claude("x", **said)
            made = record.make("claude-code", kind, told, Link("prj_a", here.url, str(here.folder), ""))
            if made is not None:
                spool.put(made, clean=True)
    spool.put({"kind": "event", "payload": {"changes": [line for line, _ in SECRETS], "password": "hunter2hunter2"}})
    left = here.everything()
    missed = {secret for _, secret in SECRETS if json.dumps(secret)[1:-1].encode() in left}
    assert len(missed) <= len(SECRETS) * 0.02, missed
    assert b"hunter2hunter2" not in left


def test_a_secret_at_the_cut_is_not_kept_in_part() -> None:
    secret = "ghp_" + "aB3dE5fG7h" * 4
    for before in range(record.PROMPT_CHARS - 60, record.PROMPT_CHARS + 5):
        kept = record.clean("x" * (before - 1) + " " + secret + " " + "y" * 9_000, record.PROMPT_CHARS)
        assert "ghp_" not in kept
    many = f"{secret} word " * 2_000
    assert "ghp_" not in record.clean(many, record.PROMPT_CHARS)


def test_it_ends_well_wherever_it_runs(desk: Desk, tmp_path: Path) -> None:
    given = json.dumps(desk.claude("UserPromptSubmit", prompt="Why?")).encode()
    closed = tmp_path / "closed"
    closed.write_text("no folder")
    broken = {
        "state is a file": {**desk.environment(), "XDG_STATE_HOME": str(closed)},
        "state in nothing": {**desk.environment(), "XDG_STATE_HOME": "/proc/nowhere"},
        "no home": {name: value for name, value in desk.environment().items() if name != "HOME"},
        "a full disk": {**desk.environment(), "XDG_STATE_HOME": "/dev/full"},
    }
    for name, environment in broken.items():
        done = subprocess.run([str(COMMAND), "hook"], env=environment, input=given, capture_output=True, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), name
    script = f'exec "{COMMAND}" hook <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", script], env=desk.environment(), check=False).returncode == 0
    # Standard input that never ends is left after a while; at once, when what came is whole.
    with subprocess.Popen([str(COMMAND), "hook"], env=desk.environment(), stdin=subprocess.PIPE) as waiting:
        assert waiting.wait(30) == 0
    reading, writing = os.pipe()
    os.write(writing, given)
    started = time.monotonic()
    assert payload.decode(payload.read_input(reading, seconds=5)) == json.loads(given)
    assert time.monotonic() - started < 2
    os.close(writing)
    os.close(reading)


def test_a_folder_that_is_not_linked_leaves_no_trace(desk: Desk, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        assert desk.hook({**desk.claude(event, prompt="Why?"), "cwd": str(elsewhere)}) == b""
    desk.settings["LOREMARK_DISABLED"] = "1"
    assert desk.hook(desk.claude("Stop", last_assistant_message="So.")) == b""
    assert not desk.spool.exists()
    assert not (desk.home / ".cache").exists()


def test_the_hook_loads_little() -> None:
    script = "import sys; import loremark.hook.hook; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.split())
    heavy = {"typing", "dataclasses", "argparse", "subprocess", "socket", "ssl", "http.client", "asyncio", "hashlib"}
    assert not loaded & heavy
    assert not loaded & {"urllib", "inspect", "msgspec", "threading", "tomllib", "secrets", "random"}
