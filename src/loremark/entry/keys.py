"""The installation's own secrets: from the settings, or generated once into the data folder (mode 0600)."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path

from loremark.base import ids
from loremark.base.crypto import KEY_BYTES, Sealer
from loremark.base.settings import GENERATED, Settings, SettingsError


def _read_or_make(path: Path) -> str:
    """The file's text; two processes that start at once agree on one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass
    fresh = base64.b64encode(ids.token_bytes(KEY_BYTES)).decode()
    unfinished = path.with_suffix(f".{ids.token(6)}")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(fresh + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(unfinished, path)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    finally:
        unfinished.unlink()
    return fresh


def load_sealer(settings: Settings) -> Sealer:
    text = settings.encryption_key or _read_or_make(settings.data_dir / "keys" / "encryption.key")
    try:
        return Sealer(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise SettingsError("LOREMARK_ENCRYPTION_KEY must be 32 bytes in base64") from None


def load_worker_secret(settings: Settings) -> str:
    """The secret of the tickets; empty where the operator has set none."""
    if settings.worker_secret != GENERATED:
        return settings.worker_secret
    return _read_or_make(_worker_key(settings))


def require_worker_secret(settings: Settings) -> str:
    """The secret that the API signs with. A worker makes none of its own: nobody would have a ticket for it."""
    if settings.worker_secret == GENERATED and not _worker_key(settings).exists():
        raise SettingsError("LOREMARK_WORKER_SECRET must be set: the one that the API signs its tickets with")
    secret = load_worker_secret(settings)
    if not secret:
        raise SettingsError("LOREMARK_WORKER_SECRET is empty; a worker needs the one of the API")
    return secret


def _worker_key(settings: Settings) -> Path:
    return settings.data_dir / "keys" / "worker.key"
