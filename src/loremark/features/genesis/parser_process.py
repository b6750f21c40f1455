"""The child process that parses source files: ``python -m loremark.features.genesis.parser_process``.

A crafted file can make a parser run forever, use up all memory or run code of its own, so parsing is isolated: the
process loads everything first, then gives up files, sockets and all other system calls it does not need.
"""

from __future__ import annotations

import sys

import msgspec

from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.parsing.source_reader import load_readers
from loremark.ports.sandbox.child import PROTECTIONS, confine, read_frame, write_frame


def main() -> None:
    load_readers()
    protections = confine()
    if sys.argv[1:] == [PROTECTIONS]:
        write_frame(msgspec.msgpack.encode(protections))
    while (question := read_frame()) is not None:
        files = msgspec.msgpack.decode(question, type=list[tuple[str, str]])
        write_frame(msgspec.msgpack.encode([read_file(path, text) for path, text in files]))


if __name__ == "__main__":
    main()
