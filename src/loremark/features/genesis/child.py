"""The child process that reads source files: ``python -m loremark.features.genesis.child``.

A parser can be made to run for ever, or to take all memory, by a text that was written for it.
"""

from __future__ import annotations

import msgspec

from loremark.memory.codebase.reading import read_file
from loremark.ports.sandbox.child import confine, read_frame, write_frame


def main() -> None:
    confine()
    while (question := read_frame()) is not None:
        files = msgspec.msgpack.decode(question, type=list[tuple[str, str]])
        write_frame(msgspec.msgpack.encode([read_file(path, text) for path, text in files]))


if __name__ == "__main__":
    main()
