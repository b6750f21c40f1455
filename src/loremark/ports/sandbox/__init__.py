"""Processes untrusted input in a child process that may hang, run out of memory or crash safely."""
