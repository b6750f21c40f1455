"""``loremark models``, and the same sentence wherever a wrong setting shows: at startup, in both doctors."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from loremark.base import profile
from tests.cli.harness import Cli, Server
from tests.entry.owner import make_owner
from tests.servers.scripted_model import Refuse, Say, ScriptedModel
from tests.support.processes import Loremark, Process

KEY = "sk-only-the-server-knows"
WRONG_KEY = "The model server rejected the API key (401)."


def test_builtin_models(olga: Cli, server: Server) -> None:
    shown = olga.run("models")
    assert shown.code == 0
    assert [line.split()[:2] for line in shown.out.splitlines() if not line.startswith(" ")] == [
        ["ok", "medium"],
        ["ok", "small"],
        ["ok", "embeddings"],
        ["ok", "reader"],
    ]
    assert "ok    medium      the built-in engine, without a language model" in shown.out
    listed = olga.run("models", "--no-test", "--json").json
    assert [model["purpose"] for model in listed] == ["medium", "small", "embeddings", "reader"]
    assert {model["test"] for model in listed} == {None}


def _wait_for_log(process: Process, words: str) -> str:
    stop = time.monotonic() + 60
    while words not in process.output:
        assert time.monotonic() < stop, process.output
        time.sleep(0.05)
    (line,) = [line for line in process.output.splitlines() if words in line]
    return line


def test_wrong_key_is_reported_everywhere(
    cli: Cli, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "server"
    folder.mkdir()
    with ScriptedModel() as model:
        model.always(Refuse(401, f"Incorrect API key: {KEY}"))
        settings = {
            "LOREMARK_LLM_SMALL": "openai:scripted-1",
            "LOREMARK_LLM_MEDIUM": "openai:scripted-1",
            "LOREMARK_LLM_BASE_URL": model.base_url(),
            "LOREMARK_LLM_API_KEY": KEY,
        }
        loremark = Loremark(folder, database_url, settings)
        owner = make_owner(loremark)
        with loremark.start() as process:
            process.wait_ready()
            line = _wait_for_log(process, "model does not work")
            assert WRONG_KEY in line
            assert model.base_url() in line
            assert KEY not in process.output

            profile.save(profile.Profile(process.url, owner["apiKey"]))
            shown = cli.run("models")
            assert shown.code == 1
            assert f"FAIL  medium      openai:scripted-1 at {model.base_url()}, with a key\n" in shown.out
            assert shown.out.count(WRONG_KEY) == 2
            checks = cli.run("doctor")
            assert checks.code == 1
            assert (
                f"FAIL  model      medium: openai:scripted-1 at {model.base_url()}, with a key. {WRONG_KEY}"
                in checks.out
            )
            ended = loremark.run("admin", "doctor", check=False)
            assert ended.returncode == 1
            assert f"medium: openai:scripted-1 at {model.base_url()}: {WRONG_KEY}" in ended.stdout
            assert KEY not in shown.out + checks.out + ended.stdout + ended.stderr

            model.always(Say("ready"))
            assert "ok    model      medium: openai:scripted-1" in cli.run("doctor").out
            (medium, *_) = cli.run("models", "--json").json
            assert medium["test"]["totalTokens"] == 18
