"""The installation's secrets: from the settings, or generated once in the data folder (mode 0600)."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path

from loremark.base import ids
from loremark.base.crypto import KEY_BYTES, Sealer
from loremark.base.settings import GENERATED, Settings, SettingsError

ENCRYPTION_KEY = "encryption.key"


def _read_or_generate(path: Path) -> str:
    """The secret in this file, generated if missing. Processes that start at the same time agree on one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass
    secret = base64.b64encode(ids.token_bytes(KEY_BYTES)).decode()
    temporary = path.with_suffix(f".{ids.token(6)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secret + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    finally:
        temporary.unlink()
    return secret


def load_sealer(settings: Settings) -> Sealer:
    return _sealer(settings.encryption_key or _read_or_generate(settings.data_dir / "keys" / ENCRYPTION_KEY))


def find_sealer(text: str, path: Path) -> Sealer | None:
    """The sealer for a key or, without one, for the key in this file; None if there is no file either."""
    if not text and not path.is_file():
        return None
    return _sealer(text or path.read_text(encoding="ascii").strip())


def _sealer(text: str) -> Sealer:
    try:
        return Sealer(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise SettingsError("LOREMARK_ENCRYPTION_KEY must be 32 bytes in base64") from None


def load_worker_secret(settings: Settings) -> str:
    """The secret that signs tickets; empty if the operator turned it off."""
    if settings.worker_secret != GENERATED:
        return settings.worker_secret
    return _read_or_generate(_worker_key(settings))


def require_worker_secret(settings: Settings) -> str:
    """The API's ticket secret. A worker never generates one, because no ticket would match it."""
    if settings.worker_secret == GENERATED and not _worker_key(settings).exists():
        raise SettingsError("LOREMARK_WORKER_SECRET must be set to the same value as for the API")
    secret = load_worker_secret(settings)
    if not secret:
        raise SettingsError("LOREMARK_WORKER_SECRET is empty; set it to the same value as for the API")
    return secret


def _worker_key(settings: Settings) -> Path:
    return settings.data_dir / "keys" / "worker.key"
