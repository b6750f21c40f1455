"""Reads the ``console`` blocks of a page and runs them in one shell.

A block in a ``console`` fence is executed and its output compared; use ``sh`` for commands that are only shown.
In the output, ``…`` stands for any text and whitespace is ignored. A command without output may print anything.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "@@ example {} exited with {} @@"
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Example:
    page: str
    command: str
    output: str

    @property
    def is_make(self) -> bool:
        return self.command.startswith("make ")

    def matches(self, printed: str) -> bool:
        """Whether the command printed what the page shows."""
        if not self.output:
            return True
        parts = [re.escape(_SPACE.sub("", part)) for part in self.output.split("…")]
        return re.fullmatch(".*".join(parts), _SPACE.sub("", printed), re.DOTALL) is not None


def read_examples(page: Path) -> list[Example]:
    """The commands of a page in order, each with the output shown below it."""
    examples = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = entry.splitlines()
            end = next(end for end in range(1, len(lines) + 1) if _is_complete("\n".join(lines[:end])))
            examples.append(Example(page.name, "\n".join(lines[:end]), "\n".join(lines[end:]).strip()))
    return examples


def _is_complete(command: str) -> bool:
    """Whether a shell would not wait for another line."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return not command.endswith("\\")


def run_examples(
    examples: list[Example], environment: dict[str, str], folder: Path, *, seconds: float = 180
) -> list[tuple[Example, str]]:
    """Run the commands in one bash, in order. Returns what each printed; stops at the first that fails."""
    lines: list[str] = []
    for number, example in enumerate(examples):
        lines += [example.command, f'status=$?; printf "\\n{_END.format(number, "$status")}\\n"']
        lines += ["if [ $status -ne 0 ]; then exit; fi"]
    shell = subprocess.Popen(
        ["bash", "-c", "\n".join(lines)],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        rest, _ = shell.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        rest, _ = shell.communicate()
    results = []
    for number, example in enumerate(examples):
        parts = re.split(re.escape(_END.format(number, "=")).replace("=", r"(\d+)"), rest, maxsplit=1)
        assert len(parts) == 3, f"{example.page}: {example.command!r} did not finish:\n{rest}"
        printed, status, rest = parts
        assert status == "0", f"{example.page}: {example.command!r} exited with {status}:\n{printed}"
        results.append((example, printed))
    return results
