"""Invitation tokens: signed, never stored.

A token contains the invitation's id and a signature over its nonce. It can be recreated whenever the email is sent,
and becomes invalid when the invitation is renewed.
"""

from __future__ import annotations

from loremark.base import signing
from loremark.base.crypto import Sealer
from loremark.storage.database import Row


class InvitationTokens:
    """Creates and verifies tokens with a key derived from the encryption key."""

    def __init__(self, sealer: Sealer) -> None:
        self._key = sealer.derive("invitations")

    def make(self, invitation: Row) -> str:
        return f"{invitation['id']}.{signing.sign_text(self._key, self._signed(invitation))}"

    def matches(self, token: str, invitation: Row) -> bool:
        return signing.text_signature_matches(self._key, self._signed(invitation), token.partition(".")[2])

    @staticmethod
    def invitation_id_in(token: str) -> str:
        """The invitation id in the token, not verified."""
        return token.partition(".")[0]

    @staticmethod
    def _signed(invitation: Row) -> str:
        return f"{invitation['id']}|{invitation['nonce']}"
