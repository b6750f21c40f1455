"""Everything that the commands of Loremark import; the process that others are forked from imports this."""

from importlib import import_module

import pytest

import loremark.entry.admin
import loremark.entry.application
import loremark.entry.main
import loremark.entry.processes  # noqa: F401
from loremark.entry.command_table import COMMANDS
from tests.support import cheap_passwords

for _command in COMMANDS.values():
    import_module(_command.module)
cheap_passwords.use(pytest.MonkeyPatch())
