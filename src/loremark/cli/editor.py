"""Edit text in the user's editor. The file is kept until the change is saved."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from loremark.base import terminal
from loremark.base.folders import state_folder
from loremark.cli import output
from loremark.cli.framework import CommandError
from loremark.client.call import ApiError
from loremark.hook import files

_MAX_BYTES = 4 << 20


class Edited:
    """Text from the editor or from a file at ``path``."""

    def __init__(self, path: str, text: str, *, is_temporary: bool) -> None:
        self.path = path
        self.text = text
        self._is_temporary = is_temporary

    @contextmanager
    def preserved_on_failure(self) -> Iterator[None]:
        """Delete the temporary file after the block, but keep it if the block fails."""
        try:
            yield
        except (ApiError, CommandError, KeyboardInterrupt) as failed:
            if isinstance(failed, ApiError) and failed.status == 412:
                raise CommandError(
                    f"someone else changed this in the meantime; your text is saved in {self.path}"
                ) from None
            output.note(f"Your text is saved in {self.path}")
            raise
        self.discard()

    def discard(self) -> None:
        if self._is_temporary:
            files.remove(self.path)


def edit(name: str, text: str) -> Edited:
    """Open text in the editor and return the result."""
    command = _command()
    safe = "".join(letter for letter in name if letter.isalnum() or letter in "_-")[:80]
    folder = files.ensure_private_folder(os.path.join(state_folder(), "edits"))
    path = os.path.join(folder, f"{safe}-{os.urandom(4).hex()}.md")
    files.write_atomic(path, text.encode(errors="replace"))
    try:
        # No shell is involved: the command and the file name are passed as a list.
        done = subprocess.run([*command, path], check=False)  # noqa: S603
    except OSError as error:
        files.remove(path)
        raise CommandError(f"cannot start the editor {command[0]!r}: {error.strerror}") from None
    if done.returncode != 0:
        raise CommandError(
            f"the editor exited with status {done.returncode}; nothing was changed; your text is in {path}"
        )
    return Edited(path, _read(path), is_temporary=True)


def read_file(path: str) -> Edited:
    """Use the text of an existing file."""
    return Edited(path, _read(path), is_temporary=False)


def _command() -> list[str]:
    import sys

    configured = terminal.editor()
    if configured is None and not sys.stdin.isatty():
        raise CommandError("no editor found; set EDITOR, or use --file")
    try:
        command = shlex.split(configured or "vi")
    except ValueError:
        command = []
    if not command:
        raise CommandError("EDITOR is not a valid command; set it to your editor, for example vim")
    return command


def _read(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise CommandError(f"{path} is larger than {_MAX_BYTES >> 20} MiB")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8 text") from None
