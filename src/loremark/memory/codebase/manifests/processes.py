"""Reads process configuration: systemd units, supervisors, uWSGI, crontabs."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of

_MAX_LINES = 400
_KEPT = re.compile(
    r"\s{0,4}(command|execstart|attach-daemon\d?|smart-attach-daemon|module|wsgi-file)\s{0,4}=\s{0,4}(\S.{0,300})"
)
_TIMED = re.compile(r"\s{0,4}(?:@[a-z]{4,8}|(?:[\d*/,-]{1,20}\s{1,4}){4}[\d*/,a-zA-Z-]{1,20})\s{1,4}(\S.{0,300})")


def read_processes(path: str, content: str) -> ManifestFacts:
    """The programs started, as written; an application that is only loaded counts as a server."""
    draft = Draft()
    for number, line in lines_of(content):
        if number > _MAX_LINES:
            break
        kept = _KEPT.match(line[:400].replace("ExecStart", "execstart", 1))
        timed = _TIMED.match(line[:400]) if kept is None else None
        if kept is not None:
            draft.add_entry("server" if kept.group(1) in ("module", "wsgi-file") else "job", kept.group(2), number)
        elif timed is not None:
            draft.add_entry("job", timed.group(1), number)
    return draft.facts()
