"""The person's own editor, on a file that is kept until what it says has been done."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from loremark.base import terminal
from loremark.base.folders import state_folder
from loremark.cli import page
from loremark.cli.kit import Stop
from loremark.client.call import ApiError
from loremark.hook import files

_MOST_BYTES = 4 << 20


class Edited:
    """A text that came out of an editor, or of a file; ``path`` where it lies."""

    def __init__(self, path: str, text: str, *, is_ours: bool) -> None:
        self.path = path
        self.text = text
        self._is_ours = is_ours

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While something is done with the text: whatever goes wrong, it is not lost."""
        try:
            yield
        except (ApiError, Stop, KeyboardInterrupt) as failed:
            if isinstance(failed, ApiError) and failed.status == 412:
                raise Stop(f"it was changed by somebody else meanwhile; your text is kept in {self.path}") from None
            page.note(f"your text is kept in {self.path}")
            raise
        self.forget()

    def forget(self) -> None:
        if self._is_ours:
            files.remove(self.path)


def edit(name: str, text: str) -> Edited:
    """Let the person change a text."""
    command = _command()
    safe = "".join(letter for letter in name if letter.isalnum() or letter in "_-")[:80]
    folder = files.private_folder(os.path.join(state_folder(), "edits"))
    path = os.path.join(folder, f"{safe}-{os.urandom(4).hex()}.md")
    files.write_whole(path, text.encode(errors="replace"))
    try:
        # The person's own command, as a list: no shell reads it, or the name of the file.
        done = subprocess.run([*command, path], check=False)  # noqa: S603
    except OSError as error:
        files.remove(path)
        raise Stop(f"the editor {command[0]!r} cannot be started: {error.strerror}") from None
    if done.returncode != 0:
        raise Stop(f"the editor ended with {done.returncode}; nothing is changed; the text is in {path}")
    return Edited(path, _read(path), is_ours=True)


def take(path: str) -> Edited:
    """A text that was written before."""
    return Edited(path, _read(path), is_ours=False)


def _command() -> list[str]:
    import sys

    named = terminal.editor()
    if named is None and not sys.stdin.isatty():
        raise Stop("there is no editor: set EDITOR, or give the text with --file")
    try:
        command = shlex.split(named or "vi")
    except ValueError:
        command = []
    if not command:
        raise Stop("EDITOR is not a command")
    return command


def _read(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise Stop(f"{path} is too long")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Stop(f"{path} is not a text in UTF-8") from None
