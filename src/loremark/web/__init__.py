"""Floor 5: the HTTP kit. It knows no feature.

A request passes, in this order: request id, client address, rate limit, route, authentication
(``needs``), body, one transaction, the handler; the transaction is committed here, at the edge, and only
then is the answer sent. Everything that goes wrong on the way leaves as ``{"error": text}``.
"""
