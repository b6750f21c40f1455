"""Tickets: what the API hands out and the worker believes, because both know one secret."""

from __future__ import annotations

import base64
import binascii
import hmac

import msgspec

from loremark.base import clock, errors, ids, signing

_PURPOSE = b"loremark/ask-ticket/v1"
_MOST_CHARS = 1_000


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may ask what, until when: project, team, user, chat session, and the end in milliseconds."""

    pid: str
    tid: str
    uid: str
    sid: str
    exp: int


_decoder = msgspec.json.Decoder(Claims)
_PREFIXES = (("pid", "prj"), ("tid", "team"), ("uid", "usr"), ("sid", "cht"))


class Tickets:
    """Makes and reads tickets. Without a secret there are none, and none is believed."""

    def __init__(self, secret: str, *, worker_url: str, valid_ms: int) -> None:
        # A key of its own: what else may ever be signed with the secret is no ticket.
        self._key = hmac.digest(secret.encode(), _PURPOSE, "sha256") if secret else None
        self._valid_ms = valid_ms
        self.worker_url = worker_url

    def require_worker(self) -> None:
        """Refuse when there is nobody to answer."""
        if self._key is None or not self.worker_url:
            raise errors.WORKER_NOT_CONFIGURED({"Retry-After": "60"})

    def issue(self, *, project_id: str, team_id: str, user_id: str, chat_id: str) -> str:
        assert self._key is not None, "asked for a ticket without a secret"
        claims = Claims(pid=project_id, tid=team_id, uid=user_id, sid=chat_id, exp=clock.now_ms() + self._valid_ms)
        payload = base64.urlsafe_b64encode(msgspec.json.encode(claims)).rstrip(b"=").decode()
        return f"{payload}.{signing.sign_text(self._key, payload)}"

    def read(self, ticket: object) -> Claims:
        """The claims of a ticket that is ours and not too old. The signature is looked at before anything else."""
        if self._key is None or not isinstance(ticket, str) or len(ticket) > _MOST_CHARS:
            raise errors.INVALID_TICKET()
        payload, _, signature = ticket.partition(".")
        if not signing.text_signature_matches(self._key, payload, signature):
            raise errors.INVALID_TICKET()
        claims = _claims(payload)
        if claims is None or clock.now_ms() >= claims.exp:
            raise errors.INVALID_TICKET()
        return claims


def _claims(payload: str) -> Claims | None:
    """What a payload says, if it has the form of ours in every part."""
    try:
        raw = base64.b64decode(payload + "=" * (-len(payload) % 4), altchars=b"-_", validate=True)
        claims = _decoder.decode(raw)
    except (binascii.Error, ValueError, msgspec.DecodeError):
        return None
    known = all(ids.looks_valid(getattr(claims, name), prefix) for name, prefix in _PREFIXES)
    return claims if known else None
