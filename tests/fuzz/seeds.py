"""Inputs to start from: fuzzing finds much more when it begins with valid ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path, PurePosixPath

from tests.fuzz.names import IMPORTS, MANIFESTS, SOURCES
from tests.support.source_samples import SAMPLES

CRASHES = Path(__file__).parent / "crashes"
"""Inputs that once crashed or hung a target, named ``TARGET-…``. They are tried every time."""
_SESSION = {
    "event": "session_save",
    "payload": {
        "summary": "We use Postgres because SQLite locks.",
        "messages": [{"role": "user", "content": "Always run `make check` first."}],
        "decisions": ["Keep one writer."],
        "filesChanged": ["src/a.py"],
        "commits": [{"sha": "0123456789abcdef0123456789abcdef01234567", "message": "fix(a): b\n\nBecause c."}],
    },
}
_TEXTS = {
    "imported": (b"---\ntitle: A\ntags: [a, b]\n---\n# A\n- [decision] We use X #a (because)\n- relates_to [[B]]\n",),
    "import_lines": (
        b'{"loremark":"export","version":1}\n{"kind":"item","id":"a","title":"T","content":"C","type":"decision"}\n',
    ),
    "event": (json.dumps(_SESSION).encode(), gzip.compress(json.dumps(_SESSION).encode(), mtime=0)),
    "payload": tuple(bytes((number,)) + json.dumps(_SESSION["payload"]).encode() for number in range(5)),
    "session": (b"We decided to use Postgres because SQLite locks.\0Never push to main.\n\n- Rule: run tests.\n",),
    "redaction": (
        b"password=hunter22 AKIAIOSFODNN7EXAMPLE https://u:p@h/ Authorization: Bearer abcdefghijklmnop1234\n",
    ),
    "model_answer": (b'```json\n{"items":[{"type":"decision","title":"T","content":"C","quotes":["Q"]}]}\n```',),
    "hook": (b'{"hook_event_name":"Stop","session_id":"a","cwd":"/a","transcript_path":"/a/b.jsonl","prompt":"p"}',),
    "patch": (b'diff --git a/x b/y\n--- a/x\n+++ "b/\\303\\274"\n@@ -1 +1 @@\n-a\n+b\n',),
    "configuration": (b'{\n  // comment\n  "a": [1, 2.5e3, true, null, "\\u00e9"],\n}\n',),
    "file_names": (b"*.log\n!keep.log\nbuild/\n/a/**/b\n\0src/a.py\na/b/c.ts\nREADME.md\nnode_modules/x.js\n",),
}


def seeds(target: str) -> list[bytes]:
    """The inputs of a target: valid ones, and those that once broke it."""
    found = [b"", b"\0", *_TEXTS.get(target, ())]
    for names in (SOURCES,) if target == "source" else (MANIFESTS,) if target == "manifest" else ():
        for number, name in enumerate(names):
            found += [bytes((number,)) + text.encode() for path, text in SAMPLES.items() if _is_alike(path, name)]
    if target == "imported":
        found += [bytes((number,)) + text for number in range(len(IMPORTS)) for text in _TEXTS[target]]
    return [*found, *(path.read_bytes() for path in sorted(CRASHES.glob(f"{target}-*")))]


def _is_alike(path: str, name: str) -> bool:
    one, other = PurePosixPath(path), PurePosixPath(name)
    return one.suffix == other.suffix if one.suffix else one.name == other.name
