"""The token in an invitation's link: signed, never stored.

It names the invitation and is signed over the invitation's nonce, so that it can be made again whenever the
mail is sent, and stops working when the invitation is renewed.
"""

from __future__ import annotations

from loremark.base import signing
from loremark.base.crypto import Sealer
from loremark.storage.database import Row


class InvitationTokens:
    """Makes and checks tokens with a key derived from the installation's."""

    def __init__(self, sealer: Sealer) -> None:
        self._key = sealer.derive("invitations")

    def make(self, invitation: Row) -> str:
        return f"{invitation['id']}.{signing.sign_text(self._key, self._signed(invitation))}"

    def matches(self, token: str, invitation: Row) -> bool:
        return signing.text_signature_matches(self._key, self._signed(invitation), token.partition(".")[2])

    @staticmethod
    def named_in(token: str) -> str:
        """The id of the invitation that the token claims to be for."""
        return token.partition(".")[0]

    @staticmethod
    def _signed(invitation: Row) -> str:
        return f"{invitation['id']}|{invitation['nonce']}"
