"""Outbound requests to user-supplied URLs, with SSRF protection and limits."""
