"""The child process that parses source files: ``python -m loremark.features.genesis.parser_process``.

A crafted file can make a parser run forever or use up all memory, so parsing is isolated.
"""

from __future__ import annotations

import msgspec

from loremark.memory.codebase.file_reader import read_file
from loremark.ports.sandbox.child import confine, read_frame, write_frame


def main() -> None:
    confine()
    while (question := read_frame()) is not None:
        files = msgspec.msgpack.decode(question, type=list[tuple[str, str]])
        write_frame(msgspec.msgpack.encode([read_file(path, text) for path, text in files]))


if __name__ == "__main__":
    main()
