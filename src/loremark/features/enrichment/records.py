"""Candidates passed between the stages, and the progress of a job, as stored in the database."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Literal

import msgspec

from loremark.memory.extraction.results import ContextUpdate, Digest, Extraction, FileChange, Operation, Revert
from loremark.memory.items import Item


class Reading(msgspec.Struct, frozen=True):
    """Which model wrote a candidate, with which prompt, and what it says about the item it was shown."""

    model: str
    prompt_version: str
    verdict: Literal["new", "repeats", "supersedes"]
    known_id: str
    sureness: float


class ItemCandidate(msgspec.Struct, frozen=True, tag="item"):
    """``event`` is the type of the event it was found in. ``reading`` is set if a model wrote it."""

    item: Item
    event: str = ""
    reading: Reading | None = None


class OperationCandidate(msgspec.Struct, frozen=True, tag="operation"):
    operation: Operation


class ContextCandidate(msgspec.Struct, frozen=True, tag="context"):
    context: ContextUpdate


class DigestCandidate(msgspec.Struct, frozen=True, tag="digest"):
    digest: Digest


class FilesCandidate(msgspec.Struct, frozen=True, tag="files"):
    files: tuple[FileChange, ...]


class RevertCandidate(msgspec.Struct, frozen=True, tag="revert"):
    revert: Revert


_MAX_WARNINGS = 10
_REDACTED_MARK = "[redacted:"
Candidate = ItemCandidate | OperationCandidate | ContextCandidate | DigestCandidate | FilesCandidate | RevertCandidate
_decoder = msgspec.json.Decoder(Candidate)
_encode = msgspec.json.Encoder().encode


def encode(found: Candidate) -> str:
    return _encode(found).decode()


def decode(stored: str) -> Candidate:
    found: Candidate = _decoder.decode(stored)
    return found


def non_item_candidates(extraction: Extraction) -> list[Candidate]:
    """Return the candidates of an extraction other than items."""
    found: list[Candidate] = [OperationCandidate(operation) for operation in extraction.operations]
    found += [ContextCandidate(context) for context in extraction.contexts]
    if extraction.digest is not None:
        found.append(DigestCandidate(extraction.digest))
    if extraction.files:
        found.append(FilesCandidate(extraction.files))
    found += [RevertCandidate(revert) for revert in extraction.reverts]
    return found


def flag_item(item: Item) -> Item:
    """Flag an item whose text had a secret, or that is unlikely to be kept."""
    texts = (item.title, item.content, *(quote.quote for quote in item.evidence))
    flags = {*item.flags}
    if any(_REDACTED_MARK in text for text in texts):
        flags.add("redacted")
    if item.confidence < 0.5:
        flags.add("low_confidence")
    return dataclasses.replace(item, flags=tuple(sorted(flags)))


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Progress(msgspec.Struct, rename="camel", omit_defaults=True):
    """Results of a job so far, stored with every step so that the next attempt can resume."""

    model: str | None = None
    items_extracted: int = 0
    items_merged: int = 0
    dropped_weak: int = 0
    dropped_unsupported: int = 0
    dropped_invalid: int = 0
    redacted: int = 0
    is_read: bool = False
    warnings: list[str] = []

    def warn(self, sentence: str) -> None:
        """Add a warning once, up to the maximum."""
        if sentence not in self.warnings and len(self.warnings) < _MAX_WARNINGS:
            self.warnings.append(sentence)
