"""Serves the dashboard, one-time sign-in links, and the page that authorizes a command line.

Owns no table. The dashboard is static files; its data comes from the public API.
"""
