"""What passes between the stages, as rows keep it."""

from __future__ import annotations

import hashlib

import msgspec

from loremark.memory.extraction.results import ContextUpdate, Digest, Extraction, FileChange, Operation
from loremark.memory.items import Item


class ItemFound(msgspec.Struct, frozen=True, tag="item"):
    """``event``: the kind of event it was found in."""

    item: Item
    event: str = ""


class OperationFound(msgspec.Struct, frozen=True, tag="operation"):
    operation: Operation


class ContextFound(msgspec.Struct, frozen=True, tag="context"):
    context: ContextUpdate


class DigestFound(msgspec.Struct, frozen=True, tag="digest"):
    digest: Digest


class FilesFound(msgspec.Struct, frozen=True, tag="files"):
    files: tuple[FileChange, ...]


_MOST_WARNINGS = 10
Found = ItemFound | OperationFound | ContextFound | DigestFound | FilesFound
_decoder = msgspec.json.Decoder(Found)
_encode = msgspec.json.Encoder().encode


def encode(found: Found) -> str:
    return _encode(found).decode()


def decode(kept: str) -> Found:
    found: Found = _decoder.decode(kept)
    return found


def beside_items(extraction: Extraction) -> list[Found]:
    """Everything an event told beside its items, each part by itself."""
    found: list[Found] = [OperationFound(operation) for operation in extraction.operations]
    found += [ContextFound(context) for context in extraction.contexts]
    if extraction.digest is not None:
        found.append(DigestFound(extraction.digest))
    if extraction.files:
        found.append(FilesFound(extraction.files))
    return found


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Progress(msgspec.Struct, rename="camel", omit_defaults=True):
    """What has come of a job so far; kept with every step, so that another attempt goes on from it."""

    model: str | None = None
    items_extracted: int = 0
    items_merged: int = 0
    dropped_weak: int = 0
    dropped_unsupported: int = 0
    dropped_invalid: int = 0
    redacted: int = 0
    warnings: list[str] = []

    def warn(self, sentence: str) -> None:
        """Each sentence once, and not for ever."""
        if sentence not in self.warnings and len(self.warnings) < _MOST_WARNINGS:
            self.warnings.append(sentence)
