"""Check the running server against its OpenAPI document with every schemathesis check.

SQLite only: the checks concern the layer in front of the database, and test_bad_bodies and test_bad_requests
send worse input to both engines. The run is deterministic; schemathesis.toml lists what is left out, and why.
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
TIMEOUT_S = 900.0


@pytest.mark.nightly
def test_server_matches_its_openapi_document(tmp_path: Path) -> None:
    with start(tmp_path, databases.fresh_sqlite(tmp_path)) as server:
        environment = {
            **lifetime.child_env(),
            "OWNER_KEY": server.key,
            "OWNER_LOGIN": server.cookie.partition("=")[2],
            "NO_COLOR": "1",
        }
        arguments = ["--config-file", str(CONFIG), "run", f"{server.process.url}/openapi.json"]
        result = subprocess.run(
            [str(COMMAND), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if result.returncode != 0:
            pytest.fail(f"{result.stdout[-12_000:]}\n{result.stderr[-2_000:]}", pytrace=False)
        assert "✅ Coverage" in result.stdout or "✅  Coverage" in result.stdout, result.stdout
        server.assert_healthy()
