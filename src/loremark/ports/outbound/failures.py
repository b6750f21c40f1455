"""Why a call came to nothing, in fixed sentences: what a stranger sends is never repeated."""

from __future__ import annotations

import ssl

import httpx

_WRONG_NAME = (62, 64)
"""What OpenSSL says when a certificate is for another host name or another address."""
_HUNG_UP = "Server disconnected without sending a response."
"""How httpx tells an answer that did not come from one that is no HTTP."""


def reason(error: Exception, timeout_s: float) -> str:
    """One plain sentence for a call that got no status."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return _unconnected(_root(error))
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return f"no answer within {timeout_s:g} seconds"
    if isinstance(error, httpx.RemoteProtocolError) and str(error) != _HUNG_UP:
        return "the answer is not HTTP"
    return "the connection broke off"


def _unconnected(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        wrong_name = cause.verify_code in _WRONG_NAME
        return "the certificate is not valid for the host name" if wrong_name else "the certificate is not trusted"
    return "the TLS handshake failed" if isinstance(cause, ssl.SSLError) else "could not connect"


def _root(error: BaseException) -> BaseException:
    while before := error.__cause__ or error.__context__:
        error = before
    return error
