"""Tickets issued by the API and verified by the worker with a shared secret."""

from __future__ import annotations

import base64
import binascii
import hmac

import msgspec

from loremark.base import clock, errors, ids, signing

_PURPOSE = b"loremark/ask-ticket/v1"
_MAX_CHARS = 1_000


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Project, team, user and chat session ids, and the expiry in epoch milliseconds."""

    pid: str
    tid: str
    uid: str
    sid: str
    exp: int


_decoder = msgspec.json.Decoder(Claims)
_PREFIXES = (("pid", "prj"), ("tid", "team"), ("uid", "usr"), ("sid", "cht"))


class Tickets:
    """Issues and verifies tickets. Without a secret, none are issued or accepted."""

    def __init__(self, secret: str, *, worker_url: str, valid_ms: int) -> None:
        # A derived key, so that nothing else signed with the secret can pass as a ticket.
        self._key = hmac.digest(secret.encode(), _PURPOSE, "sha256") if secret else None
        self._valid_ms = valid_ms
        self.worker_url = worker_url

    def require_worker(self) -> None:
        """Raise if no worker is configured."""
        if self._key is None or not self.worker_url:
            raise errors.WORKER_NOT_CONFIGURED({"Retry-After": "60"})

    def issue(self, *, project_id: str, team_id: str, user_id: str, chat_id: str) -> str:
        assert self._key is not None, "tickets require a secret"
        claims = Claims(pid=project_id, tid=team_id, uid=user_id, sid=chat_id, exp=clock.now_ms() + self._valid_ms)
        payload = base64.urlsafe_b64encode(msgspec.json.encode(claims)).rstrip(b"=").decode()
        return f"{payload}.{signing.sign_text(self._key, payload)}"

    def read(self, ticket: object) -> Claims:
        """Return the claims of a valid, unexpired ticket. The signature is checked first."""
        if self._key is None or not isinstance(ticket, str) or len(ticket) > _MAX_CHARS:
            raise errors.INVALID_TICKET()
        payload, _, signature = ticket.partition(".")
        if not signing.text_signature_matches(self._key, payload, signature):
            raise errors.INVALID_TICKET()
        claims = _claims(payload)
        if claims is None or clock.now_ms() >= claims.exp:
            raise errors.INVALID_TICKET()
        return claims


def _claims(payload: str) -> Claims | None:
    """Decode the claims, or return None if the payload is malformed."""
    try:
        raw = base64.b64decode(payload + "=" * (-len(payload) % 4), altchars=b"-_", validate=True)
        claims = _decoder.decode(raw)
    except (binascii.Error, ValueError, msgspec.DecodeError):
        return None
    known = all(ids.looks_valid(getattr(claims, name), prefix) for name, prefix in _PREFIXES)
    return claims if known else None
