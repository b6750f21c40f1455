"""Items with one example of each problem that hygiene finds."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.browser.sample_data import _ref
from tests.browser.site import User

DUPLICATE_TITLE = "Wrap errors with the operation's name"
_WRAP = "Errors are wrapped with the operation's name, so that a log line tells where it began."
_ITEMS: list[dict[str, Any]] = [
    {"title": DUPLICATE_TITLE, "content": _WRAP, "files": ["src/core/errors.py"]},
    {"title": DUPLICATE_TITLE, "content": _WRAP, "files": ["src/core/log.py"], "status": "draft"},
    {"title": "Fix bug", "content": "Sessions were lost after a restart because they were kept in memory only."},
    {
        "title": "Update",
        "content": "The archive job keeps label files for 90 days, then moves them to cold storage.",
        "files": ["jobs/archive/run.py"],
    },
    {"title": "asdf", "content": "test", "confidence": 0.5, "status": "draft"},
    {
        "title": "Maps are shown with Mapbox",
        "content": "The clinic finder shows maps with Mapbox GL.",
        "schemaKey": "root/maps",
    },
    {
        "title": "Switched the clinic finder from Mapbox to MapLibre",
        "content": "The clinic finder was switched from Mapbox to MapLibre because of the new prices.",
        "schemaKey": "root/maps",
    },
    {
        "title": "Who answers for refunds",
        "content": "Refunds above 500 euros are approved by ilse.brandt@stonemasons-mail.de before they go out.",
    },
]


def import_untidy_items(user: User, project_id: str = "") -> None:
    """Import items to rename, merge, deprecate, flag and redact; they are the project's newest."""
    now_ms = int(time.time() * 1000) - 1_000
    lines = []
    for number, item in enumerate(_ITEMS):
        ref, at_ms = _ref("itm", now_ms + number, number), now_ms + number
        state = {
            "type": "decision",
            "schemaKey": "root/notes",
            "status": "approved",
            "confidence": 0.9,
            "files": [],
            "tags": [],
            "evidence": [],
            "flags": [],
            "tier": 1,
            "branch": None,
            "mergedFrom": [],
            "supersededBy": None,
            **item,
        }
        rest: dict[str, Any] = {
            "sourceRef": None,
            "mergedAtMs": None,
            "fingerprints": {},
            "conflicts": [],
            "version": 1,
        }
        times = {"createdAtMs": at_ms, "updatedAtMs": at_ms}
        lines.append({"loremark": "item", "ref": ref, "session": None, **state, **rest, **times})
        known = {"loremark": "revision", "kind": "item", "ref": ref, "version": 1, "change": "created"}
        lines.append({**known, "snapshot": state, "createdAtMs": at_ms})
    body = "\n".join(json.dumps(line) for line in lines).encode() + b"\n"
    params = {"projectId": project_id or user.project_id}
    user.request("POST", "/api/v2/import", params=params, content=body)
