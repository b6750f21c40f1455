"""Fixed error messages for failed requests; the remote's own text is never repeated."""

from __future__ import annotations

import ssl

import httpx

_WRONG_NAME = (62, 64)
"""OpenSSL's codes for a host name or IP address mismatch."""
_HUNG_UP = "Server disconnected without sending a response."
"""httpx's message for a missing response, as opposed to invalid HTTP."""


def reason(error: Exception, timeout_s: float) -> str:
    """Return the message for a request that got no status."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return connect_failure(root_cause(error))
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return f"no response within {timeout_s:g} seconds"
    if isinstance(error, httpx.RemoteProtocolError) and str(error) != _HUNG_UP:
        return "the response is not valid HTTP"
    return "the connection was lost"


def connect_failure(cause: BaseException) -> str:
    """Return the message for a connection that failed for this cause."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        wrong_name = cause.verify_code in _WRONG_NAME
        return "the certificate is not valid for the host name" if wrong_name else "the certificate is not trusted"
    return "the TLS handshake failed" if isinstance(cause, ssl.SSLError) else "could not connect"


def root_cause(error: BaseException) -> BaseException:
    while before := error.__cause__ or error.__context__:
        error = before
    # One error per address of the host.
    return error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error
