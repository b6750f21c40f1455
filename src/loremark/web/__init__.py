"""Layer 5: the HTTP framework. It does not depend on any feature.

A request passes through, in this order: request id, client address, rate limit, routing, authentication, body, one
transaction, the handler. The transaction is committed here before the response is sent. Every error is returned as
``{"error": text}``.
"""
