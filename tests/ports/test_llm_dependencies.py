"""A language model works with what `make run` installs: no extra, no SDK."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.servers.lifetime import child_env
from tests.servers.scripted_model import Say, ScriptedModel

ROOT = Path(__file__).parents[2]
RUN = ROOT / "requirements" / "run.txt"
SCRIPT = """
import sys
before = set(sys.modules)
import asyncio
from loremark.ports.llm.model import Prompt
from loremark.ports.llm.providers import open_model

class Meter:
    async def reserve(self, tokens): return "r"
    async def spent(self, reservation, usage): pass
    async def release(self, reservation): pass

async def main():
    for spec, url in zip(("openai:x", "anthropic:x"), sys.argv[1:], strict=True):
        model = open_model(spec, base_url=url)
        completion = await model.complete(Prompt("You are brief.", "How is it?", max_tokens=20), Meter())
        *_, streamed = [part async for part in model.stream(Prompt("", "And now?", max_tokens=20), Meter())]
        await model.close()
        print(f"{spec}: {completion.text}, {streamed.text}")

asyncio.run(main())
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def _answers(python: str, environment: dict[str, str]) -> tuple[list[str], set[str]]:
    """Ask both kinds of model in a new process: the printed answers, and the packages that were imported."""
    with ScriptedModel() as server:
        server.always(Say("all is well"))
        command = [python, "-c", SCRIPT, server.base_url("openai"), server.base_url("anthropic")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *answers, modules = done.stdout.splitlines()
    return answers, set(modules.split())


BOTH = ["openai:x: all is well, all is well", "anthropic:x: all is well, all is well"]


def test_models_import_only_what_a_run_installs() -> None:
    locked = {name.lower() for name in re.findall(r"^([\w.-]+)==", RUN.read_text(encoding="utf-8"), re.MULTILINE)}
    answers, modules = _answers(sys.executable, child_env())
    assert answers == BOTH
    owners = packages_distributions()
    used = {owner.lower().replace("_", "-") for module in modules for owner in owners.get(module, ())} - {"loremark"}
    assert "httpx" in used
    assert {name for name in used if name not in locked} == set()


@pytest.mark.slow
def test_models_answer_in_a_fresh_environment(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    python = str(tmp_path / "bin" / "python")
    uv = [sys.executable, "-m", "uv", "--quiet", "pip", "install"]
    subprocess.run([*uv, "--python", python, "--require-hashes", "-r", str(RUN)], check=True)
    answers, _ = _answers(python, {**child_env(), "PYTHONPATH": str(ROOT / "src")})
    assert answers == BOTH
