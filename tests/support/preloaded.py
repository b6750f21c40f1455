"""What the commands of Loremark import and load at startup; the process that others are forked from imports this."""

import gc
from importlib import import_module

import anyio._backends._asyncio  # noqa: F401
import httpcore  # noqa: F401
import pytest
import uvicorn  # noqa: F401
import uvloop  # noqa: F401

import loremark.entry.admin
import loremark.entry.application
import loremark.entry.main
import loremark.entry.processes  # noqa: F401
from loremark.entry.command_table import COMMANDS
from loremark.ports.outbound.certificates import load_certificates
from tests.support import cheap_passwords

for _command in COMMANDS.values():
    import_module(_command.module)
cheap_passwords.use(pytest.MonkeyPatch())
load_certificates("")
gc.freeze()
