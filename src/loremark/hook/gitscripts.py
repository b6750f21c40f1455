"""The shell code of our git hooks: POSIX sh that runs us in the background and never fails or delays git."""

from __future__ import annotations

import shlex

FIRST_LINE = b"#!/bin/sh\n"
BEGIN = b"# >>> loremark >>>"
END = b"# <<< loremark <<<\n"
_STANDALONE = b" (this file was created by loremark)"
_NO_OUTPUT = ">/dev/null 2>&1"
_READS_STDIN = "post-rewrite"
# Saved right away: the rest runs in the background, when HEAD may have moved.
_SAVE_HEAD = "loremark_head=$(git rev-parse HEAD --symbolic-full-name HEAD 2>/dev/null)"


def standalone_script(hook: str, program: str | None, original: str = "") -> bytes:
    """Return a complete hook file. ``original`` is the suffix of the renamed hook that it calls."""
    return FIRST_LINE + _block(hook, program, _STANDALONE, _call_original(hook, original) if original else [])


def with_block(content: bytes, hook: str, program: str | None) -> bytes:
    """Insert our block after the script's first line, because its end may never be reached."""
    first, newline, rest = content.partition(b"\n")
    # Give the script back the stdin that we read.
    restore_stdin = ["exec <<LOREMARK", "$loremark_stdin", "LOREMARK"] if hook == _READS_STDIN else []
    return first + newline + _block(hook, program, b"", restore_stdin) + rest


def without_block(content: bytes) -> bytes:
    original, _, rest = content.partition(BEGIN)
    return original + rest.partition(END)[2]


def is_ours(content: bytes) -> bool:
    return BEGIN in content and END in content


def is_standalone(content: bytes) -> bool:
    return BEGIN + _STANDALONE in content


def snippet(hook: str) -> str:
    """Return the line to add to a hook managed by another tool."""
    return "; ".join(_lines(hook, None))


def _block(hook: str, program: str | None, mark: bytes, after: list[str]) -> bytes:
    text = "\n".join([*_lines(hook, program), *after]) + "\n"
    return BEGIN + mark + b"\n" + text.encode("utf-8", "surrogateescape") + END


def _lines(hook: str, program: str | None) -> list[str]:
    started = f'loremark hook git {hook} "$@"'
    if program is not None:  # desktop programs may have a shorter PATH
        started = f'{{ {started} || {shlex.quote(program)} hook git {hook} "$@"; }}'
    if hook == _READS_STDIN:
        fed = f"printf '%s\\n' \"$loremark_stdin\" | {started}"
        return [
            _SAVE_HEAD,
            "loremark_stdin=$(cat)",
            f'( export LOREMARK_GIT_HEAD="$loremark_head"; ( {fed} ) {_NO_OUTPUT} & )',
        ]
    return [_SAVE_HEAD, f'( export LOREMARK_GIT_HEAD="$loremark_head"; {started} </dev/null {_NO_OUTPUT} & )']


def _call_original(hook: str, ending: str) -> list[str]:
    theirs = f'"$0{ending}"'
    given = "printf '%s\\n' \"$loremark_stdin\" | " if hook == _READS_STDIN else "exec "
    return [f'[ ! -x {theirs} ] || {given}{theirs} "$@"']
