"""The hook with any input and in any folder: it exits cleanly, prints nothing, and writes no secret to disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loremark.hook import hook, payload, record, spawn, spool
from loremark.hook.link import Link
from tests.hook.machine import COMMAND, Machine
from tests.memory.secret_samples import SECRETS


def hostile_payloads(machine: Machine) -> dict[str, bytes]:
    known = machine.claude("UserPromptSubmit")
    whole = json.dumps({**known, "prompt": "x"}).encode()
    return {
        "empty": b"",
        "not JSON": b"hello <b>there</b>",
        "a list": b"[1, 2, 3]",
        "bad UTF-8": whole.replace(b'"x"', b'"\xff\xfe\x80 x"'),
        "NULs": whole.replace(b'"x"', b'"a\\u0000b\x00c"'),
        "lone surrogate": whole.replace(b'"x"', b'"\\ud800 x"'),
        "deep": b'{"session_id":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "deep at the end": whole[:-1] + b',"z":' + b'{"a":' * 100_000,
        "10 MB": json.dumps({**known, "prompt": "word " * 2_000_000}).encode(),
        "cut off": whole[:-9],
        "wrong types": json.dumps({name: [1, {"a": None}] for name in known} | {"hook_event_name": "Stop"}).encode(),
        "missing folder": json.dumps({**known, "cwd": "/no/such\0place", "prompt": "x"}).encode(),
        "path traversal": json.dumps({**known, "cwd": "../../../..", "session_id": "../../x", "prompt": "x"}).encode(),
        "numbers": b'{"session_id": 1e999, "hook_event_name": NaN}',
    }


def test_hostile_payloads_do_no_harm(local_machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    assert spawn.acquire_lock() is not None  # keeps a flusher from starting in this process
    for given in hostile_payloads(local_machine).values():
        descriptor = os.memfd_create("given")
        os.write(descriptor, given)
        os.lseek(descriptor, 0, os.SEEK_SET)
        before = os.dup(0)
        os.dup2(descriptor, 0)
        try:
            hook.run(["claude"])
        finally:
            os.dup2(before, 0)
            os.close(before)
            os.close(descriptor)
    assert capfd.readouterr() == ("", "")
    kept = [read for name in spool.list_names() if (read := spool.read(name)) is not None]
    assert len(kept) >= 5
    assert all(len(json.dumps(each)) < 40_000 and "\0" not in json.dumps(each) for each in kept)
    assert {Path(name).parent for name in spool.list_names()} == {Path()}


def test_the_start_of_a_truncated_payload_is_kept() -> None:
    fields = {"session_id": "s-123", "n": {"a": [1, 2]}, "prompt": "one two three " * 2_000, "last": 1}
    whole = json.dumps(fields)
    for length in (*range(80), len(whole) // 2, *range(len(whole) - 40, len(whole))):
        found = payload.decode(whole[:length].encode()) or {}
        prompt = found.pop("prompt", "")
        assert found.items() <= fields.items()
        assert str(fields["prompt"]).startswith(prompt)
        assert bool(prompt) == (length > 12_000)


def test_secrets_never_reach_the_disk(local_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for line, _ in SECRETS:
        for kind, fields in (
            (spool.PROMPT, {"prompt": line}),
            (spool.TURN_END, {"last_assistant_message": "x " * 300 + line}),
            (spool.TOOL, {"tool_name": "Bash", "tool_input": {"command": line}}),
        ):
            event = local_machine.claude("x", **fields)
            made = record.build(
                "claude-code", kind, event, Link("prj_a", local_machine.url, str(local_machine.folder), "")
            )
            if made is not None:
                spool.put(made, clean=True)
    spool.put({"kind": "event", "payload": {"changes": [line for line, _ in SECRETS], "password": "hunter2hunter2"}})
    left = local_machine.everything()
    missed = {secret for _, secret in SECRETS if json.dumps(secret)[1:-1].encode() in left}
    assert len(missed) <= len(SECRETS) * 0.02, missed
    assert b"hunter2hunter2" not in left


def test_a_secret_at_the_cut_is_not_partly_kept() -> None:
    secret = "ghp_" + "aB3dE5fG7h" * 4
    for before in range(record.PROMPT_CHARS - 60, record.PROMPT_CHARS + 5):
        kept = record.clean("x" * (before - 1) + " " + secret + " " + "y" * 9_000, record.PROMPT_CHARS)
        assert "ghp_" not in kept
    many = f"{secret} word " * 2_000
    assert "ghp_" not in record.clean(many, record.PROMPT_CHARS)


def test_it_exits_cleanly_in_any_environment(machine: Machine, tmp_path: Path) -> None:
    given = json.dumps(machine.claude("UserPromptSubmit", prompt="Why?")).encode()
    closed = tmp_path / "closed"
    closed.write_text("no folder")
    broken = {
        "state is a file": {**machine.environment(), "XDG_STATE_HOME": str(closed)},
        "state cannot be created": {**machine.environment(), "XDG_STATE_HOME": "/proc/nowhere"},
        "no home": {name: value for name, value in machine.environment().items() if name != "HOME"},
        "a full disk": {**machine.environment(), "XDG_STATE_HOME": "/dev/full"},
    }
    for name, environment in broken.items():
        done = subprocess.run([str(COMMAND), "hook"], env=environment, input=given, capture_output=True, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), name
    script = f'exec "{COMMAND}" hook <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", script], env=machine.environment(), check=False).returncode == 0
    # An open stdin times out, but a complete object is handled right away.
    with subprocess.Popen([str(COMMAND), "hook"], env=machine.environment(), stdin=subprocess.PIPE) as waiting:
        assert waiting.wait(30) == 0
    reading, writing = os.pipe()
    os.write(writing, given)
    assert payload.decode(payload.read_stdin(reading, seconds=3600)) == json.loads(given)
    os.close(writing)
    os.close(reading)


def test_a_folder_that_is_not_linked_leaves_no_trace(machine: Machine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        assert machine.hook({**machine.claude(event, prompt="Why?"), "cwd": str(elsewhere)}) == b""
    machine.settings["LOREMARK_DISABLED"] = "1"
    assert machine.hook(machine.claude("Stop", last_assistant_message="So.")) == b""
    assert not machine.spool.exists()
    assert not (machine.home / ".cache").exists()


def test_the_hook_imports_few_modules() -> None:
    script = "import sys; import loremark.hook.hook; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.split())
    heavy = {"typing", "dataclasses", "argparse", "subprocess", "socket", "ssl", "http.client", "asyncio", "hashlib"}
    assert not loaded & heavy
    assert not loaded & {"urllib", "inspect", "msgspec", "threading", "tomllib", "secrets", "random"}
