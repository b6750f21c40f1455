"""What fails while the host takes the processor or the disk away is run again; what fails by itself fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_STORY = """
import os, signal, time
from pathlib import Path
import pytest
from tests.support import starved

starved.STAT = Path({stat!r})
starved.STAT.write_text("cpu  0 0 0 1000 0 0 0 0 0 0\\n")
TRIES = []

@pytest.fixture
def number():
    return len(TRIES) + 1

def test_it(number):
    TRIES.append(number)
    starved.STAT.write_text(f"cpu  {{200 * number}} 0 0 1000 0 0 0 {{{stolen} * number}} 0 0\\n")
    if {still_s}:
        heart = starved._heartbeat._heart
        os.kill(heart.pid, signal.SIGSTOP)  # as when everything stands still
        time.sleep({still_s})
        os.kill(heart.pid, signal.SIGCONT)
    assert number >= {needed}
"""


@pytest.mark.parametrize(
    ("stolen", "still_s", "needed", "passed", "again"),
    [
        (300, 0, 2, True, 1),
        (300, 0, 9, False, 2),
        (0, 0, 2, False, 0),
        (300, 0, 1, True, 0),
        (0, 1.0, 2, True, 1),
        (0, 1.0, 1, True, 0),
    ],
)
def test_only_what_failed_on_a_starved_machine_is_run_again(
    tmp_path: Path, stolen: int, still_s: float, needed: int, passed: bool, again: int
) -> None:
    story = tmp_path / "test_story.py"
    story.write_text(_STORY.format(stat=str(tmp_path / "stat"), stolen=stolen, still_s=still_s, needed=needed))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.support.starved", "--rootdir", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "PYTEST_ADDOPTS": ""}
    run = subprocess.run(
        [*command, "-c", os.devnull, str(story)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode == 0) is passed, run.stdout
    told = [line for line in run.stdout.splitlines() if line.startswith("run again, the host took")]
    assert sum(line.count("%") + line.count(" s") for line in told) == again, run.stdout
