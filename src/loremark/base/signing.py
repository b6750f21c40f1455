"""HMAC-SHA256 signatures, compared in constant time."""

from __future__ import annotations

import base64
import hashlib
import hmac

SIGNATURE_PREFIX = "sha256="


def sha256_hex(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def sign_request(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature header for a request body sent at this timestamp."""
    return SIGNATURE_PREFIX + hmac.digest(secret.encode(), b"%b.%b" % (timestamp.encode(), body), "sha256").hex()


def request_signature_matches(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    return signature.isascii() and hmac.compare_digest(sign_request(secret, timestamp, body), signature)


def sign_text(key: bytes, text: str) -> str:
    """Return an unpadded base64url signature, for links and tickets."""
    digest = hmac.digest(key, text.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def text_signature_matches(key: bytes, text: str, signature: str) -> bool:
    return hmac.compare_digest(sign_text(key, text).encode(), signature.encode("utf-8", "replace"))
