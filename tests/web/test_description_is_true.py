"""The served OpenAPI document held against the running server by schemathesis, with every check it has.

On SQLite only: the checks are about the edge in front of the database, and test_bad_bodies and test_bad_requests
send worse to both engines. The run is the same each time; what is left out, and why, is in schemathesis.toml.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import lifetime
from tests.support import databases
from tests.web.running import start

CONFIG = Path(__file__).with_name("schemathesis.toml")
COMMAND = Path(sys.executable).with_name("schemathesis")
SECONDS = 150.0


def test_the_server_does_what_its_description_says(tmp_path: Path) -> None:
    with start(tmp_path, databases.fresh_sqlite(tmp_path)) as running:
        environment = {
            **lifetime.child_env(),
            "OWNER_KEY": running.key,
            "OWNER_LOGIN": running.cookie.partition("=")[2],
            "NO_COLOR": "1",
        }
        arguments = ["--config-file", str(CONFIG), "run", f"{running.process.url}/openapi.json"]
        ended = subprocess.run(
            [str(COMMAND), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if ended.returncode != 0:
            pytest.fail(f"{ended.stdout[-12_000:]}\n{ended.stderr[-2_000:]}", pytrace=False)
        assert "✅ Coverage" in ended.stdout or "✅  Coverage" in ended.stdout, ended.stdout
        running.assert_well()
