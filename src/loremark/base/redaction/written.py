"""Redacts what people write, before it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from loremark.base.redaction.redactor import redact

_SHORT_CHARS = 2_000


async def redact_fields(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the fields with secrets in these removed. Long texts are searched in a thread, because that takes time."""
    texts = {name: fields[name] for name in names if isinstance(fields.get(name), str)}

    def redacted() -> dict[str, str]:
        return {name: redact(text)[0] for name, text in texts.items()}

    is_short = sum(map(len, texts.values())) <= _SHORT_CHARS
    return {**fields, **(redacted() if is_short else await asyncio.to_thread(redacted))}
