"""The text of our git hooks: plain POSIX shell that starts us beside git, and never fails or delays it."""

from __future__ import annotations

import shlex

FIRST_LINE = b"#!/bin/sh\n"
BEGIN = b"# >>> loremark >>>"
END = b"# <<< loremark <<<\n"
_WHOLE = b" (this file was made by loremark)"
_QUIET = ">/dev/null 2>&1"
_READS_STDIN = "post-rewrite"
# At once, since all else happens beside git: what follows may have moved HEAD by then.
_AT = "loremark_at=$(git rev-parse HEAD --symbolic-full-name HEAD 2>/dev/null)"


def whole(hook: str, program: str | None, before: str = "") -> bytes:
    """A file of ours; ``before`` is the ending of the hook that was there, which it calls with all it was given."""
    return FIRST_LINE + _block(hook, program, _WHOLE, _call_before(hook, before) if before else [])


def with_block(content: bytes, hook: str, program: str | None) -> bytes:
    """Somebody's script with our block behind its first line: its end may never be reached."""
    first, newline, rest = content.partition(b"\n")
    # What we have read from standard input is given back to the script.
    back = ["exec <<LOREMARK", "$loremark_said", "LOREMARK"] if hook == _READS_STDIN else []
    return first + newline + _block(hook, program, b"", back) + rest


def without_block(content: bytes) -> bytes:
    before, _, rest = content.partition(BEGIN)
    return before + rest.partition(END)[2]


def is_ours(content: bytes) -> bool:
    return BEGIN in content and END in content


def is_whole(content: bytes) -> bool:
    return BEGIN + _WHOLE in content


def snippet(hook: str) -> str:
    """The one line for a hook that another tool writes."""
    return "; ".join(_lines(hook, None))


def _block(hook: str, program: str | None, mark: bytes, after: list[str]) -> bytes:
    text = "\n".join([*_lines(hook, program), *after]) + "\n"
    return BEGIN + mark + b"\n" + text.encode("utf-8", "surrogateescape") + END


def _lines(hook: str, program: str | None) -> list[str]:
    started = f'loremark hook git {hook} "$@"'
    if program is not None:  # where the path of a desktop program lacks it
        started = f'{{ {started} || {shlex.quote(program)} hook git {hook} "$@"; }}'
    if hook == _READS_STDIN:
        fed = f"printf '%s\\n' \"$loremark_said\" | {started}"
        return [_AT, "loremark_said=$(cat)", f'( export LOREMARK_GIT_AT="$loremark_at"; ( {fed} ) {_QUIET} & )']
    return [_AT, f'( export LOREMARK_GIT_AT="$loremark_at"; {started} </dev/null {_QUIET} & )']


def _call_before(hook: str, ending: str) -> list[str]:
    theirs = f'"$0{ending}"'
    given = "printf '%s\\n' \"$loremark_said\" | " if hook == _READS_STDIN else "exec "
    return [f'[ ! -x {theirs} ] || {given}{theirs} "$@"']
