"""Takes apart what a passkey device returns, so that the library decodes no CBOR that a stranger has written.

CBOR can say in a hundred bytes what takes hours and gigabytes to write out: tags let values refer to each other.
Devices use no tags (CTAP 2, "canonical CBOR"), so we refuse all. We ask for no attestation, so only the public key
counts.
"""

from __future__ import annotations

import io
from typing import Any, NoReturn

_HEADER_BYTES = 32 + 1 + 4
"""The hash of the relying party's id, flags and the signature counter."""
_FLAGS = 32
_HAS_CREDENTIAL, _HAS_EXTENSIONS = 0x40, 0x80
_ID_START = _HEADER_BYTES + 16 + 2
_MAX_DEPTH = 4
_TAGS = (*range(2_000), 43_000, 55_799)
"""Includes all tags that the decoder knows; it asks about the others."""


def has_only_header(authenticator_data: bytes) -> bool:
    """Return whether nothing follows the header. A signature needs no more, since we ask for no extensions."""
    is_short = len(authenticator_data) == _HEADER_BYTES
    return is_short and not authenticator_data[_FLAGS] & (_HAS_CREDENTIAL | _HAS_EXTENSIONS)


def rebuild(attestation_object: bytes) -> bytes:
    """Return an attestation object with the same credential and nothing else. Raise ``ValueError`` if it has none."""
    import cbor2

    attestation = _decode(io.BytesIO(attestation_object))
    data = attestation.get("authData") if isinstance(attestation, dict) else None
    if not isinstance(data, bytes) or len(data) < _ID_START or not data[_FLAGS] & _HAS_CREDENTIAL:
        raise ValueError("no credential")
    key_start = _ID_START + int.from_bytes(data[_ID_START - 2 : _ID_START])
    rest = io.BytesIO(data[key_start:])
    key = _decode(rest)
    if data[_FLAGS] & _HAS_EXTENSIONS:
        _decode(rest)
    if rest.read(1) or not _is_key(key):
        raise ValueError("no public key")
    flags = data[_FLAGS] & ~_HAS_EXTENSIONS
    rebuilt = data[:_FLAGS] + bytes((flags,)) + data[_FLAGS + 1 : key_start] + cbor2.dumps(key)
    return cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": rebuilt})


def _is_key(key: object) -> bool:
    """Return whether this is a map of numbers to numbers and bytes, as all keys are."""
    if not isinstance(key, dict):
        return False
    return all(isinstance(name, int) and isinstance(value, int | bytes) for name, value in key.items())


def _decode(source: io.BytesIO) -> Any:
    """Decode the next value."""
    import cbor2

    decoder = cbor2.CBORDecoder(
        source,
        tag_hook=_refuse_tag,
        semantic_decoders=dict.fromkeys(_TAGS, _refuse_tag),
        max_depth=_MAX_DEPTH,
        allow_indefinite=False,
        allow_duplicate_keys=False,
    )
    try:
        return decoder.decode()
    except cbor2.CBORDecodeError as error:
        raise ValueError("not the CBOR of a device") from error


def _refuse_tag(*_: object) -> NoReturn:
    raise ValueError("tags are not used by devices")
